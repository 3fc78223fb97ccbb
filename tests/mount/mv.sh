#!/bin/sh
# SPDX-License-Identifier: MIT
# mv inside one parent renames: all but the name stays.  Onto an existing name
# it is EEXIST, to another parent EOPNOTSUPP, never a copy.
. "$(dirname "$0")/lib.sh"

mkdir "$P/a" "$P/b" "$P/a/mr/r" "$P/a/mr/s" "$P/a/mw/w"
put "$P/a/mr/r/ctl" reg 4096 local_write mw_bind
put "$P/a/mw/w/ctl" bind r
echo hello >"$P/a/mr/r/data"
ino=$(stat -c %i "$P/a/mr/r")
key=$(cat "$P/a/mw/w/rkey")
exec 3<"$P/a/mr/r/rights"

check "a region is renamed" mv "$P/a/mr/r" "$P/a/mr/fresh"
check "the old name is gone" test ! -e "$P/a/mr/r"
is "it is the same one" "$(stat -c %i "$P/a/mr/fresh")" "$ino"
is "with its bytes" "$(head -n 1 "$P/a/mr/fresh/data")" hello
is "the window's link follows" "$(readlink "$P/a/mw/w/mr")" ../../mr/fresh
is "and its key stays" "$(cat "$P/a/mw/w/rkey")" "$key"
is "an open file of it is read on" "$(cat <&3)" "local_read local_write mw_bind"
check "a domain is renamed" mv "$P/a" "$P/a2"
check "a window is" mv "$P/a2/mw/w" "$P/a2/mw/w2"
is "the window's key stays" "$(cat "$P/a2/mw/w2/rkey")" "$key"

fails EEXIST mv -T "$P/a2/mr/fresh" "$P/a2/mr/s"
fails EEXIST mv -T "$P/a2" "$P/b"
cat "$M/list" >"$T/before"
fails EOPNOTSUPP mv "$P/a2/mr/fresh" "$P/b/mr/fresh"
fails EOPNOTSUPP mv -n "$P/a2/mr/s" "$P/b/mr"
fails EOPNOTSUPP mv "$P/a2/mr/s" "$P/a2/mw"
fails EOPNOTSUPP mv "$P/b" "$P/a2/mr/b"
fails EPERM mv "$P/a2/ctl" "$P/a2/ctl2"
fails EPERM mv "$P/a2/mr" "$P/a2/mr2"
fails ENOENT mv "$P/none" "$P/some"
if mv "$P/a2/mr/fresh" "$T/fresh" >"$T/out" 2>&1; then
	report 1 "out of the mount it fails"
else
	report 0 "out of the mount it fails"
fi
cat "$M/list" >"$T/after"
check "nothing was made or lost" cmp "$T/before" "$T/after"
exec 3<&-
finish
