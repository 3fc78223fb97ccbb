#!/bin/sh
# SPDX-License-Identifier: MIT
# A command that has begun can be interrupted: it completes in the background,
# and the lines behind it do not run.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mr/b"
fault hold mr_reg
writes "$P/lab/mr/a/ctl" "$(printf 'reg 8K\nrights remote_read\ndestroy')" &
a=$!
fault held 1
waits $a
kill -INT $a
wait $a
is "the writer gets EINTR" $? 4
like "the registration goes on" "$(cat "$P/lab/mr/a/status")" '* busy=reg *'

sh -c 'echo reg 8K >"$1"' sh "$P/lab/mr/b/ctl" 2>/dev/null &
b=$!
fault held 2
kill -KILL $b
ends $b

fault release
until_true "it completes" grep -q '^active length=8192 rights=local_read w' \
    "$P/lab/mr/a/status"
until_true "and so does the other" grep -q '^active length=8192' \
    "$P/lab/mr/b/status"
check "no later line has run" test -d "$P/lab/mr/a"
finish
