#!/bin/sh
# SPDX-License-Identifier: MIT
# SIGTERM with commands that wait: all of them are answered, the daemon ends
# well once the device goes on.
. "$(dirname "$0")/fault.sh"

# shellcheck disable=SC2317 # until_true calls it
gone() {
	[ -z "$(connection)" ]
}

hold_reg
writes "$P/lab/mr/held/ctl" 'rights none' &
second=$!
waits $second
kill -TERM $daemon
until_true "the mount goes" gone
# It ends before it can answer.
echo release >"$M.fault"
ends $daemon
wait $daemon
is "the daemon ends with status 0" $? 0
daemon=
ends "$writer"
ends $second
finish
