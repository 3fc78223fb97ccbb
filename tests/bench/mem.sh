#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh mem.sh [ROUNDS]: how fast a peer's memory is as a file.  Copies 256 MiB
# between mem/<name>/data of soft0 and a file on tmpfs with dd bs=1M, both
# ways, each time next to the same dd between two files on tmpfs, and prints
# the median of the ratios of their speeds: 1.00 is as fast as tmpfs.
# RDMAFS is the daemon, build/fs/rdmafs unless it is set.

scratch=/dev/shm
. "$(dirname "$0")/lib.sh"

rounds=${1:-15}
size=256
pd=$work/m/soft0/pd/bench
mkdir "$pd" "$pd/mr/far" "$pd/qp/near" "$pd/qp/far"
echo "reg ${size}M local_write remote_read remote_write" >"$pd/mr/far/ctl"
echo "connect $(cat "$pd/qp/far/local")" >"$pd/qp/near/ctl"
echo "connect $(cat "$pd/qp/near/local")" >"$pd/qp/far/ctl"
mkdir "$pd/qp/near/mem/far"
echo "map $(cat "$pd/mr/far/addr") ${size}M $(cat "$pd/mr/far/rkey")" \
    >"$pd/qp/near/mem/far/ctl"
data=$pd/qp/near/mem/far/data

# Both files have their pages, so that nothing is allocated while it counts.
head -c "${size}M" /dev/urandom >"$work/a"
cp "$work/a" "$work/b"

# copy FROM TO: nanoseconds.
copy() {
	begin=$(date +%s%N)
	dd if="$1" of="$2" bs=1M conv=notrunc status=none
	echo $(($(date +%s%N) - begin))
}

# ratios FROM TO: one a line, in an order that no drift favours.
ratios() {
	i=0
	while [ "$i" -lt "$rounds" ]; do
		if [ $((i % 2)) -eq 0 ]; then
			tmpfs=$(copy "$work/a" "$work/b")
			this=$(copy "$1" "$2")
		else
			this=$(copy "$1" "$2")
			tmpfs=$(copy "$work/a" "$work/b")
		fi
		echo "$tmpfs $this"
		i=$((i + 1))
	done | awk '{ printf "%.3f\n", $1 / $2 }' | sort -n
}

# Once each, so that everything is warm, and that the bytes are right.
dd if="$work/a" of="$data" bs=1M conv=notrunc status=none
cmp "$work/a" "$data"

median() {
	awk '{ v[NR] = $1 } END {
		printf "%s %.2f (of %d, %.2f to %.2f)\n", what,
		    v[int((NR + 1) / 2)], NR, v[1], v[NR]
	}' what="$1"
}

echo "dd bs=1M of $size MiB against the same between two tmpfs files:"
ratios "$data" "$work/b" | median "read "
ratios "$work/a" "$data" | median "write"
