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
# Who waits is not woken for what he may not see.
cat >"$T/poll.py" <<'EOT'
import os, select, sys

events = os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)
poll = select.poll()
poll.register(events, select.POLLIN)
print("ready" if poll.poll(0) else "quiet", flush=True)
for line in sys.stdin:
    print("ready" if poll.poll(int(line)) else "quiet", flush=True)
EOT
mkfifo "$T/in"
: >"$T/said"
# Debian's: another may stand where he cannot go.
as_user 1234 /usr/bin/python3 "$T/poll.py" "$M/events" <"$T/in" >"$T/said" &
poller=$!
exec 4>"$T/in"
# said N: until so many answers are there
said() {
	until [ "$(wc -l <"$T/said")" -ge "$1" ]; do
		kill -0 $poller || return
		sleep 0.02
	done
}
said 1
mkdir "$P/closed/mw/hidden"
echo 500 >&4
said 2
mkdir "$P/open/mw/seen"
echo 30000 >&4
exec 4>&-
wait $poller
is "poll: nothing, nothing that he may see, something" \
    "$(tr '\n' , <"$T/said")" quiet,quiet,ready,
put "$P/closed/ctl" destroy
is "also when it is gone" "$(seen 1234 | grep -c closed)" 1
finish
