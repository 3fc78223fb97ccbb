#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Run a command on a machine that has an RDMA device: a Debian kernel under
# QEMU, the host's files as its root (changes to them die with it), soft-RoCE
# as rxe0 with 10.99.0.1.  Needs no rights and no /dev/kvm.
#
# Two guests are two hosts of a network if one is started with -n listen:PORT
# and, when that port of 127.0.0.1 listens, the other with -n connect:PORT and
# another address: hosts.sh does it.  Nothing else is on that network.
#
# The command runs as root, in the directory where boot.sh was called, with
# the RDMAFS_* variables of the environment and, unless that directory is in
# /tmp, a /tmp of its own.  Its output and exit status become boot.sh's.
# What it leaves running is killed.  Exit status 99: the guest died or the
# time was up; 77: packages or the kernel cannot be had (1 with
# RDMAFS_VM_REQUIRED=1); 2: wrong usage.

set -eu

usage() {
	cat >&2 <<-END
	usage: boot.sh [-a ADDRESS] [-k RELEASE] [-m MEGABYTES]
	               [-n listen:PORT|connect:PORT] [-r RESULTDIR]
	               [-t SECONDS] -- COMMAND [ARG...]
	  -a  the guest's IPv4 address, 10.99.0.1
	  -k  kernel: 6.1 (default), 6.12 or 7.3
	  -m  the guest's memory, 2048
	  -n  one of two guests, with one CPU and a network card that is joined
	      to the other's; rxe0 is on that card
	  -r  a directory that the guest can write, there at the same path, which
	      is also in \$RDMAFS_RESULTS; the kernel's log goes there too, with
	      -n as kernel-ADDRESS.log, so that two guests can have one directory
	  -t  time limit, 300
	END
	exit 2
}

here=$(cd "$(dirname "$0")" && pwd -P)
address=10.99.0.1
release=6.1
memory=2048
network=
cpus=2
tries='1 2 3'
results=
limit=300
while getopts a:k:m:n:r:t: option; do
	case $option in
	a)	address=$OPTARG ;;
	k)	release=$OPTARG ;;
	m)	memory=$OPTARG ;;
	n)	network=$OPTARG ;;
	r)	results=$OPTARG ;;
	t)	limit=$OPTARG ;;
	*)	usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
case $limit$memory in
*[!0-9]*) usage ;;
esac
case $address in
*[!0-9.]*) usage ;;
esac
# qemu's listener takes a new peer, but the one that connects does not try
# again: who started both has to start both anew.
case $network in
'')	;;
listen:*[!0-9]*|connect:*[!0-9]*) usage ;;
listen:?*|connect:?*) cpus=1 tries=1 ;;
*)	usage ;;
esac

say() {
	echo "boot.sh: $*" >&2
}

# Nothing to run on: the tests are skipped, or where they must run have failed.
lack() {
	say "missing: $*"
	[ "${RDMAFS_VM_REQUIRED:-0}" = 1 ] && exit 1
	exit 77
}

missing=$(while read -r package; do
	dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null |
	    grep -q '^ii' || echo "$package"
done <"$here/packages")
# shellcheck disable=SC2086 # in one line
[ -z "$missing" ] || lack packages $missing

