#!/bin/sh
# SPDX-License-Identifier: MIT
# What a key does not open is refused (A1) and moves not one byte (A7); error
# has the status, the rule, the object and its range.
. "$(dirname "$0")/peers.sh"

peers
a=$A/qp/q
mkdir "$B/mr/ro" "$B/mw/w"
put "$B/mr/ro/ctl" reg 4K remote_read
head -c 64K /dev/urandom >"$T/random"
feed "$A/mr/r/data" <"$T/random"
cp "$B/mr/r/data" "$T/before"

# denied TEXT COMMAND...: with a text of that
denied() {
	text=$1
	shift
	refuses "$a" EACCES "* rem_access_err: *(A1)$text" "$@"
	again
}

far=${B#"$M"/}
denied ": $far/mr/ro has 4096 bytes with*remote_read; asked: 16 bytes at 8" \
    write r 0 16 "$(at "$B/mr/ro" 8)"
denied ": $far/mr/r has 65536 bytes with * asked: 4096 bytes at 65530" \
    write r 0 4K "$(at "$B/mr/r" 65530)"
denied ": $far/mr/r has 65536 bytes with * asked: 4096 bytes at 65530" \
    read r 0 4K "$(at "$B/mr/r" 65530)"
denied ": $far/mr/r *; asked: 8 bytes, 1 before it" \
    write r 0 8 "$(at "$B/mr/r" -1)"
denied ": no object of ${far%%/*} has this key" \
    write r 0 8 0x1000 0xdeadbe00
put "$B/mw/w/ctl" bind r 4K 4K remote_write
denied ": $far/mw/w opens 4096 bytes with remote_write; asked: 8 bytes at 16" \
    read r 0 8 "$(at "$B/mw/w" 16)"
# D1: soft-RoCE does not look at a window's range.
if [ "$DEV" != rxe0 ]; then
	denied ": $far/mw/w opens * asked: 8 bytes at 4090" \
	    write r 0 8 "$(at "$B/mw/w" 4090)"
	denied ": $far/mw/w opens * asked: 8 bytes, 1 before it" \
	    write r 0 8 "$(at "$B/mw/w" -1)"
	denied "*; asked: 5000 bytes at 0" write r 0 5000 "$(at "$B/mw/w")"
fi
dead=$(at "$B/mw/w" 16)
put "$B/mw/w/ctl" invalidate
# shellcheck disable=SC2086 # two words
denied ": *" write r 0 8 $dead
is "a dead key has no name" "$(grep -c mw/w "$a/error")" 0
is "nothing was moved" "$(cmp "$B/mr/r/data" "$T/before" 2>&1)" ''
check "nor here" cmp "$A/mr/r/data" "$T/random"

put "$B/mw/w/ctl" bind r 4K 4K remote_write
check "what it opens works" put "$a/ctl" write r 0 4K "$(at "$B/mw/w")"
is "and moves it" "$(bytes "$B/mr/r/data" 4096 4096 | cksum)" \
    "$(head -c 4096 "$T/random" | cksum)"
# M9; soft-RoCE has one key for both (D9).
if [ "$DEV" != rxe0 ]; then
	denied ": $far/mr/r has it as its lkey, a peer needs the rkey" \
	    write r 0 8 "$(cat "$B/mr/r/addr")" "$(cat "$B/mr/r/lkey")"
fi
finish
