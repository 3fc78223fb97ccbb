#!/bin/sh
# SPDX-License-Identifier: MIT
# A mapping whose access was refused is dead until it is mapped again: ENODATA,
# and nothing is sent; and so is one whose queue pair was reset.
. "$(dirname "$0")/peers.sh"

peers
mkdir "$A/qp/q/mem/m" "$A/qp/q/mem/n" "$B/mw/w"
m=$A/qp/q/mem/m
n=$A/qp/q/mem/n
# maps: the window
maps() {
	put "$m/ctl" map "$(cat "$B/mw/w/addr")" 4K "$(cat "$B/mw/w/rkey")"
}

put "$B/mw/w/ctl" bind r 4K 4K remote_read
maps
put "$n/ctl" map "$(cat "$B/mr/r/addr")" 4K "$(cat "$B/mr/r/rkey")"
check "it can be read" cat "$m/data"
fails EACCES put "$m/data" x
like "the text has the reason" "$(head -n 1 "$m/error")" \
    "EACCES: *rem_access_err*/mw/w opens 4096 bytes with remote_read; asked: 2 *"
like "it is dead" "$(cat "$m/status")" 'dead length=4096 *'
is "nothing has moved" "$(bytes "$B/mr/r/data" 4096 4096 | tr -d '\0')" ''
lines=$(wc -l <"$A/qp/q/wc")
fails ENODATA cat "$m/data"
fails ENODATA put "$m/data" x
fails ENODATA cat "$m/rkey"
is "and nothing is sent" "$(wc -l <"$A/qp/q/wc")" "$lines"
maps
like "mapped again" "$(cat "$m/status")" 'mapped length=4096 *'
fails EIO cat "$m/data"
says "$m/error" 'EIO: '
like "but its queue pair is in error" "$(cat "$A/qp/q/status")" 'err *'

again
like "a reset kills mappings" "$(cat "$m/status" "$n/status")" \
    'dead length=4096 *dead length=4096 *'
fails ENODATA cat "$n/data"
maps
check "it can be read again" cat "$m/data"
is "and error says so" "$(cat "$m/error")" ok

# An open descriptor knows, too.
exec 3<"$m/data"
check "open" head -c 1 <&3
put "$B/mw/w/ctl" invalidate
fails EACCES head -c 1 <&3
fails ENODATA head -c 1 <&3
exec 3<&-
says "$m/error" 'ENODATA: the mapping is dead: an access was refused, or '
put "$B/mw/w/ctl" bind r 4K 4K remote_read
again
maps
exec 3<"$m/data"
rmdir "$m"
fails ENODEV head -c 1 <&3
exec 3<&-
finish
