#!/bin/sh
# SPDX-License-Identifier: MIT
# Times of calls: each is counted when it is over, a request when it is complete.
. "$(dirname "$0")/fault.sh"

calls() {
	metric "rdmafs_backend_seconds_count{device=\"\$DEVICE\",call=\"$1\"}"
}
! grep -q 'call="pd_alloc"' "$M/metrics"
report $? "a call that never was has no samples"
mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
is "a call" "$(calls pd_alloc)" 1
put "$P/lab/mr/r/ctl" reg 64K local_write mw_bind
put "$P/lab/mw/w/ctl" bind r 0 4K remote_read
is "a bind" "$(calls mw_bind)" 1
fault hold mw_bind
put "$P/lab/mw/w/ctl" bind r 4K 4K remote_read &
writer=$!
fault held 1
is "not yet, while it is under way" "$(calls mw_bind)" 1
fault release
wait $writer
is "then" "$(calls mw_bind)" 2
fault fail mr_dereg 1 EIO
put "$P/lab/mw/w/ctl" invalidate
fails EIO put "$P/lab/mr/r/ctl" dereg
is "one that fails is one" "$(calls mr_dereg)" 1
finish
