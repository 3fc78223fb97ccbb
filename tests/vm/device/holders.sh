#!/bin/sh
# SPDX-License-Identifier: MIT
# One command names who keeps a domain or a device busy, the daemon's own
# objects and other processes alike.
. "$(dirname "$0")/rdma.sh"

[ -n "${RDMALS:-}" ] || skip "no RDMALS"
# shellcheck disable=SC2317 # called by check
ls_of() {
	"$RDMALS" -m "$M" "$@" >"$T/shown"
}

mkdir "$P/lab" "$P/lab/mr/bare" "$P/lab/mr/buf" "$P/lab/mw/w" "$P/lab/qp/q"
put "$P/lab/mr/bare/ctl" reg 4K	# without a remote right, or an rkey (D9)
put "$P/lab/mr/buf/ctl" reg 8K remote_read mw_bind
put "$P/lab/mw/w/ctl" bind buf
ibv_rc_pingpong -d "$DEV" -g 1 >"$T/pingpong" 2>&1 &
pingpong=$!
until rdma resource show qp | grep -q "state INIT .* pid $pingpong "; do
	kill -0 $pingpong || break
	sleep 0.1
done

fails EBUSY rmdir "$P/lab"
check "who holds the domain" ls_of -H "$DEV/pd/lab"
for o in mr/bare mr/buf mw/w qp/q; do
	check "$o does" grep -q " $DEV/pd/lab/$o " "$T/shown"
done
check "who holds the region" ls_of -H "$DEV/pd/lab/mr/buf"
is "its window" "$(awk 'NR > 1 { print $2 }' "$T/shown")" "$DEV/pd/lab/mw/w"

check "who holds the device" ls_of -j -H "$DEV"
is "another process does" \
    "$(jq -r --arg pid $pingpong '[.[] | select(.pid == ($pid | tonumber))
	| .comm] | unique | .[]' "$T/shown")" ibv_rc_pingpong
# shellcheck disable=SC2016 # jq's
check "and the daemon's domain" jq -e --arg path "$DEV/pd/lab" \
    'any(.path == $path)' "$T/shown"

pdn=$(sed -n "s/^pdn=\([0-9]*\) .* comm=ibv_rc_pingpong.*/\1/p" "$D/kernel/pd")
check "who holds a domain of another process" ls_of -k "pdn=$pdn"
for kind in mr qp; do
	check "its $kind do, with command and pid" \
	    grep -q "kernel-$kind .* $pingpong .*ibv_rc_pingpong" "$T/shown"
done
check "all of the device" ls_of -k "$DEV"
is "regions of the daemon's are its own, also without a right" \
    "$(grep -c "pid=$daemon .* own=yes path=pd/lab/mr/" "$D/kernel/mr")" 2
kill $pingpong
wait $pingpong 2>/dev/null
put "$P/lab/ctl" destroy
finish
