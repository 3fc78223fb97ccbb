#!/bin/sh
# SPDX-License-Identifier: MIT
# No key that was typed into a wrong command is seen anywhere.
RDMAFS_OPTS='-d --soft 2'
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mw/w"
for line in 'rereg 0x1c2f5566' '0x1c2f5566' 'reg 4K 0x1c2f5566' 'frob 1c2f5566' \
    'reg 4K key=0x1c2f5566' 'bind a 0x1c2f5566' 'bind 0x1c2f5566 0x1c2f5566' \
    'invalidate 0x1c2f5566' "'0x1c2f5566" 'reg 4K local_write,0x1c2f5566' \
    'clear 0x1c2f5566 0x1c2f5566' '+0x1c2f5566'; do
	for file in "$P/lab/mr/a/ctl" "$P/lab/mr/a/rights" "$P/lab/mw/w/ctl" \
	    "$P/lab/mw/w/rkey" "$P/lab/ctl" "$M/ctl"; do
		fails EINVAL put "$file" "$line"
		grep -l 1c2f5566 "${file%/*}/error" && report 1 "masked: $line"
	done
done >"$T/mask"
is "in no error" "$(grep -v '^ok' "$T/mask")" ''
is "nor in errors" "$(grep -c 1c2f5566 "$M/errors")" 0
put "$P/lab/mr/a/ctl" reg 8K mw_bind remote_read
put "$P/lab/mw/w/ctl" bind a
for key in "$P/lab/mr/a/lkey" "$P/lab/mr/a/rkey" "$P/lab/mw/w/rkey"; do
	value=$(cat "$key" 2>/dev/null) || continue
	for file in "$M/list" "$M/errors" "$P/lab/mr/a/status" \
	    "$P/lab/mr/a/windows" "$P/lab/mw/w/status" "$T/log"; do
		is "no ${key##*/} in ${file##*/}" \
		    "$(grep -c "${value#0x}" "$file")" 0
	done
done
is "nor in the log" "$(grep -c 1c2f5566 "$T/log")" 0
check "which has the commands" grep -q 'lab/mr/a/ctl: reg .* ok' "$T/log"
check "and the backend's calls" grep -q mr_reg "$T/log"
finish
