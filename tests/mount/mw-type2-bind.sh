#!/bin/sh
# SPDX-License-Identifier: MIT
# A type 2 window is bound over a queue pair, with a new key each time; its peer
# can use it.
. "$(dirname "$0")/peers.sh"

grep -qw 2 "$D/attr/mw_types" || skip "no type 2 windows"
peers
w=$B/mw/w
q=$B/qp/q
mkdir "$w"
put "$w/ctl" type 2
check "it is bound" put "$w/ctl" bind r 4K 8K remote_write remote_read qp=q
like "status" "$(cat "$w/status")" 'bound type=2 mr=r offset=4096 length=8192 '\
'rights=remote_read,remote_write qp=q owner=*'
is "ctl reads back" "$(grep -v '^#' "$w/ctl")" 'type 2
bind r 4096 8192 remote_read remote_write qp=q'
is "the region has it" "$(cat "$B/mr/r/windows")" "mw/w mw $(cat "$w/status")"
like "the queue pair counts it" "$(cat "$q/status")" '* windows=1 *'
is "its wc has the bind" "$(last "$q")" 'bind_mw success bytes=0'
put "$A/mr/r/data" 'through the window'
check "the peer writes" put "$A/qp/q/ctl" write r 0 18 "$(at "$w" 10)"
is "it is there" "$(bytes "$B/mr/r/data" 4106 18)" 'through the window'
check "and reads" put "$A/qp/q/ctl" read r 1000 18 "$(at "$w" 10)"
is "it is here" "$(bytes "$A/mr/r/data" 1000 18)" 'through the window'

mkdir "$B/mw/copy"
cat "$w/ctl" >"$B/mw/copy/ctl"
report $? "cat a/ctl > b/ctl"
is "is bound likewise" "$(sed 's/ made=.*//' "$B/mw/copy/status")" \
    "$(sed 's/ made=.*//' "$w/status")"
check "with a key of its own" test "$(cat "$B/mw/copy/rkey")" != "$(cat "$w/rkey")"

old=$(at "$w" 10)
put "$w/ctl" invalidate
is "ctl keeps rights" "$(grep -v '^#' "$w/ctl")" 'type 2
rights remote_read remote_write'
check "and bound again" put "$w/ctl" bind r qp=q
like "with the rights kept, to all of the region" "$(cat "$w/status")" \
    '* length=65536 rights=remote_read,remote_write qp=q *'
# shellcheck disable=SC2086 # two words
refuses "$A/qp/q" EACCES '*' write r 0 18 $old

# Over a tag's return (W9); a device's window has a new index each time.
again
binds=300
[ "$DEV" = soft0 ] || binds=20
i=0
while [ $i -lt $binds ]; do
	put "$w/ctl" bind r remote_read qp=q || break
	cat "$w/rkey"
	put "$w/ctl" invalidate || break
	i=$((i + 1))
done >"$T/keys"
is "all those binds" "$(wc -l <"$T/keys")" $binds
is "no key twice" "$(sort "$T/keys" | uniq -d)" ''
finish
