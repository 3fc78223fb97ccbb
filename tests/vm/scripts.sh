#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh scripts.sh [-j JOBS] [-t SECONDS] SCRIPT...: runs test scripts on rxe0, in
# one guest of boot.sh.  Prints TAP with a line for each script, and the output
# of those that failed.  The scripts are like those of tests/mount: 77 means
# that one was skipped, a line "SKIP: ..." says why.
#
#	-j JOBS			so many at a time (1)
#	-t SECONDS		the guest's time limit (300)
#	RDMAFS, RDMALS, RDMAFS_...	the programs that the scripts are about
#	RDMAFS_VM_KERNEL	the guest's kernel (6.1)

set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
jobs=1
limit=300
mode=host
while getopts GSj:t: option; do
	case $option in
	G)	mode=guest ;;	# in the guest: all scripts
	S)	mode=script ;;	# in the guest: one of them
	j)	jobs=$OPTARG ;;
	t)	limit=$OPTARG ;;
	*)	sed -n '4,12s/^# \{0,1\}//p' "$0" >&2
		exit 2 ;;
	esac
done
shift $((OPTIND - 1))

# Emulated, a script takes up to ten times as long as on the host.
run_guest() {
	: "${RDMAFS:?the path of the daemon}"
	export RDMAFS_TEST_DEV=rxe0
	export RDMAFS_OPTS='--soft 0'
	export RDMAFS_TIME_LIMIT=600
	# What is below /tmp a guest sees only if boot.sh is called from there.
	for path in "$here" "$RDMAFS"; do
		case $path in
		/tmp/*)	cd "${path%/*}" ;;
		esac
	done
	status=0
	sh "$here/boot.sh" -k "${RDMAFS_VM_KERNEL:-6.1}" -t "$limit" \
	    ${RDMAFS_RESULTS:+-r "$RDMAFS_RESULTS"} -- \
	    env "RDMAFS=$RDMAFS" "RDMALS=${RDMALS:-}" \
	    "RDMAFS_TRUTH=${RDMAFS_TRUTH:-}" sh "$here/scripts.sh" -G -j "$jobs" "$@" || status=$?
	if [ $status -eq 77 ]; then
		echo "1..0 # SKIP no guest: its packages or kernel are missing"
		exit 0
	fi
	exit $status
}

run_all() {
	echo "1..$#"
	RDMAFS_LOGS=$(mktemp -d)
	export RDMAFS_LOGS
	printf '%s\n' "$@" | xargs -n 1 -P "$jobs" -- sh "$0" -S
	[ ! -e "$RDMAFS_LOGS/failed" ]
}

# The lines of one script, not mixed with those of another.
run_script() {
	name=${1##*/}
	name=${name%.sh}
	log=$RDMAFS_LOGS/$name
	status=0
	begin=$(date +%s)
	sh "$1" >"$log.out" 2>&1 || status=$?
	case $status in
	0)	echo "ok - $name" ;;
	77)	echo "ok - $name # SKIP $(sed -n 's/^SKIP: *//p' "$log.out")" ;;
	*)	echo "not ok - $name"
		tail -n 500 "$log.out" | sed 's/^/# /'
		echo "# $name: status $status"
		: >"$RDMAFS_LOGS/failed" ;;
	esac >"$log.tap"
	echo "# $name: $(($(date +%s) - begin)) seconds" >>"$log.tap"
	flock "$RDMAFS_LOGS" cat "$log.tap"
}

case $mode in
host)	run_guest "$@" ;;
guest)	run_all "$@" ;;
script)	run_script "$@" ;;
esac
