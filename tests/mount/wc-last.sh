#!/bin/sh
# SPDX-License-Identifier: MIT
# wc opened for reading gives the last 64 completions and ends; their numbers
# count on.
. "$(dirname "$0")/peers.sh"

peers
a=$A/qp/q
is "none is an empty text" "$(timeout $soon cat "$a/wc")" ''
i=0
while [ $i -lt 100 ]; do
	echo "write r 0 $i 0 0"
	i=$((i + 1))
done | sed 's/^write r 0 [1-9][0-9]* /write r 0 0 /' >"$T/commands"
check "100 commands" dd if="$T/commands" of="$a/ctl" bs=64K conv=notrunc
is "64 lines" "$(timeout $soon cat "$a/wc" | wc -l)" 64
is "of these numbers" "$(cut -d ' ' -f 1 "$a/wc" | tr '\n' ' ')" \
    "$(seq 37 100 | tr '\n' ' ')"
is "words of a line" "$(cut -d ' ' -f 3- "$a/wc" | sort -u)" \
    'rdma_write success bytes=0'
now=$(date +%s)
time=$(sed -n '$s/^[0-9]* \([0-9]*\)\..*/\1/p' "$a/wc")
check "the time is now" test "$time" -le $((now + 1)) -a "$time" -ge $((now - 120))
check "tail" test "$(tail -n 1 "$a/wc" | cut -d ' ' -f 1)" = 100
check "tac" test "$(tac "$a/wc" | head -n 1 | cut -d ' ' -f 1)" = 100
check "grep" grep -c success "$a/wc"
if command -v busybox >/dev/null; then
	is "busybox cat" "$(busybox cat "$a/wc" | wc -l)" 64
fi
exec 3<"$a/wc"
read -r line <&3
is "in small reads" "${line%% *}" 37
put "$a/ctl" write r 0 0 0 0
read -r line <&3
is "it is one text" "${line%% *}" 38
exec 3<&-
fails EACCES put "$a/remote" x
fails EACCES put "$a/wc" x
check "nothing has changed" test "$(cat "$a/state")" = rts
finish
