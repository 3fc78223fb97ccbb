#!/bin/sh
# SPDX-License-Identifier: MIT
# A device that is deleted under the daemon.  Up to Linux 6.12 the kernel waits
# for the daemon to close it, without a word to it; later ones take it away,
# and all that is asked of it fails.  Either way commands are answered, objects
# can be destroyed, and the daemon ends well.
. "$(dirname "$0")/rdma.sh"

fill lab
netdev=$(rdma link show "$DEV/1" | sed 's/.* netdev \([^ ]*\).*/\1/')
rdma link delete "$DEV" &
delete=$!
tries=0
until ! kill -0 $delete 2>/dev/null || [ $tries -eq 50 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
if kill -0 $delete 2>/dev/null; then
	say "the kernel waits"
	check "a window can be bound" put "$P/lab/mw/1/ctl" bind a 0 4K
else
	say "the kernel does not wait"
	like "status tells of it" "$(cat "$D/status")" "gone kind=verbs *"
	like "so does list" "$(grep "^$DEV device " "$M/list")" \
	    "$DEV device gone kind=verbs *"
	fails ENODEV cat "$D/kernel/qp"
	fails ENODEV put "$P/lab/mw/1/ctl" bind a 0 4K
	says "$P/lab/mw/1/error" "ENODEV: the device is gone"
	like "the window is as it was" "$(cat "$P/lab/mw/1/status")" \
	    "bound * offset=4096 *"
	fails ENODEV put "$P/lab/mw/2/ctl" invalidate
	fails EIO mkdir "$P/other"
	says "$D/error" "EIO: ibv_alloc_pd: "
fi
check "a window goes" rmdir "$P/lab/mw/3"
check "the domain goes with all that is in it" put "$P/lab/ctl" destroy
is "nothing is left" "$(ls "$P")" clone
stop
wait $delete
is "the device is gone" $? 0

# For the scripts that follow; v0 may be busy for a moment.
until rdma link add "$DEV" type rxe netdev "$netdev" 2>"$T/out"; do
	sleep 0.2
done
port=/sys/class/infiniband/$DEV/ports/1
until grep -q ACTIVE "$port/state" && grep -qs ':ffff:' "$port"/gids/*; do
	sleep 0.2
done
finish
