#!/bin/sh
# SPDX-License-Identifier: MIT
# What a data command refuses before anything is sent, and a local range, with
# the reason.
. "$(dirname "$0")/peers.sh"

peers
a=$A/qp/q
b=$B/qp/q
mkdir "$A/mr/none" "$A/mr/ro"
put "$A/mr/ro/ctl" reg 4K none
before=$(cat "$a/status")

refuses "$a" EINVAL 'MR is missing: *' write
refuses "$a" EINVAL 'RKEY is missing: *' write r 0 8 0x1000
refuses "$a" EINVAL '*' write r 0 8 0x1000 0x12 0x13
refuses "$a" EINVAL '*' write r 0 -1 0x1000 0x12
refuses "$a" EINVAL '*' write r 0 8 0x1000 0x112345678
refuses "$a" ENOENT '*no region of this name*' write nope 0 8 0x1000 0x12
refuses "$a" ENODATA 'mr/none is not registered' write none 0 8 0x1000 0x12
refuses "$a" EINVAL '*multiple of 8 (A3)' fetch_add r 0 0x1001 0x12 1
refuses "$a" EINVAL '*multiple of 8 (A3)' cmp_swap r 0 0x1004 0x12 1 2
refuses "$a" EINVAL 'a message is at most 2^31 bytes (A3)' \
    write r 0 2147483649 0x1000 0x12
refuses "$a" EINVAL 'a message is at most 2^31 bytes (A3)' read r 0 3G 0x1000 0x12
refuses "$a" EINVAL 'a message is at most 2^31 bytes (A3)' send r 0 3G
refuses "$a" EINVAL 'offset + length passes 2^64 (A4)' \
    write r 18446744073709551615 8 0x1000 0x12
like "an address is hidden in none of them, a key is" \
    "$(grep -c '0x12\b' "$a/error")" 0
is "nothing was sent" "$(cat "$a/wc")" ''
is "nothing has changed" "$(cat "$a/status")" "$before"

# A4: on a device the completion's status may be another (D5).
case $DEV in
soft0)	errno=EFAULT status=loc_prot_err ;;
*)	errno='*' status= ;;
esac
# local_error TEXT COMMAND...
local_error() {
	text=$1
	shift
	if [ "$errno" = EFAULT ]; then
		refuses "$a" EFAULT "*: $status*: $text" "$@"
	else
		! put "$a/ctl" "$@" 2>"$T/err"
		report $? "$* fails"
		like "because" "$(sed -n 1p "$a/error")" "*: $text"
	fi
	state "$a" err
	is "the peer is well (A5)" "$(cat "$b/state")" rts
	again
}
local_error 'mr/r has 65536 bytes with *; asked: 8 bytes at 65529' \
    write r 65529 8 "$(at "$B/mr/r")"
local_error 'mr/r has 65536 bytes with *; asked: 8 bytes at 70000' \
    read r 70000 8 "$(at "$B/mr/r")"
local_error 'mr/ro has 4096 bytes with local_read; asked: 8 bytes at 0' \
    read ro 0 8 "$(at "$B/mr/r")"
check "to send from it is well" put "$a/ctl" write ro 0 8 "$(at "$B/mr/r")"
local_error 'mr/ro has 4096 bytes with local_read; asked: 8 bytes at 8' \
    fetch_add ro 8 "$(at "$B/mr/r")" 1

put "$a/ctl" reset
for command in 'write r 0 8 0x1000 0x12' 'read r 0 8 0x1000 0x12' 'send r 0 8' \
    'recv r 0 8' 'fetch_add r 0 0x1000 0x12 1'; do
	refuses "$a" ENODATA 'qp/q is not connected' "$command"
done
finish
