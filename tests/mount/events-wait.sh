#!/bin/sh
# SPDX-License-Identifier: MIT
# events opened read-write starts at now and waits: what another shell does is
# seen at once; who waits can be killed, interrupted, or not wait at all.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w" "$P/lab/mw/other"
put "$P/lab/mr/r/ctl" reg 4K mw_bind
w=$P/lab/mw/w
put "$w/ctl" bind r
put "$P/lab/mw/other/ctl" bind r

cat <>"$M/events" >"$T/all" &
all=$!
waits $all
for shell in sh bash dash 'busybox sh'; do
	command -v "${shell%% *}" >/dev/null || continue
	# shellcheck disable=SC2086,SC2016 # words; it is the shell's
	$shell -c 'read -r n time what line <>"$1/events"; echo "$what"' sh \
	    "$w" >"$T/line" &
	reader=$!
	waits $reader
	put "$P/lab/mw/other/rights" none	# none of its business
	put "$w/ctl" invalidate
	wait $reader
	is "$shell hears of the revocation" "$(cat "$T/line")" invalidated
	put "$w/ctl" bind r
done
until_true "all of it was seen" test \
    "$(tail -n 1 "$M/events" | cut -d ' ' -f 1)" = \
    "$(tail -n 1 "$T/all" | cut -d ' ' -f 1)"
like "from now on" "$(head -n 1 "$T/all")" \
    "* bound $DEV/pd/lab/mw/other *"

cat <>"$w/events" >"$T/gone" &
reader=$!
waits $reader
put "$w/ctl" destroy
ends $reader
wait $reader
is "the end of the object is an end of file" $? 0
is "behind its last event" "$(cut -d ' ' -f 3 "$T/gone")" 'invalidated
destroyed'

kill -KILL $all
ends $all
reads "$D/events" &
reader=$!
waits $reader
kill -INT $reader
wait $reader
is "interrupted: EINTR" $? 4
reads_now "$D/events"
is "O_NONBLOCK: EAGAIN" $? 11
finish
