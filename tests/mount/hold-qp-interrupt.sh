#!/bin/sh
# SPDX-License-Identifier: MIT
# A data command that has begun and is interrupted, or whose writer is killed,
# completes in the background, and wc tells; its later lines do not run.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/qp/q"
q=$P/lab/qp/q
r=$P/lab/mr/r
put "$r/ctl" reg 4K local_write remote_write
put "$r/data" 12345678
put "$q/ctl" connect "$(cat "$q/local")"
addr=$(cat "$r/addr")
key=$(cat "$r/rkey")

# a write to OFFSET, and another behind it
two() {
	printf 'write r 0 8 %s %s\nwrite r 0 4 %s %s' $((addr + $1)) "$key" \
	    $((addr + $1 + 8)) "$key"
}

fault hold qp_post
writes "$q/ctl" "$(two 100)" &
first=$!
fault held 1
kill -INT $first
wait $first
is "the first is interrupted: EINTR" $? 4
like "it goes on" "$(cat "$q/status")" 'rts * busy=write *'
writes "$q/ctl" "$(two 200)" &
second=$!
waits $second
kill -INT $second
wait $second
is "the second, which has not begun, too: EINTR" $? 4
fault release
until_true "wc tells of the first" grep -q '^1 .* rdma_write success bytes=8$' \
    "$q/wc"
# shellcheck disable=SC2016 # it is the inner shell's
until_true "and it is over" sh -c '! grep -q busy= "$1"' sh "$q/status"
is "nothing else was sent" "$(wc -l <"$q/wc")" 1
is "the bytes are there" "$(dd if="$r/data" bs=1 skip=100 count=8 status=none)" \
    12345678
is "and no others" "$(tail -c +109 "$r/data" | tr -d '\0')" ''

fault hold qp_post
writes "$q/ctl" "$(two 300)" &
first=$!
fault held 1
kill -KILL $first
ends $first
fault release
until_true "one that was killed is done, too" \
    grep -q '^2 .* rdma_write success bytes=8$' "$q/wc"
check "and another command goes" put "$q/ctl" write r 0 0 0 0
finish
