#!/bin/sh
# SPDX-License-Identifier: MIT
# A second user sees states, but no key, no error and no byte.
. "$(dirname "$0")/lib.sh"

chmod 1777 "$P"
as_user 2001 mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mw/w" "$P/own" "$P/own/mr/b"
chmod 700 "$P/own"
as_user 2001 put "$P/lab/mr/a/ctl" reg 8K mw_bind remote_read
as_user 2001 put "$P/lab/mw/w/ctl" bind a 0 4K remote_read
as_user 2001 put "$P/own/mr/b/ctl" reg 4K

for file in mr/a/status mr/a/rights mr/a/length mr/a/windows mw/w/status \
    mw/w/type mw/w/length mw/w/rights status list; do
	check "he sees $file" as_user 2002 cat "$P/lab/$file"
done
for file in mr/a/lkey mr/a/rkey mr/a/addr mr/a/data mr/a/ctl mr/a/error \
    mr/a/translation mw/w/rkey mw/w/addr mw/w/ctl mw/w/error ctl error; do
	fails EACCES as_user 2002 cat "$P/lab/$file"
done
fails EACCES as_user 2001 cat "$P/lab/mr/a/translation"
fails EACCES as_user 2002 put "$P/lab/mr/a/rights" none
fails EACCES as_user 2002 rmdir "$P/lab/mw/w"
fails EACCES as_user 2002 mkdir "$P/lab/mw/x"
fails EACCES as_user 2002 ls "$P/own"

is "list has what he reaches" "$(as_user 2002 cut -d ' ' -f 1 "$D/list" |
    tr '\n' ' ')" 'pd/lab pd/lab/mr/a pd/lab/mw/w '
is "the owner's has more" "$(as_user 2001 cut -d ' ' -f 1 "$D/list" |
    tr '\n' ' ')" 'pd/lab pd/lab/mr/a pd/lab/mw/w pd/own pd/own/mr/b '
is "and root's" "$(grep -c . "$D/list")" 5
chmod 700 "$P/lab/mw/w"
is "windows has what he reaches, too" \
    "$(as_user 2002 cat "$P/lab/mr/a/windows")" ''
like "and the owner" "$(as_user 2001 cat "$P/lab/mr/a/windows")" 'mw/w mw bound *'
finish
