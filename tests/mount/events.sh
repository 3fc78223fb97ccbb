#!/bin/sh
# SPDX-License-Identifier: MIT
# events has a line for all that happens, at the root and at each object that
# it concerns; no key stands there.
. "$(dirname "$0")/peers.sh"

# told FILE: what and where, without the path of the mount's device
told() {
	awk -v dev="$DEV" '$3 != "async" {
		sub("^" dev "/", "", $4); print $3, $4 }' "$1"
}

# words FILE WHAT: the other words of its last line of that kind
words() {
	awk -v what="$2" '$3 == what { $1 = $2 = $3 = $4 = ""; line = $0 }
		END { sub("^ *", "", line); print line }' "$1"
}

w=$P/lab/mw/w
q=$P/lab/qp/q
is "a device is added" "$(told "$D/events")" "added $DEV"
mkdir "$P/lab" "$P/lab/mr/r" "$w" "$q"
put "$P/lab/mr/r/ctl" reg 64K local_write remote_read mw_bind
put "$w/ctl" bind r 4K 8K remote_read
put "$w/rights" remote_write
key=$(cat "$w/rkey")
put "$w/ctl" invalidate
put "$q/ctl" connect "$(cat "$q/local")"
put "$q/ctl" reset
mv "$w" "$P/lab/mw/v"
w=$P/lab/mw/v
put "$P/lab/mr/r/rights" remote_read mw_bind
put "$w/ctl" bind r none
fails EBUSY put "$P/lab/mr/r/ctl" dereg
rmdir "$w"
put "$P/lab/mr/r/ctl" dereg
put "$P/lab/ctl" destroy

is "at the device" "$(told "$D/events")" "added $DEV
made pd/lab
made pd/lab/mr/r
made pd/lab/mw/w
made pd/lab/qp/q
registered pd/lab/mr/r
bound pd/lab/mw/w
bound pd/lab/mw/w
invalidated pd/lab/mw/w
state pd/lab/qp/q
state pd/lab/qp/q
renamed pd/lab/mw/w
reregistered pd/lab/mr/r
bound pd/lab/mw/v
refused pd/lab/mr/r/ctl
invalidated pd/lab/mw/v
destroyed pd/lab/mw/v
deregistered pd/lab/mr/r
destroyed pd/lab/qp/q
destroyed pd/lab/mr/r
destroyed pd/lab"
is "the root has them all" "$(grep -c "$DEV/" "$M/events")" \
    "$(grep -c "$DEV/" "$D/events")"
is "numbers are in a row" "$(awk '$1 != NR { print }' "$M/events")" ''
is "a window's words" "$(words "$D/events" bound)" \
    'type=1 mr=r offset=0 length=65536 rights=none by=0'
is "why a key ended" "$(words "$D/events" invalidated)" 'how=destroyed by=0'
is "the new name" "$(words "$D/events" renamed)" 'to=v by=0'
is "the state" "$(words "$D/events" state)" 'state=reset by=0'
like "what was registered" "$(words "$D/events" registered)" \
    'length=65536 rights=local_read,local_write,remote_read,mw_bind *by=0'
is "a refusal without its words" "$(words "$D/events" refused)" \
    'verb=dereg errno=EBUSY by=0'
! grep -q "$key" "$M/events"
report $? "no key"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w" "$P/lab/qp/q"
for o in "$P/lab/mr/r" "$P/lab/mw/w" "$P/lab/qp/q"; do
	is "an object begins with being made" "$(told "$o/events")" \
	    "made ${o#"$D/"}"
done
put "$P/lab/mr/r/ctl" reg 4K mw_bind
put "$P/lab/mw/w/ctl" bind r
put "$P/lab/mw/w/ctl" invalidate
is "a region has its windows' events" \
    "$(told "$P/lab/mr/r/events" | tail -n 3)" "registered pd/lab/mr/r
bound pd/lab/mw/w
invalidated pd/lab/mw/w"
is "a window not its region's" "$(told "$P/lab/mw/w/events")" \
    "made pd/lab/mw/w
bound pd/lab/mw/w
invalidated pd/lab/mw/w"
is "a domain has all that is in it" "$(told "$P/lab/events" | wc -l)" 7
is "events of the root are of no size" "$(stat -c %s "$M/events")" 0
is "its mode" "$(stat -c %a "$M/events" "$P/lab/mw/w/events" | uniq)" 666
fails EACCES dd if=/dev/null of="$M/events" conv=notrunc \
    status=none
finish
