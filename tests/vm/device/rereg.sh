#!/bin/sh
# SPDX-License-Identifier: MIT
# Other rights for a registered region, on a device that has no ibv_rereg_mr:
# new keys, the same memory, and status says so (D6: soft-RoCE has none).
. "$(dirname "$0")/rdma.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
put "$r/ctl" reg 64K local_write remote_read
echo hello >"$r/data"
before="$(cat "$r/addr") $(pinned) $(counts)"
cat "$r/lkey" "$r/rkey" >"$T/keys"
case $(cat "$r/status") in
*rereg=*)	report 1 "no word of rereg before it" ;;
esac

check "rights are added" put "$r/rights" +mw_bind +remote_write
is "they stand there" "$(cat "$r/rights")" \
    "local_read local_write remote_read remote_write mw_bind"
like "status tells how" "$(cat "$r/status")" "active *rereg=emulated*"
is "the data is there" "$(head -n 1 "$r/data")" hello
for key in lkey rkey; do
	! grep -q "$(cat "$r/$key")" "$T/keys"
	report $? "a new $key"
done
is "address, pinned memory and counts are as before" \
    "$(cat "$r/addr") $(pinned) $(counts)" "$before"
check "a window can be bound now" put "$P/lab/mw/w/ctl" bind r 0 4K remote_write

cat "$r/lkey" "$r/rkey" >"$T/keys"
fails EBUSY put "$r/rights" remote_read
says "$r/error" "EBUSY: 1 window is bound to this region: mw/w"
cat "$r/lkey" "$r/rkey" | cmp - "$T/keys"
report $? "a refused change leaves the keys"
put "$P/lab/mw/w/ctl" invalidate
check "without it rights can go" put "$r/ctl" rereg none
is "all of them" "$(cat "$r/rights")" local_read
is "the data is there" "$(head -n 1 "$r/data")" hello
put "$r/ctl" dereg
put "$r/ctl" reg 4096
case $(cat "$r/status") in
*rereg=*)	report 1 "no word of rereg after another reg" ;;
esac
finish
