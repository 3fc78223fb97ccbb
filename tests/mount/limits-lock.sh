#!/bin/sh
# SPDX-License-Identifier: MIT
# Over the lock limit: ENOMEM tells the need, the limit and what there is (M7).
. "$(dirname "$0")/lib.sh"

stop
RDMAFS_WRAP="setpriv --bounding-set=-ipc_lock,-sys_resource \
prlimit \
--memlock=1048576:1048576 ${RDMAFS_WRAP:-}"
start
mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mr/b"
check "below the limit" put "$P/lab/mr/a/ctl" reg 64K
fails ENOMEM put "$P/lab/mr/b/ctl" reg 4000001
says "$P/lab/mr/b/error" "ENOMEM: *need 4001792 bytes of locked memory, \
the limit (RLIMIT_MEMLOCK) is 1048576 and "
there=$(sed -n '1s/.* and \([0-9]*\) are \(locked\|pinned\) now$/\1/p' \
    "$P/lab/mr/b/error")
[ "${there:-0}" -ge 65536 ] && [ "$there" -le 1048576 ]
report $? "and what is there: $there"
is "bytes of what failed are not counted" "$(cat "$D/usage")" \
    "0 pd=1 mr=2 mw=0 qp=0 bytes=65536"
check "once there is room, it goes on" put "$P/lab/mr/b/ctl" reg 64K
finish
