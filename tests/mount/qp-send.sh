#!/bin/sh
# SPDX-License-Identifier: MIT
# A send goes into the peer's oldest receive; wc of both sides tells, with the
# immediate value.
. "$(dirname "$0")/peers.sh"

peers
a=$A/qp/q
b=$B/qp/q
put "$A/mr/r/data" 'hello over there'
lines "$b/ctl" 'recv r 4096 100\nrecv r 8192 100\nrecv r 0 0\nrecv r 12288 100\n'
report $? "receives are over when they are posted"
is "and wc says nothing yet" "$(cat "$b/wc")" ''
check "a send" put "$a/ctl" send r 0 16
is "wc" "$(last "$a")" 'send success bytes=16'
is "the receiver's" "$(last "$b")" 'recv success bytes=16'
is "it is in the oldest" "$(bytes "$B/mr/r/data" 4096 17 | tr '\0' .)" \
    'hello over there.'
check "with imm" put "$a/ctl" send r 6 4 imm=0xfffffffe
is "the receiver's wc" "$(last "$b")" 'recv success bytes=4 imm=4294967294'
is "and data" "$(bytes "$B/mr/r/data" 8192 5 | tr '\0' .)" 'over.'
check "nothing, with imm" put "$a/ctl" send r 0 0 imm=0
is "the receiver's wc" "$(last "$b")" 'recv success bytes=0 imm=0'
is "one is left; three lines" "$(wc -l <"$b/wc")" 3

refuses "$a" EINVAL 'imm is at most 4294967295' send r 0 4 imm=4294967296
refuses "$a" EINVAL '*imm= or invalidate=, not both' \
    send r 0 4 imm=1 invalidate=0x1200
refuses "$a" EINVAL '*' send r 0 4 imm=x
is "nothing was sent" "$(wc -l <"$a/wc")" 3

# Longer than the receive.
refuses "$a" EREMOTEIO 'send: rem_*' send r 0 101
state "$a" err
state "$b" err
like "the receiver's wc has it" "$(last "$b")" 'recv loc_*'
again
put "$b/ctl" recv r 0 64
put "$b/ctl" reset
is "a reset flushes what is posted" "$(last "$b")" 'recv wr_flush_err bytes=0'
finish
