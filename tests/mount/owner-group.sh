#!/bin/sh
# SPDX-License-Identifier: MIT
# A window is handed to a group: chgrp its directory, chmod g+r its rkey.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mw/w"
put "$P/lab/mr/a/ctl" reg 8K mw_bind
put "$P/lab/mw/w/ctl" bind a 0 4K remote_read
rkey=$P/lab/mw/w/rkey

fails EACCES as_user 2001 cat "$rkey"
chgrp 2001 "$P/lab/mw/w"
fails EACCES as_user 2001 cat "$rkey"
chmod g+r "$rkey"
is "the group reads it" "$(as_user 2001 cat "$rkey")" "$(cat "$rkey")"
fails EACCES as_user 2001 put "$rkey" invalidate
fails EACCES as_user 2002 cat "$rkey"
is "a supplementary group is as good" "$(setpriv --reuid=2002 --regid=2002 \
    --groups=2001 cat "$rkey")" "$(cat "$rkey")"
fails EACCES as_user 2001 cat "$P/lab/mw/w/addr"
chmod g+w "$rkey"
check "who may write it may end the key" as_user 2001 put "$rkey" invalidate
fails ENODATA as_user 2001 cat "$rkey"
finish
