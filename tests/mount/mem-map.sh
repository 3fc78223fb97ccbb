#!/bin/sh
# SPDX-License-Identifier: MIT
# What map takes and refuses; what is not there while nothing is mapped.
. "$(dirname "$0")/refuse.sh"

mkdir "$P/lab" "$P/lab/qp/q" "$P/lab/qp/q/mem/m"
m=$P/lab/qp/q/mem/m
for file in rkey addr length data; do
	fails ENODATA cat "$m/$file"
done
like "status" "$(cat "$m/status")" 'unmapped owner=*'
refused "$m/ctl" EINVAL 'ADDR is missing: map *' map 4
refused "$m/ctl" EINVAL 'RKEY is missing: *' 'map 0x1000 8'
refused "$m/ctl" EINVAL 'length is zero' 'map 0x1000 0 0x12' 11
refused "$m/ctl" EINVAL '*2^64*' 'map 0xffffffffffffff00 4K 0x12' 23
refused "$m/ctl" EINVAL '*' 'map 0x1000 8 0x123456789'
refused "$m/ctl" EINVAL '*' 'map 0x1000 8 0x12 9'
refused "$m/ctl" EINVAL 'unknown verb; there are: map*' 'unmap' 0
like "nothing is mapped" "$(cat "$m/status")" 'unmapped owner=*'

check "map" put "$m/ctl" map 0x1000 8K 0x1234abcd
like "status" "$(cat "$m/status")" 'mapped length=8192 owner=*'
is "rkey" "$(cat "$m/rkey")" 0x1234abcd
is "addr" "$(cat "$m/addr")" 0x0000000000001000
is "length" "$(cat "$m/length")" 8192
is "size" "$(stat -c %s "$m/data")" 8192
fails ENODATA cat "$m/data"
like "because" "$(cat "$m/error")" 'ENODATA: qp/q is not connected*'
like "it is mapped still" "$(cat "$m/status")" 'mapped *'
like "ctl has a comment" "$(head -n 1 "$m/ctl")" \
    "# a peer's memory, which cannot be repeated: map ADDR 8192 RKEY"
is "that has no key" "$(grep -c 1234abcd "$m/ctl")" 0
check "and so is taken" dd if="$m/ctl" of="$m/ctl" bs=64K conv=notrunc
check "map, while mapped" put "$m/ctl" map 4096 5 0xffffffff
is "is another" "$(cat "$m/length") $(cat "$m/rkey")" '5 0xffffffff'
check "mv" mv "$m" "$P/lab/qp/q/mem/n"
check "destroy" put "$P/lab/qp/q/mem/n/ctl" destroy
gone "$P/lab/qp/q/mem/n"
finish
