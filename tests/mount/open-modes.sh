#!/bin/sh
# SPDX-License-Identifier: MIT
# Opened otherwise than read-write clone is EACCES, and nothing is made; so is
# writing a file that is for reading, root included.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
put "$P/lab/mr/r/ctl" reg 4096 mw_bind
put "$P/lab/mw/w/ctl" bind r
cat "$M/list" >"$T/before"
for dir in "$P" "$P/lab/mr" "$P/lab/mw"; do
	fails EACCES cat "$dir/clone"
	fails EACCES put "$dir/clone" keep
	fails EACCES dd if=/dev/null of="$dir/clone" conv=notrunc oflag=append \
	    status=none
done
cat "$M/list" >"$T/after"
check "nothing was made" cmp "$T/before" "$T/after"
for f in "$M/status" "$M/list" "$M/errors" "$M/error" "$M/version" \
    "$D/status" "$D/attr/max_mr" "$D/port/1/state" "$P/lab/status" \
    "$P/lab/mr/r/rkey" "$P/lab/mr/r/lkey" "$P/lab/mr/r/length" \
    "$P/lab/mr/r/windows" "$P/lab/mr/r/translation" "$P/lab/mw/w/type" \
    "$P/lab/mw/w/addr" "$P/lab/mw/w/error"; do
	fails EACCES put "$f" 1
	fails EACCES truncate -s 0 "$f"
done
fails EISDIR put "$P/lab" destroy
finish
