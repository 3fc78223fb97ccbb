#!/bin/sh
# SPDX-License-Identifier: MIT
# The peer ends a window's key with a send (I3): a reader who waits on wc hears
# of it, and status says who did it.
. "$(dirname "$0")/peers.sh"

grep -qw 2 "$D/attr/mw_types" || skip "no type 2 windows"
peers
w=$B/mw/w
b=$B/qp/q
mkdir "$w"
put "$w/ctl" type 2
put "$w/ctl" bind r 0 4K remote_write qp=q
put "$b/ctl" recv r 8192 100
# shellcheck disable=SC2016 # it is the reader's
sh -c 'exec 3<>"$1/wc"; echo >"$2/ready"; read -r line <&3; echo "$line"' \
    sh "$b" "$T" >"$T/line" &
reader=$!
until [ -e "$T/ready" ]; do
	sleep 0.02
done
put "$A/mr/r/data" 'take it back'
key=$(cat "$w/rkey")
check "send" put "$A/qp/q/ctl" send r 0 12 "invalidate=$key"
wait $reader
is "the reader has the line" "$(sed 's/^[0-9]* [0-9.]* //' "$T/line")" \
    'recv success bytes=12 invalidated=mw/w'
is "as wc" "$(last "$b")" 'recv success bytes=12 invalidated=mw/w'
is "the message is there" "$(bytes "$B/mr/r/data" 8192 12)" 'take it back'
like "status says who did it" "$(cat "$w/status")" \
    'unbound type=2 rights=remote_write invalidated=peer owner=*'
fails ENODATA cat "$w/rkey"
check "there is no link" test ! -L "$w/mr"
like "the queue pair has none" "$(cat "$b/status")" 'rts * windows=0 *'
is "events too, and by nobody of this host" \
    "$(sed -n '$s/^[0-9]* [0-9.]* //p' "$w/events")" \
    "invalidated ${w#"$M/"} how=peer"
is "the region's as well" "$(tail -n 1 "$B/mr/r/events")" \
    "$(tail -n 1 "$w/events")"
is "the region has none" "$(cat "$B/mr/r/windows")" ''
fails ENODATA put "$w/ctl" invalidate
refuses "$A/qp/q" EACCES '*' write r 0 8 "$(($(cat "$B/mr/r/addr"))) $key"
again
put "$w/ctl" bind r remote_write qp=q
like "bound again it is forgotten" "$(cat "$w/status")" \
    'bound * rights=remote_write qp=q owner=*'
is "no key stands in wc" "$(grep -ci "${key#0x}" "$b/wc" "$A/qp/q/wc" | tr '\n' ,)" \
    "$b/wc:0,$A/qp/q/wc:0,"
finish
