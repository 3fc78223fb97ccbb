#!/bin/sh
# SPDX-License-Identifier: MIT
# tag= chooses the low 8 bits of a type 2 window's key, each once for an index.
. "$(dirname "$0")/peers.sh"

peers
w=$B/mw/w
mkdir "$w"
put "$w/ctl" type 2
for tag in 0x5a 0 255; do
	check "tag=$tag" put "$w/ctl" bind r remote_read qp=q tag=$tag
	is "the key has it" "$(($(cat "$w/rkey") & 255))" $((tag))
	check "it opens" put "$A/qp/q/ctl" read r 0 8 "$(at "$w")"
	put "$w/ctl" invalidate
done
# A device's window has a new index each time.
if [ "$DEV" = soft0 ]; then
	refuses "$w" EINVAL '*tag*(W9)' bind r remote_read qp=q tag=0x5a
	like "it is unbound" "$(cat "$w/status")" 'unbound *'
fi
check "another" put "$w/ctl" bind r remote_read qp=q tag=0x5b
refuses "$w" EINVAL 'a tag is the low 8 bits of the key, 0 to 255 (W8)' \
    bind r qp=q tag=256
refuses "$w" EINVAL '*' bind r qp=q tag=
put "$w/ctl" invalidate
put "$w/ctl" bind r remote_read qp=q
check "without, any" test "$(($(cat "$w/rkey") & 255))" -ge 0
finish
