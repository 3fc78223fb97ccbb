#!/bin/sh
# SPDX-License-Identifier: MIT
# Reset and the end of a queue pair unbind the type 2 windows that are bound
# over it (W10); they stay, and so does a type 1 window's key.  The end of a window,
# a region, a domain with them.
. "$(dirname "$0")/peers.sh"

grep -qw 2 "$D/attr/mw_types" || skip "no type 2 windows"
peers
mkdir "$B/qp/p" "$B/mw/one"
put "$B/qp/p/ctl" connect "$(cat "$A/qp/q/local")"
put "$B/mw/one/ctl" bind r
for n in 1 2 3; do
	mkdir "$B/mw/w$n"
	put "$B/mw/w$n/ctl" type 2
done
bind() {
	put "$B/mw/w1/ctl" bind r 0 4K qp=q
	put "$B/mw/w2/ctl" bind r 4K 4K qp=q
	put "$B/mw/w3/ctl" bind r 8K 4K qp=p
	is "all are bound" "$(cat "$B"/mw/*/status | grep -c ^bound)" 4
}
unbound() {
	is "$1" "$(grep -l ^unbound "$B"/mw/*/status | sed 's,.*mw/,,; s,/.*,,' |
	    tr '\n' ' ')" 'w1 w2 '
	like "the region has the others" "$(cat "$B/mr/r/status")" '* windows=2 *'
}

bind
check "reset" put "$B/qp/q/ctl" reset
unbound "its windows are unbound"
put "$B/mw/w3/ctl" invalidate
put "$B/qp/q/ctl" connect "$(cat "$A/qp/q/local")"
bind
check "destroy" put "$B/qp/q/ctl" destroy
unbound "its windows are unbound"
put "$B/mw/w3/ctl" invalidate
mkdir "$B/qp/q"
put "$B/qp/q/ctl" connect "$(cat "$A/qp/q/local")"
bind
check "rmdir" rmdir "$B/qp/q"
unbound "its windows are unbound"
fails EBUSY rmdir "$B/mr/r"
like "the text has them" "$(cat "$B/mr/r/error")" \
    'EBUSY: 2 windows are bound to this region: mw/*'
put "$B/mw/w3/ctl" invalidate
mkdir "$B/qp/q"
put "$B/qp/q/ctl" connect "$(cat "$A/qp/q/local")"
bind
check "the domain's invalidate" put "$B/ctl" invalidate
is "unbinds all" "$(cat "$B"/mw/*/status | grep -c ^unbound)" 4
put "$B/mw/one/ctl" bind r
bind
check "a bound window goes" rmdir "$B/mw/w1"
like "its queue pair has one less" "$(cat "$B/qp/q/status")" '* windows=1 *'
check "the region's destroy unbinds" put "$B/mr/r/ctl" destroy
is "all" "$(cat "$B"/mw/*/status | grep -c ^unbound)" 3

mkdir "$B/mr/r" "$B/mw/w1"
put "$B/mr/r/ctl" reg 64K "$all"
put "$B/mw/w1/ctl" type 2
put "$B/mw/one/ctl" bind r
bind
check "the domain's destroy takes all" put "$B/ctl" destroy
gone "$B"
finish
