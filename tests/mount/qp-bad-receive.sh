#!/bin/sh
# SPDX-License-Identifier: MIT
# A send that meets a bad receive (A4): the sender learns which it was, if the
# receiver is his own.
. "$(dirname "$0")/peers.sh"

peers
put "$B/mr/r/ctl" dereg
put "$B/mr/r/ctl" reg 4K local_write

# meets WHY RECV SEND: where the device tells of the receive in time
meets() {
	put "$B/qp/q/ctl" "$2"
	fails EREMOTEIO put "$A/qp/q/ctl" "$3"
	case $DEV in
	soft*)	like "$1" "$(sed -n 1p "$A/qp/q/error")" \
		    "EREMOTEIO: send: $1: ${B#"$M"/}/qp/q received into mr/$4" ;;
	esac
	state "$A/qp/q" err
	state "$B/qp/q" err
	again
}

meets "rem_op_err: the peer's receive buffer is bad (A4)" \
    'recv r 4090 100' 'send r 0 8' 'r, 100 bytes at 4090; sent: 8 bytes'
put "$A/mr/r/data" 12345678
meets "rem_inv_req_err: the peer's receive is too short" \
    'recv r 8 4' 'send r 0 5' 'r, 4 bytes at 8; sent: 5 bytes'
is "nothing has come" "$(bytes "$B/mr/r/data" 8 4 | tr -d '\0')" ''
finish
