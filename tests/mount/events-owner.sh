#!/bin/sh
# SPDX-License-Identifier: MIT
# Everybody may read events, and sees there what he could reach when it happened.
. "$(dirname "$0")/lib.sh"

chmod 1777 "$P"
mkdir "$P/open" "$P/closed"
chmod 700 "$P/closed"
mkdir "$P/open/mw/w" "$P/closed/mw/w"
mkdir -m 711 "$P/half"
chmod 700 "$P/half/mw"
mkdir "$P/half/mw/w"
as_user 65534 mkdir "$P/theirs"
as_user 65534 mkdir "$P/theirs/mw/w"
chmod 700 "$P/theirs"
as_user 65534 mkdir "$P/theirs/mw/v"
fails ENODATA put "$P/closed/mw/w/ctl" invalidate

# seen UID
seen() {
	as_user "$1" cat "$M/events" | sed -n "s|.* $DEV/pd/\([^ ]*\).*|\1|p"
}

is "root sees all" "$(seen 0)" 'open
closed
open/mw/w
closed/mw/w
half
half/mw/w
theirs
theirs/mw/w
theirs/mw/v
closed/mw/w/ctl'
is "another what is open to him" "$(seen 1234)" 'open
closed
open/mw/w
half
theirs
theirs/mw/w'
is "and what is his own" "$(seen 65534)" 'open
closed
open/mw/w
half
theirs
theirs/mw/w
theirs/mw/v'
fails EACCES as_user 1234 cat "$P/closed/events"
put "$P/closed/ctl" destroy
is "also when it is gone" "$(seen 1234 | grep -c closed)" 1
finish
