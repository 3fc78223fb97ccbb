#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of rdmals, to the letter, from a tree of plain files; sizes, ages,
# and lines that are not understood.
. "$(dirname "$0")/rdmals.sh"

fake
now=$(date +%s)
ls_ x0
sed 's/  *[0-9]*d$/ AGE/; s/  *AGE$/ AGE/' "$T/got" >"$T/table"
cat >"$T/want" <<'END'
KIND    PATH              OWNER    SIZE  RIGHTS              STATE   BOUND TO AGE
device  x0                root        -  -                   active  pd=2 mr=1 mw=1 qp=1 AGE
pd      x0/pd/lab         root        -  -                   active  mr=1 mw=1 qp=1 AGE
mr      x0/pd/lab/mr/buf  root     4.8K  local_read,mw_bind  active  windows=1 AGE
mw      x0/pd/lab/mw/w    4000000   100  remote_write        bound   mr/buf+96 via qp/q AGE
qp      x0/pd/lab/qp/q    root        -  local_read          rts     windows=1 mem=0 AGE
pd      x0/pd/idle        root        -  -                   active  mr=0 mw=0 qp=0 AGE
END
check "is as it should be" diff "$T/want" "$T/table"
awk '{ print length }' "$T/got" | sort -u >"$T/lengths"
is "its lines are of one length" "$(wc -l <"$T/lengths")" 1

# An age in the middle of its unit, so that a slow machine tells the same.
for age in 1830 9000 216000; do
	echo "x0/pd/age$age pd active owner=0 group=0 made=$((now - age))"
done >"$R/list"
echo "x0/pd/future pd active owner=0 group=0 made=$((now + 100000))" >>"$R/list"
ls_
is "ages" "$(awk 'NR > 1 { print $NF }' "$T/got" | tr '\n' ' ')" "30m 2h 2d 0s "

while read -r bytes size; do
	echo "x0/pd/lab/mr/m mr active length=$bytes rights=none windows=0 owner=0 group=0 made=1" \
	    >"$R/list"
	ls_
	is "$bytes bytes" "$(awk 'NR == 2 { print $4 }' "$T/got")" "$size"
done <<'END'
0 0
1 1
1023 1023
1024 1K
1025 1.0K
1536 1.5K
2047 1.9K
1048576 1M
1048577 1.0M
1073741824 1G
1099511627776 1T
1125899906842624 1024T
18446744073709551615 16777215.9T
END

# What a command does meanwhile, and who has invalidated.
cat >"$R/list" <<'END'
x0/pd/l/mr/m mr unregistered rights=none busy=reg owner=0 group=0 made=1
x0/pd/l/mw/w mw unbound type=2 rights=none invalidated=peer owner=0 group=0 made=1
x0/pd/l/new future waiting owner=0 group=0 made=1
END
ls_
is "a verb under way" "$(awk 'NR == 2 { print $6 }' "$T/got")" "unregistered(reg)"
is "the peer" "$(awk 'NR == 3 { print $6 }' "$T/got")" "unbound(peer)"
is "a kind of later versions" "$(awk 'NR == 4 { print $1, $6 }' "$T/got")" \
    "future waiting"

# Lines that are none.
printf 'x0 device active owner=0\n\nx0/pd/lab\nx0/pd/a pd active owner=0\nx0/pd/torn pd act' \
    >"$R/list"
ls_
is "torn lines: status" $? 1
is "the others are shown" "$(paths)" "x0 x0/pd/a"
is "and they are named" "$(sed "s|$R|R|" "$T/err" | tr '\n' ';')" \
    "rdmals: R/list: line 2 is not understood;rdmals: R/list: line 3 is not understood;rdmals: R/list: line 5 is torn;"
: >"$R/list"
ls_
is "an empty list: status" $? 1
is "no table" "$(cat "$T/got")" ""

# Many.
seq -f 'x0/pd/p/mr/m%.0f mr active length=4096 rights=local_read windows=0 pinned=4096 owner=0 group=0 made=1' \
    200000 >"$R/list"
for way in '' -j --tree; do
	# shellcheck disable=SC2086 # an option or none
	ls_ $way
	is "200000 objects with '$way'" "$(grep -c mr/m "$T/got")" 200000
done
finish
