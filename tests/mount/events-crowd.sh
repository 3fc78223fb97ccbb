#!/bin/sh
# SPDX-License-Identifier: MIT
# A thousand who wait cost the daemon next to nothing, hear of each event, and
# are in nobody's way.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mw/w"
# What it really has of its own, KiB
memory() {
	awk '$1 == "RssAnon:" { print $2 }' "/proc/$daemon/status"
}

# shellcheck disable=SC2016 # it is python's
python3 -c '
import os, select, sys
name, n = sys.argv[1], int(sys.argv[2])
files = [os.open(name, os.O_RDWR | os.O_NONBLOCK) for i in range(n)]
poll = select.poll()
for f in files:
    poll.register(f, select.POLLIN)
print("ready", len(poll.poll(0)), flush=True)
heard = {}
while len(heard) < n:
    for f, what in poll.poll():
        heard[f] = heard.get(f, b"") + os.read(f, 4096)
print("heard", len(set(heard.values())), flush=True)
sys.stdin.readline()
' "$P/lab/mw/w/events" 1000 <"$T/pid" >"$T/heard" &
reader=$!
before=$(memory)
until_true "they wait" grep -q ready "$T/heard"
is "for nothing that there is" "$(cat "$T/heard")" 'ready 0'
put "$P/lab/mw/w/ctl" rights remote_read
fails ENODATA put "$P/lab/mw/w/ctl" invalidate
wait $reader
is "all hear the same" "$(tail -n 1 "$T/heard")" 'heard 1'
say "$(($(memory) - before)) KiB more"
[ $(($(memory) - before)) -lt 16384 ]
report $? "less than 16 KiB for each"
rmdir "$P/lab/mw/w"
finish
