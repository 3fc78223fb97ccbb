#!/bin/sh
# SPDX-License-Identifier: MIT
# A region does not move to a domain that is not there, to one that has its
# name, with windows, or to where its writer may not make one.
. "$(dirname "$0")/refuse.sh"

mkdir "$P/one" "$P/two" "$P/one/mr/r" "$P/one/mr/off" "$P/one/mr/bound" \
    "$P/two/mr/r" "$P/one/mw/w"
put "$P/one/mr/r/ctl" reg 8K local_write mw_bind
put "$P/one/mr/bound/ctl" reg 8K local_write mw_bind
put "$P/one/mw/w/ctl" bind bound
r=$P/one/mr/r
before=$(cat "$r/status" "$r/lkey")

refused "$r/ctl" ENOENT '*' 'rereg pd=nope' 6
refused "$r/ctl" EINVAL '*' 'rereg pd=' 6
refused "$r/ctl" EINVAL '*' 'rereg pd=a/b' 6
refused "$r/ctl" EEXIST '*' 'rereg pd=two' 6
refused "$P/one/mr/off/ctl" ENODATA '*not registered*' 'rereg pd=two'
refused "$P/one/mr/bound/ctl" EBUSY \
    '1 window is bound to this region: mw/w' 'rereg pd=two'
rmdir "$P/two/mr/r"
refused "$r/ctl" EINVAL '*(M2)' 'rereg remote_write pd=two' 6
is "nothing has changed" "$(cat "$r/status" "$r/lkey")" "$before"
is "and none has come there" "$(ls "$P/two/mr")" clone

chmod 1777 "$P"
as_user 2001 mkdir "$P/mine" "$P/mine/mr/m" "$P/mine/mr/n"
for n in m n; do
	as_user 2001 put "$P/mine/mr/$n/ctl" reg 4K local_write
done
fails EACCES as_user 2001 put "$P/mine/mr/m/ctl" rereg pd=two
says "$P/mine/mr/m/error" 'EACCES: '
chmod 777 "$P/two/mr"
check "to where he may make one" \
    as_user 2001 put "$P/mine/mr/m/ctl" rereg pd=two
is "it is his" "$(stat -c %u "$P/two/mr/m")" 2001
chmod 700 "$P/two"
fails EACCES as_user 2001 put "$P/mine/mr/n/ctl" rereg pd=two
check "it is where it was" test -d "$P/mine/mr/n"
check "root may" put "$P/mine/mr/n/ctl" rereg pd=two
is "it is his still" "$(stat -c %u "$P/two/mr/n")" 2001
finish
