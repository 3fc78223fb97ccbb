#!/bin/sh
# SPDX-License-Identifier: MIT
# data keeps its length and what was not overwritten: truncation to 0 or its
# length does nothing, >> is EFBIG, a write past the end is short or EFBIG.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
data=$P/lab/mr/r/data
put "$P/lab/mr/r/ctl" reg 6000
head -c 6000 /dev/zero >"$T/model"
same() {
	cmp "$data" "$T/model" >"$T/out" 2>&1
	report $? "$1" || show "$T/out"
}

same "it starts as zeros"
echo hello >"$data"
printf 'hello\n' | dd of="$T/model" conv=notrunc status=none
same "echo overwrites its own bytes only"
check "truncate -s 0" truncate -s 0 "$data"
check "truncate to its length" truncate -s 6000 "$data"
same "does nothing"
fails EINVAL truncate -s 100 "$data"
fails EINVAL truncate -s 6001 "$data"
printf tail | dd of="$data" bs=1 seek=4000 conv=notrunc status=none
printf tail | dd of="$T/model" bs=1 seek=4000 conv=notrunc status=none
same "dd seek writes in the middle"
fails EFBIG dd if=/dev/zero of="$data" oflag=append conv=notrunc count=1 \
    status=none
fails EFBIG dd if=/dev/zero of="$data" bs=6000 seek=1 count=1 conv=notrunc \
    status=none
same "a write at the end is refused"
seq 2000 | head -c 6000 >"$T/model"
check "cp of its length" cp "$T/model" "$data"
same "fills it"
seq 5000 >"$T/large"
fails EFBIG cp "$T/large" "$data"
head -c 6000 "$T/large" >"$T/model"
same "a longer one is cut at the end, and cp says so"
echo short | cat >"$data"
report $? "cat of a short file"
printf 'short\n' | dd of="$T/model" conv=notrunc status=none
same "leaves the rest"
is "the length stays" "$(stat -c %s "$data")" 6000
is "its end is an end" "$(tail -c 5 "$data")" "$(tail -c 5 "$T/model")"
is "a read behind it has nothing" \
    "$(dd if="$data" bs=6000 skip=2 status=none 2>&1 | wc -c)" 0
finish
