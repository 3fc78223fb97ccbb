#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: a line for each user who has something; his own for each, all for root.
. "$(dirname "$0")/lib.sh"

chmod 1777 "$P"
is "nobody has anything" "$(cat "$D/usage")" ""
as_user 2002 mkdir "$P/b" "$P/b/mr/a" "$P/b/qp/q" "$P/b/mw/v" "$P/b/mw/w"
as_user 2001 mkdir "$P/a"
as_user 2002 put "$P/b/mr/a/ctl" reg 8K local_write mw_bind
his="2002 pd=1 mr=1 mw=2 qp=1 bytes=8192"
is "his own" "$(as_user 2002 cat "$D/usage")" "$his"
is "another's" "$(as_user 2001 cat "$D/usage")" \
    "2001 pd=1 mr=0 mw=0 qp=0 bytes=0"
is "one who has nothing" "$(as_user 2003 cat "$D/usage")" ""
is "all, for root" "$(cat "$D/usage")" \
    "2001 pd=1 mr=0 mw=0 qp=0 bytes=0
$his"
is "a limit alone is no use" \
    "$(put "$D/limits" 2003 mr=1; as_user 2003 cat "$D/usage")" ""
as_user 2002 put "$P/b/mw/w/ctl" bind a
as_user 2002 put "$P/b/mr/a/ctl" destroy
is "windows are unbound and stay" "$(as_user 2002 cat "$D/usage")" \
    "2002 pd=1 mr=0 mw=2 qp=1 bytes=0"
as_user 2002 put "$P/b/ctl" destroy
as_user 2001 rmdir "$P/a"
is "it ends with what there was" "$(cat "$D/usage")" ""
finish
