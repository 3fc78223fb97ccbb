#!/bin/sh
# SPDX-License-Identifier: MIT
# Numbers: decimal, 0x, 0 octal, K M G T; junk behind one, out of range or
# negative is EINVAL, and lengths that cannot be are refused.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
r=$P/lab/mr/r
# takes TEXT LENGTH
takes() {
	check "reg $1" put "$r/ctl" "reg $1"
	is "its length" "$(cat "$r/length")" "$2"
	is "data has it" "$(wc -c <"$r/data")" "$2"
	put "$r/ctl" dereg
}

takes 1 1
takes 4095 4095
takes 4096 4096
takes 4097 4097
takes 0x1000 4096
takes 0X1fF 511
takes 010000 4096
takes 4K 4096
takes 0x10K 16384
takes 1M 1048576
for n in -1 +1 1e3 64Q 64k 4KB 4K4 08 0x 0xg 1.5K K '' 4096x 1,000 ' -4K' \
    18446744073709551616 0x10000000000000000 99999999999999999999 \
    16777216T 18014398509481984K 20000000000G 0b11 1_000; do
	fails EINVAL put "$r/ctl" "reg '$n'"
done
fails EINVAL put "$r/ctl" reg 0
says "$r/error" "EINVAL: length is zero (M5)"
fails EINVAL put "$r/ctl" reg 4096 4096
for n in 18446744073709551615 0x8000000000000000 9223372036854775807 4000T; do
	put "$r/ctl" "reg $n" >"$T/out" 2>&1
	report $((! $?)) "reg $n fails"
	is "with a number in its reason" "$(head -n 1 "$r/error" |
	    grep -cE '^(ENOMEM|EINVAL|ENOSPC): .*[0-9]')" 1
done
like "nothing has run" "$(cat "$r/status")" "unregistered *"
check "and it works as before" put "$r/ctl" reg 4K
fails EBUSY put "$r/ctl" reg 4K
finish
