#!/bin/sh
# SPDX-License-Identifier: MIT
# kill -9 of the daemon frees all, and another starts over the dead mount.
. "$(dirname "$0")/rdma.sh"

fill lab
[ "$(counts)" != "$idle" ]
report $? "the kernel has objects for it"
kill -KILL "$daemon"
wait "$daemon" 2>/dev/null
daemon=
tries=0
until [ "$(counts)" = "$idle" ] || [ $tries -eq 100 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
is "none after kill -9" "$(counts)" "$idle"
fails ENOTCONN cat "$M/version"
start
is "another starts over the corpse" "$(ls "$P")" clone
check "and works" fill lab
is "it is the only mount" "$(connection | wc -l)" 1
finish
