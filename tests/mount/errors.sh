#!/bin/sh
# SPDX-License-Identifier: MIT
# /rdma/errors: the last 64 refusals of each user, for his eyes and root's.
. "$(dirname "$0")/lib.sh"

chmod 777 "$P"
errors=$M/errors

is "at first it is empty" "$(cat "$errors")" ''
as_user 2001 mkdir "$P/one"
as_user 2001 put "$P/one/ctl" frob 2>/dev/null
as_user 2002 mkdir "$P/two"
as_user 2002 rmdir "$P/two/mr" 2>/dev/null
as_user 2002 mkdir "$P/-two" 2>/dev/null
cat "$P/none" 2>/dev/null
like "a line has number, time, uid, pid and path" "$(as_user 2001 cat "$errors")" \
    "1 [0-9]* uid=2001 pid=[0-9]* $DEV/pd/one/ctl EINVAL: unknown verb*"
is "the other his" "$(as_user 2002 grep -c . "$errors")" \
    "$(as_user 2002 grep -c uid=2002 "$errors")"
is "and nobody else's" "$(as_user 2001 cut -d ' ' -f 3 "$errors" | sort -u)" \
    uid=2001
is "who has none sees none" "$(as_user 2003 cat "$errors")" ''
is "root sees all" "$(cut -d ' ' -f 3 "$errors" | sort -u | tr '\n' ' ')" \
    'uid=2001 uid=2002 '

as_user 2001 put "$M/ctl" clear errors
is "one can clear his own" "$(as_user 2001 cat "$errors")" ''
like "not another's" "$(as_user 2002 cat "$errors")" '*uid=2002*'

put "$M/ctl" clear errors
i=0
while [ $i -lt 70 ]; do
	printf 'frob%d\n' $i >"$M/ctl"
	i=$((i + 1))
done 2>/dev/null
is "64 are kept" "$(grep -c uid=0 "$errors")" 64
is "the newest last" "$(cut -d ' ' -f 1 "$errors" | sort -n -c && echo yes)" yes
is "a failed open is not among them" "$(grep -c none "$errors")" 0
finish
