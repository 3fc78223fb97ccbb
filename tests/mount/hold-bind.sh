#!/bin/sh
# SPDX-License-Identifier: MIT
# A bind is over when it has completed: until then no key is shown, the old one
# stays, and rmdir and mv wait.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mw/w"
put "$P/lab/mr/a/ctl" reg 8K mw_bind
fault hold mw_bind
put "$P/lab/mw/w/ctl" bind a 0 4K remote_read &
first=$!
fault held 1
like "status tells of it" "$(cat "$P/lab/mw/w/status")" 'unbound * busy=bind *'
fails ENODATA cat "$P/lab/mw/w/rkey"
check "there is no link to the region" test ! -e "$P/lab/mw/w/mr"
fails EBUSY put "$P/lab/mr/a/ctl" dereg
says "$P/lab/mr/a/error" \
    'EBUSY: a bind or a transfer that names this region is under way (M10)'
fails EBUSY timeout $soon rmdir "$P/lab/mr/a"
mv "$P/lab/mw/w" "$P/lab/mw/v" &
renamer=$!
waits $renamer
fault release
wait $first
is "the bind ends well" $? 0
wait $renamer
is "then the rename" $? 0
key=$(cat "$P/lab/mw/v/rkey")

fault hold mw_bind
put "$P/lab/mw/v/ctl" bind a 4K 4K remote_read &
second=$!
fault held 1
is "the old key is shown until the new one works" \
    "$(cat "$P/lab/mw/v/rkey")" "$key"
rmdir "$P/lab/mw/v" &
remover=$!
waits $remover
fault release
wait $second
is "the second bind ends well" $? 0
wait $remover
is "then the window is removed" $? 0
is "the region has no window" "$(cat "$P/lab/mr/a/windows")" ''
finish
