#!/bin/sh
# SPDX-License-Identifier: MIT
# What the device cannot do is refused by its name, and nothing is changed; what
# it gets wrong stands in its status.
. "$(dirname "$0")/rdma.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
lacks=$(sed -n 's/.* lacks=\([^ ]*\).*/\1/p' "$D/status" | tr , ' ')
# Soft-RoCE takes zero_based and ignores it, or refuses it (D9).
like "it lacks zero_based" " $lacks " "* zero_based *"
for right in $lacks; do
	case $right in
	flush)	right=flush_global ;;
	esac
	fails EOPNOTSUPP put "$r/ctl" reg 64K local_write "$right"
	like "$right is named" "$(cat "$r/error")" "EOPNOTSUPP: $right *"
done
like "nothing was registered" "$(cat "$r/status")" "unregistered *"
is "nor does the kernel know of any" "$(kernel_says mr mrlen)" ""
check "hugetlb and relaxed_ordering matter to no one (M4, M3)" \
    put "$r/ctl" reg 64K local_write remote_read hugetlb relaxed_ordering
put "$r/ctl" dereg
check "the remote address can be chosen" \
    put "$r/ctl" reg 64K local_write mw_bind iova=0
is "it is that" "$(cat "$r/addr")" 0x0000000000000000
check "a window counts from it" \
    put "$P/lab/mw/w/ctl" bind r 4K 4K remote_write
is "its address" "$(cat "$P/lab/mw/w/addr")" 0x0000000000001000

# D1, D6, D9, D11, D13
like "what it breaks" "$(cat "$D/status")" \
    "*breaks=window_range,window_owner,same_keys,key_guess,rereg *"
put "$P/lab/mw/w/ctl" invalidate
put "$r/ctl" rereg remote_read
is "such as keys that differ" "$(cat "$r/lkey")" "$(cat "$r/rkey")"
finish
