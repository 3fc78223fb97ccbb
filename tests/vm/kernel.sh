#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh kernel.sh RELEASE: print the directory that holds a Debian kernel of
# this release (`vmlinux`) and what it needs to get at its root and at
# soft-RoCE (`initrd`: busybox, and the modules in the order to load them),
# making it first if the cache lacks it.  It does not know how the kernel is
# run; boot.sh adds the init script.
#
# The cache is ${RDMAFS_VM_CACHE:-~/.cache/rdmafs-vm}; it may be removed at
# any time when no guest is about to start, and nothing else removes old
# kernels from it.

set -eu

# virtio_pci, 9p and overlay make the root; the rest is what is tested.
# crc32_generic: without it `rdma link add` on 6.1 says "No such file or
# directory", and no dependency tells of it.
modules='virtio_pci 9pnet_virtio 9p overlay virtio_net fuse veth crc32_generic
	udp_tunnel ip6_udp_tunnel rdma_rxe ib_uverbs rdma_ucm'

die() {
	echo "kernel.sh: $*" >&2
	exit 1
}

release=${1-}
case $release in
6.1)	suite=bookworm ;;
6.12)	suite=bookworm-backports ;;
7.3)	suite=trixie-backports ;;
*)	echo "usage: kernel.sh 6.1|6.12|7.3" >&2; exit 2 ;;
esac
PATH=$PATH:/usr/sbin:/sbin	# depmod and modprobe, which need no rights here

id=$(cksum <"$0")	# a change to this file makes new entries
id=${id%% *}
cache=${RDMAFS_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rdmafs-vm}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd -P)

work=
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# One at a time: the second of two finds what the first has made.
exec 9>"$cache/lock"
flock 9
work=$(mktemp -d "$cache/tmp.XXXXXX")

# An image of docker's may have switched apt's index off, 0.7 s on each call.
apt() {
	program=apt-$1
	shift
	if [ -d "$work/sources" ]; then
		set -- -o Dir::Etc::sourcelist=/dev/null \
		    -o "Dir::Etc::sourceparts=$work/sources" \
		    -o "Dir::State::lists=$lists" "$@"
	fi
	DEBIAN_FRONTEND=noninteractive "$program" -q \
	    -o APT::Sandbox::User=root \
	    -o "Dir::Cache::pkgcache=$lists.index" "$@"
}

# The system's own apt sources with another suite's name in them: which
# mirror to use is the system's business.
use_suite() {
	mkdir -p "$lists/partial" "$work/sources"
	cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
	    awk -v from="$1" -v to="$2" '
		BEGIN { RS = ""; ORS = "\n\n" }
		$0 ~ "(^|\n)Suites:([^\n]* )?" from "( |\n|$)" {
			sub(/Suites:[^\n]*/, "Suites: " to)
			print
		}' >"$work/sources/a.sources"
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
	    awk -v from="$1" -v to="$2" '
		$1 == "deb" && sub(" " from " ", " " to " ")
		' >"$work/sources/b.list"
}

# linux-image-amd64 stands for the suite's kernel and has its version.
find_version() {
	version=$(apt cache show --no-all-versions linux-image-amd64 \
	    2>/dev/null | sed -n 's/^Version: //p')
	[ -n "$version" ]
}

# The kernel is one package, or in newer suites several.
download() {
	apt cache depends --recurse --important linux-image-amd64 |
	    grep -E '^linux-(image|binary|modules)-[0-9]' |
	    sort -u >"$work/packages"
	# shellcheck disable=SC2046 # a list of names
	(cd "$work" && rm -f ./*.deb && apt get download $(cat packages) >&2)
}

unpack() {
	for deb in "$work"/*.deb; do
		dpkg-deb -x "$deb" "$work/root"
		rm "$deb"
	done
	# Suites with a merged /usr ship modules below usr/lib; depmod wants lib.
	[ -d "$work/root/lib" ] || ln -s usr/lib "$work/root/lib"
	uname=$(ls "$work/root/lib/modules")
	# It warns of lists that some kernels do not bring.
	depmod -b "$work/root" "$uname" 2>/dev/null
}

# number OFFSET TYPE: a field of the boot image's header.
number() {
	od -An -j "$1" -N "${2#u}" -t "$2" "$image"
}

# The kernel as an ELF file: emulated, unpacking itself costs it 4 of 10 s.
# The fields are setup_sects, payload_offset and payload_length of the
# kernel's Documentation/arch/x86/boot.rst; a payload's last 4 bytes are its
# unpacked size.
make_vmlinux() {
	image=$(find "$work/root/" -name 'vmlinuz*' -type f)
	start=$((($(number 0x1f1 u1) + 1) * 512 + $(number 0x248 u4)))
	tail -c +$((start + 1)) "$image" |
	    head -c $(($(number 0x24c u4) - 4)) >"$work/payload"
	xz -dc "$work/payload" 2>/dev/null || zstd -dc "$work/payload"
}

# Prints the files of a module and of all that it needs, in loading order.
# What is not there as a file is part of the kernel, or not in this release.
module_files() {
	modprobe -C /dev/null -d "$work/root" -S "$uname" --show-depends "$1" \
	    2>/dev/null | sed -n 's/^insmod \([^ ]*\).*/\1/p'
}

make_initrd() {
	tree=$work/initrd.d
	mkdir -p "$tree/bin" "$tree/modules" "$tree/proc" "$tree/sys" \
	    "$tree/dev" "$tree/lower" "$tree/upper" "$tree/root" "$tree/job"
	cp "$(command -v busybox)" "$tree/bin/busybox"

	for module in $modules; do
		module_files "$module"
	done >"$work/files"
	n=100
	awk '!seen[$0]++' "$work/files" | while read -r file; do
		name=${file##*/}
		cp "$file" "$tree/modules/$n-$name"
		case $name in
		*.xz)	xz -d "$tree/modules/$n-$name" ;;
		esac
		n=$((n + 1))
	done
	# Not compressed: emulated, unpacking costs more than it spares.
	(cd "$tree" && find . | cpio -o -H newc -R 0:0 --quiet)
}

lists=$cache/apt-$suite
# shellcheck disable=SC1091
own_suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
[ "$suite" = "$own_suite" ] || use_suite "$own_suite" "$suite"

find_version || { apt get update >&2 && find_version; } ||
    die "no package linux-image-amd64 in $suite"
case $version in
"$release".*) ;;
*)	die "the kernel of $suite is $version, not $release" ;;
esac

if ! [ -d "$cache/linux-$version-$id" ]; then
	echo "kernel.sh: fetching $version" >&2
	# What an old list names may be gone from the mirror.
	download || { apt get update >&2 && find_version && download; } ||
	    die "cannot download the kernel"
	unpack
	mkdir "$work/entry"
	make_vmlinux >"$work/entry/vmlinux"
	make_initrd >"$work/entry/initrd"
	mv "$work/entry" "$cache/linux-$version-$id"
fi
echo "$cache/linux-$version-$id"
