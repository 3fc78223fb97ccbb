#!/bin/sh
# SPDX-License-Identifier: MIT
# kill -9 of the daemon, and a start over the corpse.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/a"
put "$P/lab/mr/a/ctl" reg 1M
kill -KILL $daemon
wait $daemon 2>/dev/null
fails ENOTCONN cat "$M/version"
start
check "it is mounted anew" cat "$M/version"
is "once" "$(connection | wc -l)" 1
is "and empty" "$(cat "$D/list")" ''
check "domains can be made" mkdir "$P/lab"
finish
