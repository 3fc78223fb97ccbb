#!/bin/sh
# SPDX-License-Identifier: MIT
# A long list is read in pieces of any size and from any place: tail, tac, dd,
# and small reads give the same lines as one large one.
. "$(dirname "$0")/lib.sh"

n=1500
mkdir "$P/lab" "$P/lab/mr/r"
(cd "$P/lab/mw" && seq -f 'window%.0f' $n | xargs mkdir)
put "$P/lab/mr/r/ctl" reg 4096 mw_bind
for f in "$M/list" "$D/list" "$P/lab/list"; do
	cat "$f" >"$T/all"
	is "${f#"$M"} has each window" "$(grep -c 'window[0-9]* mw ' "$T/all")" \
	    "$n"
	is "no line twice" "$(sort "$T/all" | uniq -d)" ""
	is "all lines are whole" "$(grep -vc ' made=[0-9]*$' "$T/all")" 0
	tac "$f" >"$T/tac"
	tac "$T/all" >"$T/want"
	check "tac gives it backwards" cmp "$T/tac" "$T/want"
	is "grep takes it for text" "$(grep -c owner= "$f")" \
	    "$(wc -l <"$T/all")"
	is "tail -n 1" "$(tail -n 1 "$f")" "$(tail -n 1 "$T/all")"
done
is "a path is relative to the list's directory" "$(sed -n '1s/ .*//p' "$T/all")" \
    mr/r
dd if="$P/lab/list" bs=4093 of="$T/got" status=none
check "by odd pieces" cmp "$T/all" "$T/got"
dd if="$P/lab/list" bs=1 skip=2000 count=5000 of="$T/got" status=none
dd if="$T/all" bs=1 skip=2000 count=5000 of="$T/want" status=none
check "byte by byte in the middle" cmp "$T/got" "$T/want"
dd if="$P/lab/list" bs=100 skip=900 of="$T/got" status=none
dd if="$T/all" bs=100 skip=900 of="$T/want" status=none
check "from a place far behind" cmp "$T/got" "$T/want"
is "an ls sees them all" "$(find "$P/lab/mw" -name 'window*' | wc -l)" "$n"
(cd "$P/lab/mw" && seq -f 'window%.0f' $n | xargs rmdir)
is "they are gone" "$(grep -c . "$P/lab/list")" 1
finish
