#!/bin/sh
# SPDX-License-Identifier: MIT
# What a peer may do over a queue pair whatever its key: words, and changes of a
# connected one, which count at once (A2).
. "$(dirname "$0")/peers.sh"

peers
a=$A/qp/q
b=$B/qp/q
is "all to begin with" "$(cat "$b/rights")" \
    'local_read remote_read remote_write remote_atomic mw_bind'
for wrong in local_write zero_based on_demand nonsense 0x100000 \
    'remote_read +mw_bind'; do
	fails EINVAL put "$b/rights" "$wrong"
done
says "$b/error" 'EINVAL: '
is "all are left" "$(cat "$b/rights")" \
    'local_read remote_read remote_write remote_atomic mw_bind'
check "a write" put "$a/ctl" write r 0 8 "$(at "$B/mr/r")"
check "less of a connected one" put "$b/rights" -remote_write
is "is less" "$(cat "$b/rights")" 'local_read remote_read remote_atomic mw_bind'
check "a read goes" put "$a/ctl" read r 0 8 "$(at "$B/mr/r")"
refuses "$a" EREMOTEIO 'rdma_write: rem_inv_req_err*(A2)*' \
    write r 0 8 "$(at "$B/mr/r")"
state "$a" err
state "$b" err
again
is "rights outlast a reset" "$(cat "$b/rights")" \
    'local_read remote_read remote_atomic mw_bind'
check "by the verb" put "$b/ctl" rights remote_write
refuses "$a" EREMOTEIO 'rdma_read: rem_inv_req_err*(A2)*' \
    read r 0 8 "$(at "$B/mr/r")"
again
check "the write goes now" put "$a/ctl" write r 0 8 "$(at "$B/mr/r")"
refuses "$a" EREMOTEIO 'fetch_add: rem_inv_req_err*(A2)*' \
    fetch_add r 0 "$(at "$B/mr/r")" 1
again
check "as a number" put "$b/rights" 0xe
is "of ibv_access_flags" "$(cat "$b/rights")" \
    'local_read remote_read remote_write remote_atomic'
check "none" put "$b/rights" none
refuses "$a" EREMOTEIO 'rdma_write: rem_inv_req_err*(A2)*' \
    write r 0 8 "$(at "$B/mr/r")"
says "$a/error" "EREMOTEIO: rdma_write: rem_inv_req_err"
like "the text has the peer" "$(head -n 1 "$a/error")" "*${B#"$M"/}/qp/q *"
finish
