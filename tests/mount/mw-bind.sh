#!/bin/sh
# SPDX-License-Identifier: MIT
# bind, bind again, invalidate, destroy of a type 1 window.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mr/s" "$P/lab/mw/w"
w=$P/lab/mw/w
put "$P/lab/mr/r/ctl" reg 8K local_write mw_bind
put "$P/lab/mr/s/ctl" reg 4K local_write mw_bind
check "the whole region without a range" put "$w/ctl" bind r remote_read
is "its length" "$(cat "$w/length")" 8192
is "its address" "$(cat "$w/addr")" "$(cat "$P/lab/mr/r/addr")"
first=$(cat "$w/rkey")
check "bound again while bound" put "$w/ctl" bind r 4K 4K remote_write
like "to another range" "$(cat "$w/status")" \
    "bound type=1 mr=r offset=4096 length=4096 rights=remote_write *"
second=$(cat "$w/rkey")
check "with another key" test "$first" != "$second"
check "to another region" put "$w/ctl" bind s
is "it is there" "$(readlink "$w/mr")" ../../mr/s
check "the first is free of it" put "$P/lab/mr/r/ctl" dereg
check "bytes, not pages" put "$w/ctl" bind s 1 1 remote_read
check "invalidate" put "$w/ctl" invalidate
fails ENODATA put "$w/ctl" invalidate
says "$w/error" "ENODATA: not bound"
fails ENODATA cat "$w/rkey"
put "$w/ctl" bind s
(echo invalidate >"$w/rkey")
report $? "invalidate written to rkey does the same"
like "it is unbound" "$(cat "$w/status")" "unbound *"
put "$w/ctl" bind s
put "$P/lab/ctl" "# nothing"
check "rmdir unbinds" rmdir "$w"
is "no window is left" "$(cat "$P/lab/mr/s/windows")" ""
mkdir "$w"
put "$w/ctl" bind s
check "destroy" put "$w/ctl" destroy
check "is done when the write returns" test ! -e "$w"
check "the region is free" rmdir "$P/lab/mr/s"
finish
