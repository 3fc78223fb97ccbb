#!/bin/sh
# SPDX-License-Identifier: MIT
# Options, and what they say no to: status 2.
. "$(dirname "$0")/../../mount/lib.sh"

# conform STATUS ARGUMENT...
conform() {
	want=$1
	shift
	sh "$RDMAFS_CONFORM" "$@" >"$T/lines" 2>&1
	is "status of rdmafs-conform $*" $? "$want"
}

conform 2
like "usage" "$(cat "$T/lines")" "usage: rdmafs-conform *"
conform 2 -x
conform 2 -m "$M"
conform 2 -m "$M" nodevice
like "no such device" "$(cat "$T/lines")" "*no device nodevice*"
conform 2 -m "$T" "$DEV"
conform 2 -m "$T/nothing" "$DEV"
conform 2 -m "$M" "$DEV" M99
like "no such rule" "$(cat "$T/lines")" "*no rule M99*"
conform 0 -l
is "36 rules" "$(wc -l <"$T/lines")" 36
conform 0 -m "$M" "$DEV" W2 P2
is "the rules asked for" "$(sed 's/:.*//' "$T/lines")" "$(
    printf '%s\n' "W2 kept" "P2 kept" "2 kept, 0 broken, 0 not offered")"
cd "$M" || exit
conform 0 -m . "$DEV" M2
cd / || exit
conform 0 -v -m "$M" "$DEV" W2
check "-v shows the commands" grep -q '^	mkdir mr/buf mw/w' "$T/lines"

# Who may not make a domain is told so.
[ "$(id -u)" -ne 0 ] || {
	cp "$RDMAFS_CONFORM" "$T/conform"
	as_user 12345 sh "$T/conform" -m "$M" "$DEV" M2 \
	    >"$T/lines" 2>&1
	is "status of one who may not" $? 2
	like "the reason" "$(cat "$T/lines")" "*no domain can be made*"
}

# An interrupt leaves nothing.
sh "$RDMAFS_CONFORM" -m "$M" "$DEV" >"$T/lines" 2>&1 &
pid=$!
until [ -n "$(find "$P" -maxdepth 1 -name 'conform-*')" ]; do
	sleep 0.02
done
kill -TERM $pid
wait $pid
is "status after SIGTERM" $? 143
is "nothing is left" "$(ls "$P")" clone
finish
