#!/bin/sh
# SPDX-License-Identifier: MIT
# A port that goes down and comes back: status says so, commands are answered
# all the time.
. "$(dirname "$0")/rdma.sh"

# state_is STATE: soon
state_is() {
	n=0
	until grep -q "^$1 " "$D/status" || [ $n -eq 100 ]; do
		n=$((n + 1))
		sleep 0.1
	done
	like "the device is $1" "$(cat "$D/status")" "$1 kind=verbs *"
}

fill lab
mkdir "$P/fresh" "$P/fresh/mr/a" "$P/fresh/mw/w"
state_is active
netdev=$(rdma link show "$DEV/1" | sed 's/.* netdev \([^ ]*\).*/\1/')
ip link set "$netdev" down
state_is down
is "the port, too" "$(cat "$D/port/1/state")" "1: DOWN"
check "a region is registered" put "$P/fresh/mr/a/ctl" reg 8K mw_bind
check "a bound window bound anew" put "$P/lab/mw/1/ctl" bind a 0 8K remote_read
check "one is invalidated" put "$P/lab/mw/2/ctl" invalidate
# On RoCE a queue pair cannot be connected now, as the first bind in a domain
# needs: yes or no, but an answer.
put "$P/fresh/mw/w/ctl" bind a 2>"$T/first" || {
	like "the first bind of a domain is refused with a reason" \
	    "$(cat "$P/fresh/mw/w/error")" "*port 1 is not active*"
	like "and changes nothing" "$(cat "$P/fresh/mw/w/status")" "unbound *"
}
check "a region goes" rmdir "$P/lab/mr/b"
check "all can be read" grep -r . "$D/list" "$D/port" "$D/attr"

ip link set "$netdev" up
state_is active
is "the port, too" "$(cat "$D/port/1/state")" "4: ACTIVE"
check "the first bind of a domain works then" put "$P/fresh/mw/w/ctl" bind a
check "and others" put "$P/lab/mw/2/ctl" bind a 0 4K remote_read
stop
is "the kernel has nothing left" "$(counts)" "$idle"
finish
