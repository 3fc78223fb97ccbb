#!/bin/sh
# SPDX-License-Identifier: MIT
# An unreliable connection: writes and sends only, and what the target refuses
# is dropped there while the requester sees success (A6).
. "$(dirname "$0")/peers.sh"

type=uc
peers
a=$A/qp/q
b=$B/qp/q
like "status" "$(cat "$a/status")" 'rts type=uc *'
put "$A/mr/r/data" uc-data
check "a write" put "$a/ctl" write r 0 7 "$(at "$B/mr/r")"
# shellcheck disable=SC2317 # it is called
landed() {
	[ "$(bytes "$B/mr/r/data" "$1" 7 | tr -d '\0')" = uc-data ]
}
tries=0
until landed 0 || [ $tries -ge 250 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
check "is there" landed 0
check "a bad key: success" put "$a/ctl" write r 0 7 0x1000 0xdeadbe00
is "wc" "$(last "$a")" 'rdma_write success bytes=7'
is "neither is in error" "$(cat "$a/state" "$b/state")" 'rts
rts'
check "a right that the region lacks" put "$B/mr/r/rights" -remote_write
check "success" put "$a/ctl" write r 0 7 "$(at "$B/mr/r" 100)"
put "$B/mr/r/rights" +remote_write
check "another write" put "$a/ctl" write r 0 7 "$(at "$B/mr/r" 200)"
tries=0
until landed 200 || [ $tries -ge 250 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
check "which is there" landed 200
check "and the one that was dropped is not" test "$(bytes "$B/mr/r/data" 100 7 |
    tr -d '\0')" = ''
put "$b/ctl" recv r 300 100
check "a send" put "$a/ctl" send r 0 7 imm=5
tries=0
until grep -q 'recv success bytes=7 imm=5' "$b/wc" || [ $tries -ge 250 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
is "is received" "$(last "$b")" 'recv success bytes=7 imm=5'
refuses "$a" EINVAL 'a uc queue pair has neither reads nor atomics' \
    read r 0 8 "$(at "$B/mr/r")"
refuses "$a" EINVAL 'a uc queue pair has neither reads nor atomics' \
    fetch_add r 0 "$(at "$B/mr/r")" 1
mkdir "$a/mem/m"
# shellcheck disable=SC2046 # two words
set -- $(at "$B/mr/r")
put "$a/mem/m/ctl" map "$1" 4K "$2"
fails EINVAL cat "$a/mem/m/data"
says "$a/mem/m/error" 'EINVAL: a uc queue pair has neither reads nor atomics'
check "a mapping can be written" put "$a/mem/m/data" uc-data
finish
