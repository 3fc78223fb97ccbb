#!/bin/sh
# SPDX-License-Identifier: MIT
# A mapping of more than one read or write carries: 5 MiB both ways, in writes
# of 1 MiB and more, and one whose end is not open.
. "$(dirname "$0")/peers.sh"

peers
mkdir "$A/qp/q/mem/m" "$B/mr/big" "$B/mw/w"
m=$A/qp/q/mem/m
put "$B/mr/big/ctl" reg 5M "$all"
head -c 5M /dev/urandom >"$T/random"
put "$m/ctl" map "$(cat "$B/mr/big/addr")" 5M "$(cat "$B/mr/big/rkey")"
check "written, 1 MiB at a time" dd if="$T/random" of="$m/data" bs=1M \
    conv=notrunc
check "is there" cmp "$T/random" "$B/mr/big/data"
check "read, 1 MiB at a time" dd if="$m/data" of="$T/copy" bs=1M
check "is the same" cmp "$T/random" "$T/copy"
cat "$m/data" >"$T/copy"
report $? "read by cat"
check "is the same" cmp "$T/random" "$T/copy"
tr 'a-y' 'b-z' <"$T/random" >"$T/other"
check "in one write" dd if="$T/other" of="$m/data" bs=5M iflag=fullblock \
    conv=notrunc
check "is there" cmp "$T/other" "$B/mr/big/data"
check "wc keeps the last 64" test "$(wc -l <"$A/qp/q/wc")" -le 64
like "in order" "$(cut -d ' ' -f 1 "$A/qp/q/wc" | sort -nc && echo yes)" yes

# D1: soft-RoCE does not look at a window's range.
[ "$DEV" = soft0 ] || finish
put "$B/mw/w/ctl" bind big 0 1536K remote_write remote_read
put "$m/ctl" map "$(cat "$B/mw/w/addr")" 5M "$(cat "$B/mw/w/rkey")"
check "what is open" dd if="$m/data" of="$T/copy" bs=1M count=1
fails EACCES dd if="$m/data" of="$T/copy" bs=1M skip=1 status=none
like "and then it is dead" "$(cat "$m/status")" 'dead *'
finish
