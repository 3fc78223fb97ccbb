#!/bin/sh
# SPDX-License-Identifier: MIT
# No key of a peer stands in any status, list, wc, error, errors or log, whether
# the command was good, refused, or not understood.
RDMAFS_OPTS='-d --soft 2'
. "$(dirname "$0")/peers.sh"

peers
mkdir "$A/qp/q/mem/m" "$B/mw/w"
put "$B/mw/w/ctl" type 2
a=$A/qp/q
m=$a/mem/m

# hidden WHAT KEY...: nowhere below
hidden() {
	what=$1
	shift
	for key; do
		key=${key#0x}
		is "$what" "$(grep -il "$key" "$a"/* "$m/ctl" "$m/status" \
		    "$m/error" "$B/qp/q"/* "$B/mw/w/ctl" "$B/mw/w/error" \
		    "$M/list" "$D/list" "$A/list" "$M/errors" "$A/error" \
		    "$T/log" 2>/dev/null)" ''
		key=$(printf '%d' "0x$key")
		# A short number may stand for anything.
		[ ${#key} -ge 8 ] || continue
		is "$what, in decimal" "$(grep -l "$key" "$a"/* "$m/ctl" \
		    "$m/error" "$M/errors" 2>/dev/null)" ''
	done
}

for line in 'write r 0 8 0x1000 0x1c2f5566' 'read r 0 8 0x1000 0x1c2f5566' \
    'write nope 0 8 0x1000 0x1c2f5566' 'fetch_add r 0 0x1000 0x1c2f5566 1' \
    'fetch_add r 0 0x1001 0x1c2f5566 1' 'cmp_swap r 0 8 0x1c2f5566 1 2' \
    'write r 0 3G 0x1000 0x1c2f5566' 'write r 0 8 0x1c2f5566' \
    'write r 0 8 0x1c2f5566 0x1c2f5566 0x1c2f5566' 'write 0x1c2f5566' \
    'send r 0 3G invalidate=0x1c2f5566' 'send r 0 8 invalid=0x1c2f5566' \
    'send r 0 8 imm=1 invalidate=0x1c2f5566' 'send r 0 8 0x1c2f5566' \
    'send nope 0 8 invalidate=0x1c2f5566' 'recv r 0 0x1c2f5566 8' \
    'connect qpn=1 psn=2 gid=0x1c2f5566' 'type 0x1c2f5566' \
    'connect qpn=1 psn=2 gid=0x00000001:0x1c2f5566' 'write 0x1c2f5566 0 8 1 2' \
    'write r 0 8 0x1000 0x1c2f5566x' 'map 0x1000 8 0x1c2f5566'; do
	for rkey in 0x1c2f5566 472864102; do
		command=$(echo "$line" | sed "s/0x1c2f5566/$rkey/g")
		! put "$a/ctl" "$command" 2>"$T/err"
		report $? "refused: $command"
		hidden "and hidden" 0x1c2f5566
	done
	[ "$(cat "$a/state")" = rts ] || again
done >"$T/lines"
is "no command of a key" "$(grep -v '^ok' "$T/lines")" ''
check "there were some" test "$(grep -c '^ok' "$T/lines")" -gt 100
for line in 'map 0x1000 0 0x1c2f5566' 'map 0x1000 0x1c2f5566' \
    'map 0x1000 8 0x1c2f5566 9' 'map 0xffffffffffffffff 8 0x1c2f5566'; do
	fails EINVAL put "$m/ctl" "$line"
	hidden "$line" 0x1c2f5566
done
put "$B/mw/w/ctl" bind r 0 4K remote_write qp=q
put "$m/ctl" map "$(cat "$B/mr/r/addr")" 4K "$(cat "$B/mr/r/rkey")"
check "a good write" put "$a/ctl" write r 0 8 "$(at "$B/mw/w")"
put "$B/qp/q/ctl" recv r 0 8
key=$(cat "$B/mw/w/rkey")
check "a good send" put "$a/ctl" send r 0 8 "invalidate=$key"
hidden "of good ones" "$key" "$(cat "$B/mr/r/rkey")"
check "the log has the calls" grep -q qp_post "$T/log"
finish
