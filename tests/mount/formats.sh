#!/bin/sh
# SPDX-License-Identifier: MIT
# Numbers are decimal, addresses 0x%016x, keys 0x%08x; a text ends in one
# newline.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
put "$P/lab/mr/r/ctl" reg 0x2000 local_write remote_read mw_bind
put "$P/lab/mw/w/ctl" bind r 010 16 remote_read
# form FILE REGULAR-EXPRESSION: its one line
form() {
	is "$1 is $2" "$(grep -cEx "$2" "$P/lab/$1") $(wc -l <"$P/lab/$1")" \
	    "1 1"
}

for key in mr/r/lkey mr/r/rkey mw/w/rkey; do
	form $key '0x[0-9a-f]{8}'
done
form mr/r/addr '0x[0-9a-f]{16}'
form mw/w/addr '0x[0-9a-f]{16}'
form mr/r/length 8192
form mw/w/length 16
form mw/w/type 1
form mw/w/rights remote_read
is "a window's address is its region's and the offset" \
    $(($(cat "$P/lab/mw/w/addr") - $(cat "$P/lab/mr/r/addr"))) 8
is "a line of translation is two addresses, one for each page" \
    "$(grep -cEx '0x[0-9a-f]{16} 0x[0-9a-f]{16}' "$P/lab/mr/r/translation")" 2
for f in "$D"/attr/* "$D"/port/1/* "$M/version" "$M/error"; do
	[ -d "$f" ] || is "${f#"$D"} is one line" "$(grep -c . "$f")" 1
done
if [ "${DEV#soft}" != "$DEV" ]; then
	check "the keys of a region differ" \
	    test "$(cat "$P/lab/mr/r/lkey")" != "$(cat "$P/lab/mr/r/rkey")"
fi
finish
