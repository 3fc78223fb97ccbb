#!/bin/sh
# SPDX-License-Identifier: MIT
# list has one line per object below it: its path from the list's directory,
# its kind, then what its status says.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w" "$P/empty"
put "$P/lab/mr/r/ctl" reg 4096 mw_bind
put "$P/lab/mw/w/ctl" bind r
{
	echo "mr/r mr $(cat "$P/lab/mr/r/status")"
	echo "mw/w mw $(cat "$P/lab/mw/w/status")"
} >"$T/want"
check "of a domain" diff "$T/want" "$P/lab/list"
{
	echo "pd/lab pd $(cat "$P/lab/status")"
	sed 's|^|pd/lab/|' "$T/want"
	echo "pd/empty pd $(cat "$P/empty/status")"
} >"$T/want2"
check "of a device" diff "$T/want2" "$D/list"
is "of an empty domain" "$(cat "$P/empty/list")" ""
for d in "$M"/*/; do
	d=${d%/}
	echo "${d##*/} device $(cat "$d/status")"
	sed "s|^|${d##*/}/|" "$d/list"
done | sort >"$T/want"
sort "$M/list" >"$T/got"
check "of all" diff "$T/want" "$T/got"
rmdir "$P/lab/mw/w"
is "what is gone is not there" "$(sed 's/ .*//' "$P/lab/list")" mr/r
finish
