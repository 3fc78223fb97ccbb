#!/bin/sh
# SPDX-License-Identifier: MIT
# A link that goes down is seen without anybody asking: list, which asks no
# device, tells of it, and of the link's return.
. "$(dirname "$0")/rdma.sh"

# listed STATE: soon
listed() {
	n=0
	until grep -q "^$DEV device $1 " "$M/list" || [ $n -eq 100 ]; do
		n=$((n + 1))
		sleep 0.1
	done
	like "list says $1" "$(grep "^$DEV device " "$M/list")" \
	    "$DEV device $1 kind=verbs *"
}

netdev=$(rdma link show "$DEV/1" | sed 's/.* netdev \([^ ]*\).*/\1/')
listed active
for round in 1 2 3; do
	say "round $round"
	ip link set "$netdev" down
	listed down
	ip link set "$netdev" up
	listed active
done
finish
