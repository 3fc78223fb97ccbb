#!/bin/sh
# SPDX-License-Identifier: MIT
# Limits of one user are nobody else's; chown moves what is counted, lowering
# refuses only what is new.
. "$(dirname "$0")/lib.sh"

chmod 1777 "$P"
put "$D/limits" 2001 mr=2 mw=1
as_user 2001 mkdir "$P/his" "$P/his/mr/a" "$P/his/mw/a"
as_user 2002 mkdir "$P/hers" "$P/hers/mw/a"
as_user 2001 put "$P/his/mr/a/ctl" reg 64K local_write
fails EDQUOT as_user 2001 mkdir "$P/his/mw/b"
is "he reads why" "$(as_user 2001 cat "$P/his/error")" \
    "EDQUOT: uid 2001 has 1 of 1 windows on $DEV"
check "she may have more" as_user 2002 mkdir "$P/hers/mw/b" "$P/hers/mw/c"
fails EACCES as_user 2001 put "$D/limits" 2001 mw=9
check "he may read the limits" as_user 2001 grep -qx '2001 mr=2 mw=1' \
    "$D/limits"
check "as root, even in his domain, root's count" mkdir "$P/his/mw/root"

fails EPERM as_user 2002 chown 2001 "$P/hers/mw/a"
chown 2001 "$P/hers/mw/a"
report $? "root does, even over his limit"
is "it counts for him" "$(as_user 2001 cat "$D/usage")" \
    "2001 pd=1 mr=1 mw=2 qp=0 bytes=65536"
is "and not for her" "$(as_user 2002 cat "$D/usage")" \
    "2002 pd=1 mr=0 mw=2 qp=0 bytes=0"
chown 2002 "$P/his/mr/a"
is "a region takes its bytes along" "$(cat "$D/usage")" \
    "0 pd=0 mr=0 mw=1 qp=0 bytes=0
2001 pd=1 mr=0 mw=2 qp=0 bytes=0
2002 pd=1 mr=1 mw=2 qp=0 bytes=65536"
chown :2002 "$P/his/mr/a"
chown 2002 "$P/his/mr/a" "$P/his/mr"
is "nothing counts twice" "$(as_user 2002 cat "$D/usage")" \
    "2002 pd=1 mr=1 mw=2 qp=0 bytes=65536"
put "$P/his/mr/a/ctl" dereg
is "what ends is given back to its owner" "$(as_user 2002 cat "$D/usage")" \
    "2002 pd=1 mr=1 mw=2 qp=0 bytes=0"
exec 3<"$P/his/mr/a"
rmdir "$P/his/mr/a"
exec 3<&-
is "and so is the region" "$(as_user 2002 cat "$D/usage")" \
    "2002 pd=1 mr=0 mw=2 qp=0 bytes=0"

put "$D/limits" 2002 mw=0
is "lowered: what is there stays" "$(as_user 2002 cat "$D/usage")" \
    "2002 pd=1 mr=0 mw=2 qp=0 bytes=0"
fails EDQUOT as_user 2002 mkdir "$P/hers/mw/x"
like "with the numbers" "$(as_user 2002 cat "$P/hers/error")" \
    "EDQUOT: uid 2002 has 2 of 0 windows on $DEV"
check "hers can be destroyed" as_user 2002 rmdir "$P/hers/mw/b" "$P/hers/mw/c"
fails EDQUOT as_user 2002 mkdir "$P/hers/mw/x"
put "$D/limits" 2002 mw=1
check "and made again below it" as_user 2002 mkdir "$P/hers/mw/x"
for other in "$M"/*/limits; do
	[ "$other" = "$D/limits" ] ||
	    is "another device has its own" "$(cat "$other")" \
		"default mr=max mw=max qp=max pd=max bytes=max"
done
finish
