#!/bin/sh
# SPDX-License-Identifier: MIT
# RDMA operations are counted by device, type of queue pair and opcode, their
# bytes with them; those that failed by their status.
# shellcheck disable=SC2016,SC2034 # for metric and rises
. "$(dirname "$0")/peers.sh"

# moves OPCODE BYTES COMMAND...: one request of so many bytes
moves() {
	labels="device=\"\$DEVICE\",type=\"${type:-rc}\",opcode=\"$1\""
	bytes=$2
	shift 2
	n=$(metric "rdmafs_requests_total{$labels}")
	rises "rdmafs_request_bytes_total{$labels}" "$bytes" "$@"
	is "one request" "$(($(metric "rdmafs_requests_total{$labels}") - n))" 1
}
failed() {
	status=$1
	shift
	rises "rdmafs_failed_completions_total{device=\"\$DEVICE\",\
status=\"$status\"}" "$@"
}
peers
q=$A/qp/q/ctl
far=$(at "$B/mr/r")
moves rdma_write 100 put "$q" write r 0 100 "$far"
moves rdma_read 200 put "$q" read r 0 200 "$far"
moves fetch_add 8 put "$q" fetch_add r 0 "$far" 1
moves comp_swap 8 put "$q" cmp_swap r 0 "$far" 1 2
put "$B/qp/q/ctl" recv r 0 4096
moves send 30 put "$q" send r 0 30
mkdir "$A/qp/q/mem/m"
put "$A/qp/q/mem/m/ctl" map "${far% *}" 64K "${far#* }"
moves rdma_write 5 feed "$A/qp/q/mem/m/data" <<X
four
X
# The device that the receiver is on; the sender may be told first.
DEV=$(echo "${B#"$M"/}" | sed 's|/.*||')
tries=0
got='rdmafs_request_bytes_total{device="$DEVICE",type="rc",opcode="recv"}'
until [ "$(metric "$got")" -eq 30 ] || [ $tries -ge 250 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
is "what came" "$(metric "$got")" 30
DEV=$(echo "${A#"$M"/}" | sed 's|/.*||')

failed rem_access_err 1 put "$q" write r 0 100 "$(at "$B/mr/r" 65536)"
failed success 0 true
again
mkdir "$B/mw/w"
put "$B/mw/w/ctl" type 2
put "$B/mw/w/ctl" bind r 0 4K remote_write qp=q
moves rdma_write 64 put "$q" write r 0 64 "$(at "$B/mw/w")"
DEV=$(echo "${B#"$M"/}" | sed 's|/.*||')
is "a bind of type 2" \
    "$(metric 'rdmafs_binds_total{device="$DEVICE",type="2"}')" 1
put "$B/qp/q/ctl" recv r 0 4096
rkey=$(cat "$B/mw/w/rkey")
put "$q" send r 0 1 invalidate="$rkey"
ended='rdmafs_keys_ended_total{device="$DEVICE",how="peer"}'
tries=0
until [ "$(metric "$ended")" -eq 1 ] || [ $tries -ge 250 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
is "ended by the peer" "$(metric "$ended")" 1
finish
