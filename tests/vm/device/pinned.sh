#!/bin/sh
# SPDX-License-Identifier: MIT
# Registering pins pages (M1, M7): VmPin grows and shrinks with it.
. "$(dirname "$0")/rdma.sh"

is "nothing is pinned" "$(pinned)" 0
mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mr/b"
put "$P/lab/mr/a/ctl" reg 1M
is "1 MiB is" "$(pinned)" 1024
put "$P/lab/mr/b/ctl" reg 4097 local_write
is "and two pages" "$(pinned)" 1032
like "status tells of them" "$(cat "$P/lab/mr/b/status")" "* pinned=8192 *"
put "$P/lab/mr/b/rights" remote_read
is "no more after other rights" "$(pinned)" 1032
fails EINVAL put "$P/lab/mr/b/rights" remote_write
is "nor after refused ones" "$(pinned)" 1032
put "$P/lab/mr/a/ctl" dereg
is "less after dereg" "$(pinned)" 8
check "a region goes" rmdir "$P/lab/mr/b"
is "then nothing is" "$(pinned)" 0
put "$P/lab/mr/a/ctl" reg 4096
put "$P/lab/ctl" destroy
is "nor after destroy of the domain" "$(pinned)" 0
finish
