#!/bin/sh
# SPDX-License-Identifier: MIT
# Rights of a bound type 2 window are an invalidation and a bind: the range and
# the queue pair stay, the key is new and the old one dead.
. "$(dirname "$0")/peers.sh"

grep -qw 2 "$D/attr/mw_types" || skip "no type 2 windows"
peers
w=$B/mw/w
a=$A/qp/q
mkdir "$w"
put "$w/ctl" type 2
check "kept for the bind" put "$w/rights" remote_read
put "$w/ctl" bind r 4K 4K qp=q
like "they are" "$(cat "$w/status")" 'bound * rights=remote_read qp=q *'
old=$(at "$w")
check "more of them" put "$w/rights" +remote_write
like "stand, on the same range" "$(cat "$w/status")" 'bound type=2 mr=r '\
'offset=4096 length=4096 rights=remote_read,remote_write qp=q *'
check "with a new key" test "$(at "$w")" != "$old"
check "that opens" put "$a/ctl" write r 0 8 "$(at "$w")"
# shellcheck disable=SC2086 # two words
refuses "$a" EACCES '* rem_access_err: *' read r 0 8 $old
again
like "a reset of its queue pair has unbound it" "$(cat "$w/status")" \
    'unbound type=2 rights=remote_read,remote_write *'
check "rights of an unbound one are kept" put "$w/ctl" rights remote_write
put "$w/ctl" bind r 0 4K qp=q
refuses "$a" EACCES '* rem_access_err: *' read r 0 8 "$(at "$w")"
again
put "$w/ctl" bind r 0 4K remote_write qp=q
for wrong in local_write mw_bind nonsense; do
	fails EINVAL put "$w/rights" "$wrong"
done
refuses "$a" EACCES '* rem_access_err: *' read r 0 8 "$(at "$w")"
state "$B/qp/q" err
# Its queue pair is in error now, as is said before the key ends.
fails EIO put "$w/rights" remote_read
says "$w/error" 'EIO: qp/q is in state err: reset and connect it anew (W11)'
like "it is bound still" "$(cat "$w/status")" 'bound * rights=remote_write *'
again
put "$w/ctl" bind r 0 4K remote_read qp=q
put "$B/qp/q/rights" -mw_bind
key=$(cat "$w/rkey")
fails EINVAL put "$w/rights" remote_write
is "what is checked before costs no key" "$(cat "$w/rkey")" "$key"
is "nor rights" "$(cat "$w/rights")" remote_read
finish
