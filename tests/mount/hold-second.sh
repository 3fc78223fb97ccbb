#!/bin/sh
# SPDX-License-Identifier: MIT
# A command on a busy object waits for its turn and can be interrupted.
. "$(dirname "$0")/fault.sh"

hold_reg
held=$P/lab/mr/held

writes "$held/ctl" 'rights remote_read' &
second=$!
waits $second
like "the first has its turn" "$(cat "$held/status")" '* busy=reg *'
kill -INT $second
wait $second
is "the second is interrupted: EINTR" $? 4

sh -c 'echo rights remote_read >"$1"' sh "$held/ctl" 2>/dev/null &
third=$!
waits $third
kill -KILL $third
ends $third

writes "$held/ctl" 'rights remote_read' &
fourth=$!
waits $fourth
fault release
wait "$writer"
is "the first ends well" $? 0
wait $fourth
is "and so does the one that waited on" $? 0
like "in this order" "$(cat "$held/status")" \
    'active * rights=local_read,remote_read *'
like "the interrupted one is in the errors" "$(cat "$M/errors")" \
    '*lab/mr/held/ctl EINTR: interrupted before it began*'
finish
