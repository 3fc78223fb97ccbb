#!/bin/sh
# SPDX-License-Identifier: MIT
# The key of a type 2 window ends by invalidate on its own side, by ctl or rkey
# (I2); nothing else has changed.
. "$(dirname "$0")/peers.sh"

grep -qw 2 "$D/attr/mw_types" || skip "no type 2 windows"
peers
w=$B/mw/w
a=$A/qp/q
mkdir "$w"
put "$w/ctl" type 2
fails ENODATA put "$w/ctl" invalidate
says "$w/error" 'ENODATA: not bound'
for way in ctl rkey; do
	put "$w/ctl" bind r remote_write qp=q
	check "it opens" put "$a/ctl" write r 0 8 "$(at "$w")"
	old=$(at "$w")
	check "invalidate, written to $way" put "$w/$way" invalidate
	like "it is unbound" "$(cat "$w/status")" \
	    "unbound type=2 rights=remote_write owner=*"
	fails ENODATA cat "$w/rkey"
	check "there is no link" test ! -L "$w/mr"
	is "wc of its queue pair" "$(last "$B/qp/q")" 'local_inv success bytes=0'
	like "which has none" "$(cat "$B/qp/q/status")" 'rts * windows=0 *'
	is "nor has the region" "$(cat "$B/mr/r/windows")" ''
	# shellcheck disable=SC2086 # two words
	refuses "$a" EACCES '* rem_access_err: *' write r 0 8 $old
	again
done
put "$w/ctl" bind r remote_write qp=q
fails EACCES put "$a/ctl" write r 0 8 0x1000 0xdeadbe00
state "$B/qp/q" err
check "also over a queue pair in error" put "$w/ctl" invalidate
like "it is unbound" "$(cat "$w/status")" 'unbound *'
check "the region goes" rmdir "$B/mr/r"
finish
