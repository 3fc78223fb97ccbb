#!/bin/sh
# SPDX-License-Identifier: MIT
# After an error of access both sides are in error; later commands are flushed,
# the peer's run out of time (A5), until both are reset and connected anew.
. "$(dirname "$0")/peers.sh"

peers
a=$A/qp/q
b=$B/qp/q

put "$b/ctl" recv r 0 100
refuses "$a" EACCES '* rem_access_err: *' write r 0 8 0x1000 0xdeadbe00
is "wc" "$(last "$a")" 'rdma_write rem_access_err bytes=0'
state "$a" err
state "$b" err
for q in "$a" "$b"; do
	is "nobody asked for it, events say" \
	    "$(sed -n 's/^.* state [^ ]* //p' "$q/events" | tail -n 1)" state=err
done
like "status has it" "$(cat "$a/status")" 'err type=rc *'
like "what was posted is flushed" "$(last "$b")" 'recv wr_flush_err bytes=0'
refuses "$a" EIO 'rdma_write: wr_flush_err*' write r 0 8 "$(at "$B/mr/r")"
refuses "$a" EIO 'send: wr_flush_err*' send r 0 8
is "wc" "$(last "$a")" 'send wr_flush_err bytes=0'
is "flushed or not, each has a line" "$(wc -l <"$a/wc")" 3

put "$a/ctl" reset
is "reset" "$(cat "$a/state")" reset
refuses "$a" ENODATA 'qp/q is not connected' write r 0 8 "$(at "$B/mr/r")"
check "wc outlasts it" test "$(wc -l <"$a/wc")" -ge 3
put "$b/ctl" reset
join "$a" "$b"
check "and all is well again" put "$a/ctl" write r 0 8 "$(at "$B/mr/r")"
is "in error, too" "$(cat "$a/error")" ok

# To a peer in error nothing gets through.
refuses "$b" EACCES '* rem_access_err: *' write r 0 8 0x1000 0xdeadbe00
put "$a/ctl" reset
state "$b" err
put "$a/ctl" connect "$(cat "$b/local")"
refuses "$a" ETIMEDOUT 'rdma_write: retry_exc_err*' write r 0 8 "$(at "$B/mr/r")"
like "the text has its state" "$(head -n 1 "$a/error")" '*/qp/q is in state err*'
# A local error is that of one side.
again
! put "$a/ctl" write r 65535 2 "$(at "$B/mr/r")"
state "$a" err
is "the peer's is well" "$(cat "$b/state")" rts
finish
