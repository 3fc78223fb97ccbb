#!/bin/sh
# SPDX-License-Identifier: MIT
# Each kind of limit, by default and of a user: EDQUOT with the numbers, and
# what the limit is not about goes on.
. "$(dirname "$0")/lib.sh"

# limit LINE...
limit() {
	put "$D/limits" "$*"
}

mkdir "$P/lab"
limit default mr=1 mw=1 qp=1 pd=1

fails EDQUOT mkdir "$P/more"
says "$D/error" "EDQUOT: uid 0 has 1 of 1 domains on $DEV"
check "a region" mkdir "$P/lab/mr/a"
fails EDQUOT mkdir "$P/lab/mr/b"
says "$P/lab/error" "EDQUOT: uid 0 has 1 of 1 regions on $DEV"
check "a window" mkdir "$P/lab/mw/a"
fails EDQUOT mkdir "$P/lab/mw/b"
says "$P/lab/error" "EDQUOT: uid 0 has 1 of 1 windows on $DEV"
check "a queue pair" mkdir "$P/lab/qp/a"
fails EDQUOT mkdir "$P/lab/qp/b"
says "$P/lab/error" "EDQUOT: uid 0 has 1 of 1 queue pairs on $DEV"
check "a mapping is not counted" mkdir "$P/lab/qp/a/mem/m" "$P/lab/qp/a/mem/n"
like "errors has it too" "$(tail -n 1 "$M/errors")" \
    "*$DEV/pd/lab/qp EDQUOT: uid 0 has 1 of 1 queue pairs on $DEV"

rmdir "$P/lab/mw/a"
check "one that is gone makes room" mkdir "$P/lab/mw/c"
limit 0 mw=2
check "a user's own limit goes before the default" mkdir "$P/lab/mw/d"
fails EDQUOT mkdir "$P/lab/mw/e"
says "$P/lab/error" "EDQUOT: uid 0 has 2 of 2 windows on $DEV"
limit 0 mw=default
fails EDQUOT mkdir "$P/lab/mw/e"
says "$P/lab/error" "EDQUOT: uid 0 has 2 of 1 windows on $DEV"
limit 0 mw=max
check "max is no limit" mkdir "$P/lab/mw/e"

limit default mr=max bytes=128K
mkdir "$P/lab/mr/b"
check "bytes below the limit" put "$P/lab/mr/a/ctl" reg 100K
fails EDQUOT put "$P/lab/mr/b/ctl" reg 32K remote_read
says "$P/lab/mr/b/error" \
    "EDQUOT: need 32768 bytes, uid 0 has 102400 of 131072 bytes registered on $DEV
reg 32K remote_read
    ^"
like "it is as before" "$(cat "$P/lab/mr/b/status")" "unregistered *"
check "to the last byte" put "$P/lab/mr/b/ctl" reg 28K
put "$P/lab/mr/b/ctl" dereg
check "bytes of a region that ended are free" put "$P/lab/mr/b/ctl" reg 28K
check "rereg takes none" put "$P/lab/mr/b/ctl" rereg remote_read
put "$P/lab/mr/a/ctl" destroy
limit default bytes=30000
# The length is the file's.
truncate -s 8192 /dev/shm/limits.$$
mkdir "$P/lab/mr/f"
# shellcheck disable=SC2317 # by fails and check
reg_file() {
	exec 4<>/dev/shm/limits.$$
	put "$P/lab/mr/f/ctl" reg fd=4
}
fails EDQUOT reg_file
says "$P/lab/mr/f/error" "EDQUOT: need 8192 bytes, uid 0 has 28672 of 30000 "
limit default bytes=36864
check "memory of the writer's counts" reg_file
exec 4<&-
rm /dev/shm/limits.$$
like "by its length" "$(cat "$D/usage")" "0 * bytes=36864"
put "$P/lab/ctl" destroy
is "then nobody has anything" "$(cat "$D/usage")" ""
finish
