# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# The frame of a benchmark that mounts: a daemon with soft0 alone on $work/m, and
# $work, which is in $scratch.  RDMAFS is the daemon, build/fs/rdmafs unless it
# is set.

set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
daemon=${RDMAFS:-$here/../../build/fs/rdmafs}
work=$(mktemp -d "${scratch:-${TMPDIR:-/tmp}}/rdmafs-bench.XXXXXX")
pid=
# shellcheck disable=SC2317 # called by the trap
clean_up() {
	if [ -n "$pid" ]; then
		kill "$pid"
		wait "$pid" || :
	fi
	rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

mkdir "$work/m"
"$daemon" -f --soft 1 "$work/m" &
pid=$!
until [ -e "$work/m/soft0" ]; do
	kill -0 "$pid"
	sleep 0.1
done
