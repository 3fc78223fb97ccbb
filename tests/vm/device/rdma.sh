# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# lib.sh for what only a real device can show: what the kernel says of its
# objects, beside what the mount says.  See rdma-resource(8).

[ -d "/sys/class/infiniband/${RDMAFS_TEST_DEV:=rxe0}" ] ||
    { echo "SKIP: no $RDMAFS_TEST_DEV"; exit 77; }

# How many of each kind the device has.  Some are the kernel's own.
counts() {
	rdma resource show "$RDMAFS_TEST_DEV"
}

# shellcheck disable=SC2034 # for the scripts
idle=$(counts)
. "$(dirname "$0")/../../mount/lib.sh"

# kernel_says KIND WORD: what stands behind WORD for each of the daemon's
# objects, sorted
kernel_says() {
	rdma -d resource show "$1" | awk -v word="$2" '/ comm rdmafs/ {
		for (i = 1; i < NF; i++)
			if ($i == word)
				print $(i + 1)
	}' | sort
}

# How many objects stand in the daemon's domains, windows among them: the
# kernel shows these nowhere else.
users() {
	kernel_says pd users | awk '{ n += $1 } END { print n + 0 }'
}

# The daemon's pinned memory in KiB
pinned() {
	awk '$1 == "VmPin:" { print $2 }' "/proc/$daemon/status"
}

# fill NAME: a domain with two regions and four windows
fill() {
	mkdir "$P/$1" "$P/$1/mr/a" "$P/$1/mr/b" &&
	    put "$P/$1/mr/a/ctl" reg 64K local_write remote_read mw_bind &&
	    put "$P/$1/mr/b/ctl" reg 8K || return
	for w in 1 2 3 4; do
		mkdir "$P/$1/mw/$w" &&
		    put "$P/$1/mw/$w/ctl" bind a "$((w * 4))K" 4K remote_read ||
		    return
	done
}
