#!/bin/sh
# SPDX-License-Identifier: MIT
# A registration of 4 GiB that really takes its time: meanwhile other commands
# complete, and who asked for it can leave.
. "$(dirname "$0")/fault.sh"

available=$(awk '$1 == "MemAvailable:" { print int($2 / 1048576) }' \
    /proc/meminfo)
size=4
[ "$available" -ge 6 ] || size=2
[ "$available" -ge 3 ] || skip "$available GiB of memory are too few"
[ "$(cat "$D/attr/max_mr_size")" -ge $((size << 30)) ] ||
    skip "$DEV has no regions of $size GiB"
[ "$DEV" = soft0 ] || skip "kernels refuse $DEV so large a region"

mkdir "$P/lab" "$P/lab/mr/big" "$P/lab/mr/small"
writes "$P/lab/mr/big/ctl" "reg ${size}G local_write" &
big=$!
until_true "it begins" grep -q busy=reg "$P/lab/mr/big/status"
i=0
while [ $i -lt 100 ]; do
	echo "rights remote_read" >"$P/lab/mr/small/ctl" || break
	i=$((i + 1))
done
is "100 commands complete" $i 100
like "while it is under way" "$(cat "$P/lab/mr/big/status")" '* busy=reg *'
check "so does a small registration" put "$P/lab/mr/small/ctl" reg 64K
kill -INT $big
wait $big
is "its writer is interrupted" $? 4
like "and it goes on" "$(cat "$P/lab/mr/big/status")" '* busy=reg *'
until_true "it completes" grep -q ^active "$P/lab/mr/big/status"
is "whole" "$(cat "$P/lab/mr/big/length")" $((size << 30))
check "its end is as quick" put "$P/lab/mr/big/ctl" destroy
finish
