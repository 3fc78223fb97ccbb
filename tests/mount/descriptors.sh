#!/bin/sh
# SPDX-License-Identifier: MIT
# A region holds a descriptor of the daemon's, unless that can open files by
# handle.  When none is left that is ENOMEM with the limit, and over when a
# region goes.
# shellcheck disable=SC3045 # dash, bash and busybox have it
ulimit -n 60
RDMAFS_WRAP="setpriv --bounding-set=-dac_read_search,-sys_resource \
${RDMAFS_WRAP:-}"
. "$(dirname "$0")/lib.sh"

# make: as many as there can be; $i.
make() {
	mkdir "$P/lab"
	i=0
	while [ $i -lt 60 ]; do
		mkdir "$P/lab/mr/r$i"
		put "$P/lab/mr/r$i/ctl" reg 4K 2>"$T/err" || break
		i=$((i + 1))
	done
}

make
check "there are some regions" test $i -gt 10
check "and an end" test $i -lt 60
says "$P/lab/mr/r$i/error" \
    "ENOMEM: no descriptor is left for a region: rdmafs may have 60 "
check "one goes" put "$P/lab/mr/r0/ctl" destroy
check "another comes" put "$P/lab/mr/r$i/ctl" reg 4K
stop

# With the capabilities they need none, and the limit is raised.
RDMAFS_WRAP=${RDMAFS_WRAP#*sys_resource }
start
if [ -z "$RDMAFS_WRAP" ]; then
	want=60
	grep -q '^CapEff:.*[13579bdf]......$' "/proc/$(cat "$T/pid")/status" &&
	    want=$(cat /proc/sys/fs/nr_open)
	is "descriptors that it may have" "$(awk '/^Max open files/ { print $4 }' \
	    "/proc/$(cat "$T/pid")/limits")" "$want"
fi
if grep -q '^CapEff:.*[4567cdef]$' "/proc/$(cat "$T/pid")/status"; then
	make
	is "with CAP_DAC_READ_SEARCH there is none" "$i" 60
	printf hello | feed "$P/lab/mr/r59/data"
	is "and the last has its bytes" "$(head -c 5 "$P/lab/mr/r59/data")" hello
fi
finish
