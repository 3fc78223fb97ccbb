#!/bin/sh
# SPDX-License-Identifier: MIT
# fetch_add and cmp_swap: 8 bytes, in the host's order, and what stood there
# before comes to OFFSET.
. "$(dirname "$0")/peers.sh"

# value REGION OFFSET
value() {
	bytes "$1/data" "$2" 8 | od -An -td8 | tr -d ' '
}

peers
a=$A/qp/q
r=$B/mr/r
check "add 5" put "$a/ctl" fetch_add r 16 "$(at "$r" 8)" 5
is "it was 0" "$(value "$A/mr/r" 16)" 0
is "it is 5" "$(value "$r" 8)" 5
is "wc" "$(last "$a")" 'fetch_add success bytes=8'
check "add 0x100000000" put "$a/ctl" fetch_add r 24 "$(at "$r" 8)" 0x100000000
is "it was 5" "$(value "$A/mr/r" 24)" 5
is "it is the sum" "$(value "$r" 8)" 4294967301
check "add -1" put "$a/ctl" fetch_add r 24 "$(at "$r")" 18446744073709551615
is "it is -1" "$(value "$r" 0)" -1

check "not for another value" put "$a/ctl" cmp_swap r 0 "$(at "$r" 8)" 5 7
is "what is there is told" "$(value "$A/mr/r" 0)" 4294967301
is "and stays" "$(value "$r" 8)" 4294967301
is "wc" "$(last "$a")" 'comp_swap success bytes=8'
check "for this" put "$a/ctl" cmp_swap r 0 "$(at "$r" 8)" 4294967301 7
is "what was there is told" "$(value "$A/mr/r" 0)" 4294967301
is "and it is 7" "$(value "$r" 8)" 7
is "the bytes behind are as they were" "$(value "$r" 16)" 0

put "$r/rights" -remote_atomic
refuses "$a" EACCES 'fetch_add: rem_access_err*(A1)*' \
    fetch_add r 0 "$(at "$r" 8)" 1
is "it is 7 still" "$(value "$r" 8)" 7
finish
