#!/bin/sh
# SPDX-License-Identifier: MIT
# What a window's ctl refuses, with the reason and the word to blame.
. "$(dirname "$0")/refuse.sh"

mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mr/plain" "$P/lab/mr/none" "$P/lab/mw/w"
put "$P/lab/mr/a/ctl" reg 8K mw_bind
put "$P/lab/mr/plain/ctl" reg 8K local_write
ctl=$P/lab/mw/w/ctl

refused "$ctl" EINVAL 'MR is missing: bind *' bind 5
refused "$ctl" ENOENT '*no region of this name*' 'bind nope' 5
refused "$ctl" ENODATA 'mr/none is not registered' 'bind none' 5
refused "$ctl" EINVAL 'the region lacks mw_bind (W3)' 'bind plain' 5
refused "$ctl" EINVAL '*LENGTH is missing*' 'bind a 0'
refused "$ctl" EINVAL '*(W4)' 'bind a 0 9K' 9
refused "$ctl" EINVAL '*(W4)' 'bind a 8K 1' 7
refused "$ctl" EINVAL '*local_write on the region (W3)' \
    'bind a 0 4K remote_write' 12
refused "$ctl" EINVAL '*cannot stand on a window*' 'bind a 0 4K local_write' 12
refused "$ctl" EINVAL '*type 2 windows only (W5)' 'bind a 0 4K zero_based' 12
refused "$ctl" EINVAL 'the type is 1 or 2 (W1)' 'type 3' 5
refused "$ctl" ENODATA 'not bound' invalidate 0
refused "$P/lab/mw/w/rkey" EINVAL 'unknown verb; *' frob 0
check "a bind that is well" put "$ctl" bind a 0 4K remote_read
is "leaves nothing" "$(cat "$P/lab/mw/w/error")" ok
refused "$ctl" EBUSY 'the type is settled *' 'type 2' 5
key=$(cat "$P/lab/mw/w/rkey")
refused "$ctl" EINVAL '*(W4)' 'bind a 0 9K' 9
is "and a refused bind leaves the key at work (W6)" "$(cat "$P/lab/mw/w/rkey")" \
    "$key"

refused "$P/lab/mr/a/ctl" EBUSY '1 window is bound to this region: mw/w' dereg 0
refused "$P/lab/mr/a/ctl" EBUSY '1 window is bound to this region: mw/w' \
    'rereg none' 0
fails EBUSY rmdir "$P/lab/mr/a"
says "$P/lab/mr/a/error" 'EBUSY: 1 window is bound to this region: mw/w'
finish
