#!/bin/sh
# SPDX-License-Identifier: MIT
# While objects come and go, a list in reading has each one that stays once.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab"
cd "$P/lab/mw" || exit
seq -f 'go%.0f' 200 | xargs mkdir
seq -f 'stay%.0f' 200 | xargs mkdir
seq -f 'leave%.0f' 200 | xargs mkdir
exec 3<"$P/lab/list"
dd bs=1000 count=1 <&3 >"$T/list" 2>/dev/null
seq -f 'go%.0f' 200 | xargs rmdir
dd bs=1000 count=1 <&3 >>"$T/list" 2>/dev/null
seq -f 'come%.0f' 200 | xargs mkdir
mv stay1 first
mv stay200 last
dd bs=1000 count=20 <&3 >>"$T/list" 2>/dev/null
seq -f 'leave%.0f' 200 | xargs rmdir
cat <&3 >>"$T/list"
exec 3<&-

is "each that stays is there once" "$(grep -Ec '^mw/(stay|first|last)' \
    "$T/list")" 200
is "those that came behind, too" "$(grep -c '^mw/come' "$T/list")" 200
is "no line twice" "$(sed 's/ .*//' "$T/list" | sort | uniq -d)" ""
is "all lines are whole" \
    "$(grep -vEc '^mw/[a-z]+[0-9]* mw unbound .* made=[0-9]+$' "$T/list")" 0

mkdir a b c
exec 3<"$P/lab/list"
rmdir a
dd bs=16 count=1 <&3 >/dev/null 2>&1
(rmdir b; mkdir b; rmdir c)
check "a directory, too, survives its changes" cat /dev/fd/3
exec 3<&-
cd /
finish
