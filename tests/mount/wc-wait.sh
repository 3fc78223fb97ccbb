#!/bin/sh
# SPDX-License-Identifier: MIT
# wc opened read-write starts at now and waits: each of two readers sees each
# line, in any shell; at the queue pair's end they end.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/qp/q"
q=$P/lab/qp/q
put "$P/lab/mr/r/ctl" reg 4K local_write
put "$q/ctl" connect "$(cat "$q/local")"
put "$q/ctl" write r 0 0 0 0
cat <>"$q/wc" >"$T/one" &
one=$!
cat <>"$q/wc" >"$T/two" &
two=$!
waits $one
waits $two
put "$q/ctl" write r 0 0 0 0
put "$q/ctl" read r 0 0 0 0
for who in one two; do
	until_true "reader $who has both" grep -q rdma_read "$T/$who"
	is "of now on" "$(cut -d ' ' -f 1,3- "$T/$who")" '2 rdma_write success bytes=0
3 rdma_read success bytes=0'
done

for shell in sh bash dash 'busybox sh'; do
	command -v "${shell%% *}" >/dev/null || continue
	# shellcheck disable=SC2086,SC2016 # words; it is the shell's
	$shell -c 'read -r n line <>"$1/wc"; echo "$n"' sh "$q" >"$T/line" &
	reader=$!
	waits $reader
	put "$q/ctl" write r 0 0 0 0
	wait $reader
	is "$shell reads a line" "$(cat "$T/line")" \
	    "$(sed -n '$s/ .*//p' "$q/wc")"
done

# Two lines of one descriptor, one by one.
exec 3<>"$q/wc"
lines "$q/ctl" 'write r 0 0 0 0\nread r 0 0 0 0\n'
read -r line <&3
like "the first" "$line" '* rdma_write success bytes=0'
read -r line <&3
like "and the second" "$line" '* rdma_read success bytes=0'
exec 3<&-

check "the queue pair goes" put "$q/ctl" destroy
for pid in $one $two; do
	ends "$pid"
done
wait $one
one=$?
wait $two
is "the readers' end is well" "$one $?" '0 0'
finish
