#!/bin/sh
# SPDX-License-Identifier: MIT
# 200 commands that wait leave the mount responsive, and all can be killed.
. "$(dirname "$0")/fault.sh"

hold_reg
# One region each: the device holds them all.
crowd=
i=0
while [ $i -lt 100 ]; do
	mkdir "$P/lab/mr/m$i"
	sh -c 'echo reg 4K >"$1"; exit 0' sh "$P/lab/mr/m$i/ctl" 2>/dev/null &
	crowd="$crowd $!"
	sh -c 'echo rights none >"$1"; exit 0' sh "$P/lab/mr/held/ctl" \
	    2>/dev/null &
	crowd="$crowd $!"
	i=$((i + 1))
done
for pid in $crowd; do
	until waiting "$pid"; do
		sleep 0.05
	done
done
check "status can be read" timeout $soon cat "$P/lab/mr/m99/status"
check "a domain can be made" timeout $soon mkdir "$P/other"
check "a region in it" timeout $soon mkdir "$P/other/mr/a" "$P/other/mw/w"
check "which takes commands" put "$P/other/mr/a/ctl" rights none
check "the domain goes" put "$P/other/ctl" destroy
check "the tree can be listed" timeout $((2 * soon)) ls -lR "$M"
# shellcheck disable=SC2086 # pids
kill -KILL $crowd
for pid in $crowd; do
	over "$pid" || ends "$pid" || break
done
fault release
wait "$writer"
is "the first ends well" $? 0
until_true "and those that had begun, in the background" \
    grep -q ^active "$P/lab/mr/m99/status"
finish
