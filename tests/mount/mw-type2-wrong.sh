#!/bin/sh
# SPDX-License-Identifier: MIT
# A send whose key ends nothing (a stale one, a type 1 window's, a region's,
# another queue pair's): the receiver is in error, the key stays.  Not on
# soft-RoCE, whose kernel dies of it (D8).
. "$(dirname "$0")/peers.sh"

[ "$DEV" = soft0 ] || skip "it is for soft devices"
peers
a=$A/qp/q
b=$B/qp/q
mkdir "$B/mw/w" "$B/mw/one" "$B/mw/two" "$B/qp/p"
join "$B/qp/p" "$B/qp/p"
put "$B/mw/w/ctl" type 2
put "$B/mw/two/ctl" type 2

# keeps KEY WHAT
keeps() {
	put "$b/ctl" recv r 8192 100
	put "$a/ctl" send r 0 12 "invalidate=$1" 2>/dev/null
	like "$2: the receiver's wc" "$(last "$b")" 'recv rem_inv_req_err *'
	state "$b" err
	is "what landed" "$(bytes "$B/mr/r/data" 8192 12 | tr -d '\0')" 'a message..'
	put "$B/mr/r/data" ''
	again
}

put "$A/mr/r/data" 'a message..'
keeps 0xdeadbe00 'a key that never was'
put "$B/mw/w/ctl" bind r remote_write qp=q
key=$(cat "$B/mw/w/rkey")
put "$B/mw/w/ctl" invalidate
keeps "$key" 'a stale one'
put "$B/mw/one/ctl" bind r remote_write
keeps "$(cat "$B/mw/one/rkey")" "a type 1 window's"
like "is bound still" "$(cat "$B/mw/one/status")" 'bound *'
put "$B/mw/two/ctl" bind r remote_write qp=p
keeps "$(cat "$B/mw/two/rkey")" "another queue pair's"
like "is bound still" "$(cat "$B/mw/two/status")" 'bound * qp=p *'
keeps "$(cat "$B/mr/r/rkey")" "a region's"
check "which opens still" put "$a/ctl" write r 0 8 "$(at "$B/mr/r")"
finish
