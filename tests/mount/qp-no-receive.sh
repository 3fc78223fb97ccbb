#!/bin/sh
# SPDX-License-Identifier: MIT
# A send to a peer that has posted no receive, and to one whose receive is bad.
. "$(dirname "$0")/peers.sh"

peers
a=$A/qp/q
b=$B/qp/q
refuses "$a" ETIMEDOUT 'send: rnr_retry_exc_err*' send r 0 8
is "wc" "$(last "$a")" 'send rnr_retry_exc_err bytes=0'
state "$a" err
is "the peer is well" "$(cat "$b/state")" rts
again
# A4, D15: the receiver's own status is the device's.
check "a receive that is out of its region" put "$b/ctl" recv r 65530 100
refuses "$a" EREMOTEIO 'send: rem_*' send r 0 8
state "$a" err
state "$b" err
like "the receiver's wc" "$(last "$b")" 'recv loc_*'
again
mkdir "$B/mr/ro"
put "$B/mr/ro/ctl" reg 4K
check "one without local_write" put "$b/ctl" recv ro 0 100
refuses "$a" EREMOTEIO 'send: rem_*' send r 0 8
is "nothing has landed" "$(tr -d '\0' <"$B/mr/ro/data")" ''
again
check "a region whose receive is posted goes" put "$b/ctl" recv ro 0 0
check "at any time" rmdir "$B/mr/ro"
finish
