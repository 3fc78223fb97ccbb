#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh vm.sh [-k KERNEL] [ROUNDS]: what each verb costs on soft-RoCE, in a guest of
# tests/vm/boot.sh, by a program in C, in pyverbs and through rdmafs; see
# vm/compare.py.  15 rounds take three minutes.
#
#	-k KERNEL	the guest's: 6.1 (default), 6.12 or 7.3
#	RDMAFS_BUILD	what has been built (build)

set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
kernel=6.1
while getopts k: option; do
	case $option in
	k)	kernel=$OPTARG ;;
	*)	sed -n '4,9s/^# \{0,1\}//p' "$0" >&2
		exit 2 ;;
	esac
done
shift $((OPTIND - 1))
build=$(cd "${RDMAFS_BUILD:-$here/../../build}" && pwd -P)

# What is below /tmp a guest sees only if boot.sh is called from there.
cd "$build"
exec sh "$here/../vm/boot.sh" -k "$kernel" -- /usr/bin/python3 -u \
    "$here/vm/compare.py" "$build/fs/rdmafs" \
    "$build/tests/bench/vm/bench_verbs" "$build/tests/bench/vm/bench_keep" \
    "${1:-15}"
