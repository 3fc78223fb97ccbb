#!/bin/sh
# SPDX-License-Identifier: MIT
# A peer's memory as a file: read and written with the usual tools, short at its
# end; nothing is past the end.
. "$(dirname "$0")/peers.sh"

peers
mkdir "$A/qp/q/mem/m"
m=$A/qp/q/mem/m
r=$B/mr/r
head -c 64K /dev/urandom >"$T/random"
feed "$r/data" <"$T/random"
put "$m/ctl" map "$(($(cat "$r/addr") + 100))" 10000 "$(cat "$r/rkey")"
is "its length" "$(cat "$m/length")" 10000
is "is the file's size" "$(stat -c %s "$m/data")" 10000
bytes "$T/random" 100 10000 >"$T/want"
check "cmp" cmp "$m/data" "$T/want"
check "cp" cp "$m/data" "$T/copy"
check "is the same" cmp "$T/copy" "$T/want"
check "dd, in pieces of 7" dd if="$m/data" of="$T/copy" bs=7
check "is the same" cmp "$T/copy" "$T/want"
is "the end is short" "$(bytes "$m/data" 9990 100 | cksum)" \
    "$(tail -c 10 "$T/want" | cksum)"
is "nothing is past it" "$(dd if="$m/data" bs=1 skip=10000 count=1 2>"$T/err" |
    wc -c)" 0
is "nor far past it" "$(bytes "$m/data" 1000000 10 | wc -c)" 0
is "xxd" "$(od -An -tx1 -j 16 -N 16 "$m/data")" \
    "$(od -An -tx1 -j 16 -N 16 "$T/want")"
like "each was an RDMA read" "$(last "$A/qp/q")" 'rdma_read success bytes=*'

# Writing: of all, in the middle, at the end.
head -c 10000 /dev/urandom >"$T/new"
cat "$T/new" >"$m/data"
report $? "cat >data"
is "wc" "$(last "$A/qp/q")" 'rdma_write success bytes=10000'
bytes "$r/data" 100 10000 >"$T/got"
check "is there" cmp "$T/got" "$T/new"
check "and nothing in front of it" \
    test "$(head -c 100 "$r/data" | cksum)" = "$(head -c 100 "$T/random" | cksum)"
check "or behind" test "$(tail -c +10101 "$r/data" | cksum)" = \
    "$(tail -c +10101 "$T/random" | cksum)"
printf abc | dd of="$m/data" bs=1 seek=500 conv=notrunc status=none
report $? "in the middle"
is "is there" "$(bytes "$r/data" 600 3)" abc
if command -v xxd >/dev/null; then
	echo '000001f4: 7878 78' | xxd -r - "$m/data"
	is "xxd -r" "$(bytes "$r/data" 599 5 | tail -c 4 | head -c 3)" xxx
fi
printf 0123456789 | dd of="$m/data" bs=1 seek=9990 conv=notrunc status=none
report $? "up to the end"
is "is there" "$(bytes "$r/data" 10090 10)" 0123456789
! printf x | dd of="$m/data" bs=1 seek=10000 conv=notrunc status=none 2>"$T/err"
report $? "not past it"
check "EFBIG" grep -q 'File too large$' "$T/err"
check "truncation to nothing does nothing" truncate -s 0 "$m/data"
check "nor to its length" truncate -s 10000 "$m/data"
fails EINVAL truncate -s 9999 "$m/data"
is "it is as it was" "$(bytes "$m/data" 9990 10)" 0123456789
is "all is well" "$(cat "$m/error" "$A/qp/q/state")" 'ok
rts'
finish
