#!/bin/sh
# SPDX-License-Identifier: MIT
# The key of a type 2 window opens it over its own queue pair only (W8, A1),
# that of a type 1 window over any of the domain (W7).
. "$(dirname "$0")/peers.sh"

grep -qw 2 "$D/attr/mw_types" || skip "no type 2 windows"
peers
mkdir "$A/qp/p" "$B/qp/p" "$B/mw/w" "$B/mw/one"
join "$A/qp/p" "$B/qp/p"
put "$B/mw/w/ctl" type 2
put "$B/mw/w/ctl" bind r remote_write qp=q
put "$B/mw/one/ctl" bind r remote_write
check "over its own" put "$A/qp/q/ctl" write r 0 8 "$(at "$B/mw/w")"
check "type 1 over the one" put "$A/qp/q/ctl" write r 0 8 "$(at "$B/mw/one")"
check "and the other" put "$A/qp/p/ctl" write r 0 8 "$(at "$B/mw/one")"
refuses "$A/qp/p" EACCES '* rem_access_err: *(W8)*' \
    write r 0 8 "$(at "$B/mw/w")"
like "the text says which" "$(head -n 1 "$A/qp/p/error")" \
    "*/mw/w opens 65536 bytes * over qp/q, not over the peer's (W8)"
state "$B/qp/p" err
like "it is bound still" "$(cat "$B/mw/w/status")" 'bound * qp=q *'
check "and opens" put "$A/qp/q/ctl" write r 0 8 "$(at "$B/mw/w")"
check "type 1 outlives the queue pair" rmdir "$B/qp/p"
check "and opens" put "$A/qp/q/ctl" write r 0 8 "$(at "$B/mw/one")"
finish
