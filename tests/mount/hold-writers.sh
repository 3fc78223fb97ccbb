#!/bin/sh
# SPDX-License-Identifier: MIT
# Many writers wait on one ctl, however they opened it, and all can be killed.
. "$(dirname "$0")/fault.sh"

hold_reg
held=$P/lab/mr/held/ctl

writers=
for _ in 1 2 3 4 5 6 7 8 9 10; do
	sh -c 'echo rights remote_read >"$1"' sh "$held" 2>/dev/null &
	writers="$writers $!"
	sh -c 'echo rights remote_read >>"$1"' sh "$held" 2>/dev/null &
	writers="$writers $!"
done
for pid in $writers; do
	waits "$pid"
done
# shellcheck disable=SC2086 # pids
kill -KILL $writers
for pid in $writers; do
	ends "$pid"
done
fault release
wait "$writer"
is "the first ends well" $? 0
is "and nothing else was done" "$(cat "$P/lab/mr/held/rights")" \
    'local_read local_write mw_bind'
finish
