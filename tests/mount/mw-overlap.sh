#!/bin/sh
# SPDX-License-Identifier: MIT
# Windows may lie in one region, overlap, and have different rights: each
# stands for itself (W4).
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/a" "$P/lab/mw/b" "$P/lab/mw/c"
cd "$P/lab" || exit
put mr/r/ctl reg 64K local_write mw_bind
check "one that reads" put mw/a/ctl bind r 0 8K remote_read
check "one that writes" put mw/b/ctl bind r 4K 8K remote_write
check "one of all" put mw/c/ctl bind r remote_read,remote_write,remote_atomic
is "their rights" "$(cat mw/*/rights | tr '\n' ';')" \
    "remote_read;remote_write;remote_read remote_write remote_atomic;"
is "each key is its own" "$(sort -u mw/*/rkey | wc -l)" 3
is "all stand in windows" "$(sed 's/ .*//' mr/r/windows | tr '\n' ' ')" \
    "mw/a mw/b mw/c "
is "the region needs no remote right" "$(cat mr/r/rights)" \
    "local_read local_write mw_bind"
keys=$(cat mw/b/rkey mw/c/rkey)
put mw/a/ctl invalidate
is "one's end leaves the others" "$(cat mw/b/rkey mw/c/rkey)" "$keys"
put mw/b/rights remote_read
is "one's change leaves the rest" "$(cat mw/c/rights) $(cat mw/c/rkey)" \
    "remote_read remote_write remote_atomic $(echo "$keys" | tail -n 1)"
fails EBUSY rmdir mr/r
says mr/r/error "EBUSY: 2 windows are bound to this region: mw/b mw/c"
cd /
finish
