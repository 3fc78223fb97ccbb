#!/bin/sh
# SPDX-License-Identifier: MIT
# Who reads slowly is told how many lines are lost; who waits for something else
# has lost nothing.  A file opened for reading has the last 1,024.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w" "$P/lab/mw/quiet" "$P/lab/mw/once"
put "$P/lab/mr/r/ctl" reg 4K mw_bind
put "$P/lab/mw/once/ctl" bind r

# number FILE LINE: of that line of it
number() {
	sed -n "$2"'s/ .*//p' "$1"
}

exec 3<>"$M/events" 4<>"$P/lab/mw/quiet/events" 5<>"$P/lab/mw/once/events"
before=$(number "$M/events" '$')
put "$P/lab/mw/once/ctl" invalidate
# 10,000 of them, more than are kept
for _ in 1 2 3 4 5; do
	yes 'bind r
invalidate' | head -n 2000 | feed "$P/lab/mw/w/ctl"
done
last=$(number "$M/events" '$')
told=$((last - before))
# The window has got a new index now and then.
[ $told -ge 10001 ]
report $? "all were told ($told)"

dd bs=200 count=1 status=none <&3 >"$T/slow"
is "a read ends with a line" "$(tail -c 1 "$T/slow" | od -An -c)" '  \n'
dd bs=65536 count=1 status=none <&3 >>"$T/slow"
is "a large one too" "$(tail -c 1 "$T/slow" | od -An -c)" '  \n'
dd bs=7 count=1 status=none <&3 >>"$T/slow"
is "but where no line fits" "$(tail -c 7 "$T/slow" | wc -l)" 0
timeout 1 cat <&3 >>"$T/slow"
like "lost are" "$(head -n 1 "$T/slow")" 'lost [0-9]*'
lost=$(sed -n '1s/lost //p' "$T/slow")
rest=$(($(wc -l <"$T/slow") - 1))
is "together that is all" $((lost + rest)) $told
is "the rest is in a row" "$(awk -v n=$((before + lost)) \
    'NR > 1 && $1 != ++n' "$T/slow")" ''
is "as far as the end" "$(number "$T/slow" '$')" "$last"

timeout 1 cat <&5 >"$T/once"
is "the one that is lost is told" "$(cat "$T/once")" 'lost 1'
put "$P/lab/mw/quiet/ctl" bind r
timeout 1 cat <&4 >"$T/quiet"
is "of what was none of its business nothing is" \
    "$(cut -d ' ' -f 3 "$T/quiet")" bound
is "the last 1,024" "$(wc -l <"$M/events")" 1024
is "of one window too" "$(wc -l <"$P/lab/mw/w/events")" 1024
is "and of another what there is" "$(cut -d ' ' -f 3 "$P/lab/mw/quiet/events")" \
    bound
exec 3<&- 4<&- 5<&-
finish
