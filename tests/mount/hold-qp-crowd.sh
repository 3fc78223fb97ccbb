#!/bin/sh
# SPDX-License-Identifier: MIT
# 200 data commands that wait, each on its own queue pair, leave the mount
# responsive, and all can be killed; what had begun completes.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mr/r"
put "$P/lab/mr/r/ctl" reg 4K local_write remote_write
to="$(cat "$P/lab/mr/r/addr") $(cat "$P/lab/mr/r/rkey")"
i=0
while [ $i -lt 200 ]; do
	mkdir "$P/lab/qp/q$i"
	read -r peer <"$P/lab/qp/q$i/local"
	echo "connect $peer" >"$P/lab/qp/q$i/ctl"
	i=$((i + 1))
done
fault hold qp_post
crowd=
i=0
while [ $i -lt 200 ]; do
	sh -c 'echo "$2" >"$1"; exit 0' sh "$P/lab/qp/q$i/ctl" \
	    "write r 8 8 $to" 2>/dev/null &
	crowd="$crowd $!"
	i=$((i + 1))
done
fault held 200
like "status can be read" "$(timeout $soon cat "$P/lab/qp/q199/status")" \
    'rts * busy=write *'
check "a domain can be made" timeout $soon mkdir "$P/other"
check "with a region and a queue pair" \
    timeout $soon mkdir "$P/other/mr/a" "$P/other/qp/q"
check "which take commands" put "$P/other/mr/a/ctl" reg 4K
check "or connect" put "$P/other/qp/q/ctl" connect \
    "$(cat "$P/other/qp/q/local")"
check "and go" put "$P/other/ctl" destroy
check "the tree can be listed" timeout $((2 * soon)) ls -lR "$M"
# shellcheck disable=SC2086 # pids
kill -KILL $crowd
for pid in $crowd; do
	over "$pid" || ends "$pid" || break
done
is "none has completed" "$(cat "$P"/lab/qp/*/wc)" ''
fault release
# shellcheck disable=SC2016 # it is the inner shell's
until_true "all do, in the background" sh -c '
	[ "$(cat "$1"/lab/qp/*/wc | grep -c "rdma_write success bytes=8")" = 200 ]
	' sh "$P"
check "the domain goes" put "$P/lab/ctl" destroy
finish
