#!/bin/sh
# SPDX-License-Identifier: MIT
# What the bind of a window refuses about its queue pair (W7, W8, W11), with the
# word to blame; the queue pair is never in error for it.
. "$(dirname "$0")/refuse.sh"

grep -qw 2 "$D/attr/mw_types" || skip "no type 2 windows"
mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mr/plain" "$P/lab/mw/one" "$P/lab/mw/w" \
    "$P/lab/qp/q" "$P/lab/qp/off" "$P/other" "$P/other/qp/far" "$P/other/mr/far"
q=$P/lab/qp/q
w=$P/lab/mw/w/ctl
put "$P/lab/mr/r/ctl" reg 8K local_write mw_bind
put "$P/lab/mr/plain/ctl" reg 8K local_write
put "$P/other/mr/far/ctl" reg 8K local_write mw_bind
put "$q/ctl" connect "$(cat "$q/local")"
put "$w" type 2

refused "$P/lab/mw/one/ctl" EINVAL '*qp= is for type 2 (W7)' \
    'bind r remote_read qp=q' 19
refused "$P/lab/mw/one/ctl" EINVAL '*tag= is for type 2 (W7)' \
    'bind r remote_read tag=7' 19
refused "$w" EINVAL '*: qp=NAME is missing (W8)' 'bind r remote_read'
refused "$w" ENOENT '*no queue pair of this name*' 'bind r qp=nope' 7
refused "$w" ENOENT '*' 'bind r qp=far' 7
refused "$w" ENOENT '*' 'bind far qp=q' 5
refused "$w" ENODATA 'qp/off is not connected' 'bind r remote_read qp=off'
refused "$w" EINVAL '*(W8)' 'bind r 0 0 remote_read qp=q' 9
refused "$w" EINVAL '*(W4)' 'bind r 8K 1 qp=q' 7
refused "$w" EINVAL '*(W3)' 'bind plain qp=q' 5
refused "$w" EINVAL '*(W3)' 'bind r local_write qp=q' 7
put "$q/rights" -mw_bind
refused "$w" EINVAL 'qp/q lacks mw_bind among its rights (W11)' 'bind r qp=q' 7
put "$q/rights" +mw_bind
is "the queue pair is well" "$(cat "$q/state")" rts
is "and has not been asked" "$(cat "$q/wc")" ''

check "a good bind" put "$w" bind r 0 4K remote_write qp=q
key=$(cat "$P/lab/mw/w/rkey")
refused "$w" EBUSY '*(W8)' 'bind r 4K 4K remote_write qp=q'
is "the key stays" "$(cat "$P/lab/mw/w/rkey")" "$key"
refused "$w" EBUSY 'the type is settled *' 'type 1' 5
refused "$P/lab/mr/r/ctl" EBUSY '1 window is bound to this region: mw/w' \
    'dereg' 0
check "zero_based is for type 2" put "$w" invalidate
check "and goes" put "$w" bind r 4K 4K remote_write zero_based qp=q
is "its addresses count from 0" "$(($(cat "$P/lab/mw/w/addr")))" 0
put "$w" invalidate

fails EACCES put "$q/ctl" write r 0 8 0x1000 0xdeadbe00
refused "$w" EIO 'qp/q is in state err: reset and connect it anew (W11)' \
    'bind r remote_read qp=q' 19
like "the window is unbound" "$(cat "$P/lab/mw/w/status")" 'unbound type=2 *'
finish
