#!/bin/sh
# SPDX-License-Identifier: MIT
# Writers in several domains and in one, at once: each bind has its own answer.
. "$(dirname "$0")/rdma.sh"

# work DOMAIN WINDOW: 100 times bound, each fifth time refused
work() {
	exec 3<>"$P/$1/mw/$2/ctl"
	wrong=0
	for i in $(seq 100); do
		if [ $((i % 5)) -eq 0 ]; then
			! echo bind b 0 4K remote_read >&3 || wrong=1
		else
			echo bind a "$((i % 16 * 4))K" 4K remote_read >&3 ||
			    wrong=1
		fi
	done 2>/dev/null
	return $wrong
}

fill lab
fill lab2
pids=
for w in 1 2 3 4; do
	work lab $w &
	pids="$pids $!"
done
work lab2 1 &
pids="$pids $!"
mkdir "$P/lab3"
for pid in $pids; do
	wait "$pid"
	report $? "a writer has had the right answers"
done
is "each is bound where it was last" "$(grep -c ' mw bound .* offset=12288 ' \
    "$D/list")" 6
is "and have keys of their own" \
    "$(cat "$P"/lab*/mw/*/rkey | sort -u | wc -l)" 8
finish