job=''
qemu=''
tail=''
# shellcheck disable=SC2317 # called by the trap
clean_up() {
	[ -z "$qemu" ] || kill "$qemu" || :
	[ -z "$qemu" ] || wait "$qemu" || :
	[ -z "$tail" ] || wait "$tail" || :
	rm -rf "$job"
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

kernel=$(sh "$here/kernel.sh" "$release") || {
	[ $? -ne 2 ] || exit 2
	lack kernel "$release"
}
job=$(mktemp -d "${TMPDIR:-/tmp}/rdmafs-vm.XXXXXX")
log=$job/kernel.log
if [ -n "$results" ]; then
	mkdir -p "$results"
	results=$(cd "$results" && pwd -P)
	log=$results/kernel${network:+-$address}.log
fi

quote() {
	printf '%s\n' "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"
}

directory=$(pwd -P)
case $directory in
/tmp/*)	tmp= ;;		# a tmpfs there would hide it
*)	tmp=yes ;;
esac
cat >"$job/conf" <<END
tmp=$tmp
address=$address
network=$network
results=$(quote "$results")
END

{
	cat <<-END
	export HOME=/root
	export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	END
	awk 'BEGIN {
		for (name in ENVIRON)
			if (name ~ /^RDMAFS_[A-Za-z0-9_]*$/)
				print name
	}' | while read -r name; do
		printf 'export %s=%s\n' "$name" "$(quote "$(printenv "$name")")"
	done
	[ -z "$results" ] ||
	    printf 'export RDMAFS_RESULTS=%s\n' "$(quote "$results")"
	printf 'cd %s || exit\nexec' "$(quote "$directory")"
	for word; do
		printf ' %s' "$(quote "$word")"
	done
	echo
} >"$job/command"

# The kernel unpacks archives that follow one another.
cat "$kernel/initrd" >"$job/initrd"
(cd "$here" && echo init | cpio -o -H newc --quiet) >>"$job/initrd"

# In qemu's options a comma in a value is written twice.
share() {
	path=$(printf '%s\n' "$2" | sed 's/,/,,/g')
	echo "local,id=$1,path=$path,security_model=none,$3"
}

# The address of the network card: as different as the guests' addresses.
mac() {
	echo "$address" |
	    awk -F . '{ printf "52:54:%02x:%02x:%02x:%02x", $1, $2, $3, $4 }'
}

# timeout, so that qemu goes in any case, even after a kill -9 of this script.
run_qemu() {
	set -- -accel tcg -cpu max -smp "$cpus" -m "$memory" -machine q35 \
	    -nodefaults -display none -no-reboot -serial "file:$log" \
	    -kernel "$kernel/vmlinux" -initrd "$job/initrd" \
	    -append 'console=ttyS0 panic=-1 oops=panic rdinit=/bin/busybox -- sh /init' \
	    -fsdev "$(share root / readonly=on,multidevs=remap)" \
	    -device virtio-9p-pci,fsdev=root,mount_tag=root \
	    -fsdev "$(share job "$job" multidevs=remap)" \
	    -device virtio-9p-pci,fsdev=job,mount_tag=job
	[ -z "$results" ] || set -- "$@" \
	    -fsdev "$(share results "$results" multidevs=remap)" \
	    -device virtio-9p-pci,fsdev=results,mount_tag=results
	# romfile: or the firmware would offer to boot from the network.
	[ -z "$network" ] || set -- "$@" \
	    -netdev "socket,id=card,${network%%:*}=127.0.0.1:${network#*:}" \
	    -device "virtio-net-pci,netdev=card,romfile=,mac=$(mac)"
	: >"$log"
	: >"$job/out"
	echo $(($(date +%s) + limit)) >"$job/deadline"
	timeout -k 5 "$limit" qemu-system-x86_64 "$@" </dev/null &
	qemu=$!
	tail -s 0.1 -n +1 -f --pid="$qemu" "$job/out" &
	tail=$!
	status=0
	wait "$qemu" || status=$?
	qemu=
	wait "$tail" || :	# may have lost its reader
	tail=
}

# Now and then a kernel dies while it boots; a command is never run twice.
for try in $tries; do
	run_qemu
	[ -e "$job/started" ] && break
	[ "$status" -eq 124 ] && break
	say "the guest died before the command ran (try $try)"
done

if [ -s "$job/status" ]; then
	exit "$(cat "$job/status")"
fi

if [ "$status" -eq 124 ]; then
	say "no end within $limit seconds"
else
	say "the guest died"
fi
if [ -z "$results" ]; then
	log=$(mktemp "${TMPDIR:-/tmp}/rdmafs-vm-kernel-log.XXXXXX")
	mv "$job/kernel.log" "$log"
fi
say "the last lines of $log:"
tail -n 100 "$log" | tr -d '\r' >&2
exit 99
