#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel's regions are those of `list`, of the same length and keys.
. "$(dirname "$0")/rdma.sh"

lengths() {
	sed -n 's/.* mr active length=\([0-9]*\) .*/\1/p' "$D/list" | sort
}

# keys FILE...: as rdma(8) prints them
keys() {
	for file; do
		printf '0x%x\n' "$(cat "$file")"
	done | sort
}

mkdir "$P/a" "$P/b" "$P/a/mr/r" "$P/a/mr/s" "$P/b/mr/r" "$P/b/mr/unregistered"
put "$P/a/mr/r/ctl" reg 64K local_write remote_read mw_bind
put "$P/a/mr/s/ctl" reg 12345 local_write remote_write
put "$P/b/mr/r/ctl" reg 3M remote_read
is "three regions of their lengths" "$(kernel_says mr mrlen)" "$(lengths)"
is "which are three" "$(lengths | wc -l)" 3
is "their local keys" "$(kernel_says mr lkey)" \
    "$(keys "$P/a/mr/r/lkey" "$P/a/mr/s/lkey" "$P/b/mr/r/lkey")"
is "their remote keys" "$(kernel_says mr rkey)" \
    "$(keys "$P/a/mr/r/rkey" "$P/a/mr/s/rkey" "$P/b/mr/r/rkey")"
is "as many domains" "$(kernel_says pd pdn | wc -l)" "$(grep -c ' pd ' "$D/list")"

put "$P/a/mr/r/ctl" dereg
check "one less" rmdir "$P/a/mr/s"
is "is one less there" "$(kernel_says mr mrlen)" "$(lengths)"
is "its key is that of the last" "$(kernel_says mr lkey)" \
    "$(keys "$P/b/mr/r/lkey")"
put "$P/b/ctl" destroy
is "none is none" "$(kernel_says mr mrlen)" ""
is "one domain is left" "$(kernel_says pd pdn | wc -l)" 1
finish
