#!/bin/sh
# SPDX-License-Identifier: MIT
# 20 writers wait on one queue pair's ctl, however they opened it; each can be
# killed or interrupted, and the others have their turn.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/qp/q"
q=$P/lab/qp/q
put "$P/lab/mr/r/ctl" reg 4K local_write remote_write
put "$q/ctl" connect "$(cat "$q/local")"
to="$(cat "$P/lab/mr/r/addr") $(cat "$P/lab/mr/r/rkey")"
fault hold qp_post
put "$q/ctl" "write r 0 1 $to" &
first=$!
fault held 1

killed=
for _ in $(seq 8); do
	sh -c 'echo "$2" >"$1"' sh "$q/ctl" "write r 0 2 $to" 2>/dev/null &
	killed="$killed $!"
	sh -c 'echo "$2" >>"$1"' sh "$q/ctl" "write r 0 2 $to" 2>/dev/null &
	killed="$killed $!"
done
writes "$q/ctl" "write r 0 3 $to" &
third=$!
writes "$q/ctl" "write r 0 3 $to" &
fourth=$!
writes "$q/ctl" "write r 0 4 $to" &
fifth=$!
for pid in $killed $third $fourth $fifth; do
	waits "$pid"
done
like "it can be looked at" "$(timeout $soon cat "$q/status")" '* busy=write *'
kill -INT $third $fourth
wait $third
third=$?
wait $fourth
is "interrupted: EINTR" "$third $?" '4 4'
# shellcheck disable=SC2086 # pids
kill -KILL $killed
for pid in $killed; do
	ends "$pid"
done
fault release
wait $first
is "the first ends well" $? 0
wait $fifth
is "and the one that waited on" $? 0
is "no other was sent" "$(cut -d ' ' -f 3- "$q/wc")" 'rdma_write success bytes=1
rdma_write success bytes=4'
finish
