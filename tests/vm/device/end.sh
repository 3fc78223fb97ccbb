#!/bin/sh
# SPDX-License-Identifier: MIT
# An unmount, SIGTERM and SIGINT free all that the device has made.
. "$(dirname "$0")/rdma.sh"

filled() {
	fill lab && fill other || return
	[ "$(counts)" != "$idle" ]
	report $? "the kernel has objects for it"
}

filled
stop
is "none after an unmount" "$(counts)" "$idle"
# The shell has what it starts in the background ignore SIGINT.
# shellcheck disable=SC2034 # for start
RDMAFS_WRAP='env --default-signal=INT'
for signal in TERM INT; do
	start
	filled
	kill -$signal "$daemon"
	wait "$daemon"
	is "the daemon ends with status 0 at SIG$signal" $? 0
	daemon=
	is "none after it" "$(counts)" "$idle"
	is "nor is the mount" "$(connection)" ""
done
finish
