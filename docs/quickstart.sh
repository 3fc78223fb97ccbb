#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh docs/quickstart.sh [-k]: builds rdmafs, mounts it on /rdma, shows a session
# on soft0, which needs no hardware, and unmounts it; -k keeps it mounted.
# Installs the packages that it needs.

set -eu
cd "$(dirname "$0")/.."
keep=
[ "${1:-}" != -k ] || keep=yes

sh docs/packages.sh docs/packages
build=${RDMAFS_BUILD:-build}/quickstart
[ -e "$build/build.ninja" ] || meson setup "$build"
meson compile -C "$build" rdmafs rdmals

# Shows a command, then what it does.  One that begins with ! has to fail.
show() {
	printf '\n# %s\n' "${1#! }"
	eval "$1"
}

unmount() {
	cd /
	show "umount /rdma"
}

PATH=$PATH:$(cd "$build/fs" && pwd)
echo
echo "# rdmafs /rdma"
"$build/fs/rdmafs" /rdma
[ -n "$keep" ] || trap unmount EXIT

while IFS= read -r line; do
	show "$line"
done <<'END'
cd /rdma/soft0/pd
mkdir lab
mkdir lab/mr/buf
echo reg 64K local_write remote_read mw_bind > lab/mr/buf/ctl
echo hello > lab/mr/buf/data
cat lab/mr/buf/rights
mkdir lab/mw/w
echo bind buf 0 4K remote_write > lab/mw/w/ctl
cat lab/mw/w/rkey
rdmals
! rmdir lab/mr/buf
cat lab/mr/buf/error
key=$(cat lab/mw/w/rkey)
echo invalidate > lab/mw/w/ctl
exec 3<>../explain; echo key $key >&3; cat <&3; exec 3>&-
cat lab/mw/w/events
rmdir lab/mw/w lab/mr/buf lab
END

if [ -n "$keep" ]; then
	printf '\n/rdma stays mounted; umount /rdma ends it.\n'
else
	printf '\nTo keep it mounted: sh docs/quickstart.sh -k\n'
fi
