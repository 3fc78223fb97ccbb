#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh tests/bench/run.sh [-b DIR] [-o OBJECTS] [PART...]: builds rdmafs, runs the
# benchmarks (floor team batch list data scale memory more), and prints a table of
# ratios and the FUSE messages that things need.  Installs the packages that it
# needs.  Wants a quiet machine; docs/performance.md says how to read it.
#
#	-b DIR		builds nothing: meson has built it there
#	-o OBJECTS	how many are many (1000000)
#	RDMAFS_BUILD	where to build (build): in bench/ there

set -eu
cd "$(dirname "$0")/../.."

objects=1000000
dir=
while getopts b:o: option; do
	case $option in
	b)	dir=$OPTARG ;;
	o)	objects=$OPTARG ;;
	*)	sed -n '4,12s/^# \{0,1\}//p' tests/bench/run.sh >&2
		exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- floor team batch list data scale memory more

# build: as README.md has it, in $dir
build() {
	dir=${RDMAFS_BUILD:-build}/bench
	mkdir -p "$dir"
	again=''
	[ ! -e "$dir/build.ninja" ] || again=--reconfigure
	{
		sh docs/packages.sh docs/packages tests/packages &&
		    meson setup $again "$dir" && meson compile -C "$dir"
	} >"$dir.log" 2>&1 && return
	tail -n 60 "$dir.log"
	exit 1
}

[ -n "$dir" ] || build
RDMAFS=$(realpath "$dir/fs/rdmafs")
export RDMAFS
bench=$dir/tests/bench

work=$(mktemp -d "${TMPDIR:-/tmp}/rdmafs-bench.XXXXXX")
pids=
# mount_one NAME FILE COMMAND...: mounts on $work/NAME, where FILE is to appear.
mount_one() {
	name=$1
	file=$2
	shift 2
	mkdir -p "$work/$name"
	"$@" "$work/$name" &
	pid=$!
	pids="$pids $pid"
	until [ -e "$work/$name/$file" ]; do
		kill -0 $pid
		sleep 0.1
	done
}

# Who asks and who answers have a processor each: otherwise the scheduler's
# choice, which lasts, is most of what is measured.
asks=
answers=
pin() {
	[ "$(nproc)" -ge 2 ] || return 0
	asks='taskset -c 0'
	answers='taskset -c 1'
}

# shellcheck disable=SC2086 # words
rdmafs() {
	mount_one "$1" soft0 $answers "$RDMAFS" -f --soft 1
}

unmount_all() {
	for pid in $pids; do
		kill "$pid"
		wait "$pid" || :
	done
	pids=
}

# shellcheck disable=SC2317 # called by the trap
clean_up() {
	unmount_all
	rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

machine() {
	sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | sed 1q
	echo "$(nproc) processors, $(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' \
	    /proc/meminfo) GiB, Linux $(uname -r)"
	echo "libfuse $(pkg-config --modversion fuse3)," \
	    "load before $(cut -d ' ' -f 1 /proc/loadavg), $(date +%F)"
}

# part NAME: in a daemon of its own, so that none sees another's objects
part() {
	case $1 in
	floor | team)
		[ "$1" = team ] || pin
		rdmafs m
		main=$pid
		# shellcheck disable=SC2086 # words
		mount_one null x $answers "$bench/null"
		$asks "$bench/bench" "$1" "$work/m" "$main" "$work/null" ;;
	scale)
		rdmafs few
		rdmafs m
		"$bench/bench" scale "$work/m" "$pid" "$work/few" "$objects" ;;
	more)
		printf '\ntests/bench/list.sh and mem.sh:\n'
		sh tests/bench/list.sh 100000
		sh tests/bench/mem.sh ;;
	*)
		[ "$1" != batch ] || pin
		rdmafs m
		$asks "$bench/bench" "$1" "$work/m" "$pid" '' "$objects" ;;
	esac
	unmount_all
	asks=
	answers=
}

begin=$(date +%s)
machine
printf '\n%-46s  %8s  %-20s  %-9s\n' 'what' 'ratio' 'half of them' 'goal'
for name; do
	part "$name"
done
printf '\n%d seconds\n' $(($(date +%s) - begin))
