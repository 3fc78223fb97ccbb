#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel counts windows as users of their domain: one each however often
# it is bound, and none once it is gone.
. "$(dirname "$0")/rdma.sh"

fill lab
counts >"$T/filled"
before=$(users)
mkdir "$P/lab/mw/w" "$P/lab/mw/v"
put "$P/lab/mw/w/ctl" bind a 0 4K remote_read
is "a window is a user" "$(users)" $((before + 1))
put "$P/lab/mw/v/ctl" bind a
is "another" "$(users)" $((before + 2))
put "$P/lab/mw/v/ctl" bind a 4K 4K remote_read
is "bound again it is the same" "$(users)" $((before + 2))
put "$P/lab/mw/v/ctl" invalidate
check "a window goes" rmdir "$P/lab/mw/v"
is "and is none" "$(users)" $((before + 1))

# More binds in one domain than an index has tags: the device's window is
# replaced on the way, never added to (W9).
for i in $(seq 300); do
	echo bind a "$((i % 16 * 4))K" 4K remote_read
	[ $((i % 3)) -ne 0 ] || echo invalidate
done >"$T/script"
key=$(cat "$P/lab/mw/w/rkey")
check "400 commands in a write" dd if="$T/script" of="$P/lab/mw/w/ctl" bs=64K \
    conv=notrunc status=none
put "$P/lab/mw/w/ctl" bind a 0 4K remote_read
[ $((key >> 8)) -ne $(($(cat "$P/lab/mw/w/rkey") >> 8)) ]
report $? "its key has another index then"
is "it is one user still" "$(users)" $((before + 1))
check "it goes, too" rmdir "$P/lab/mw/w"
is "as before" "$(users)" "$before"
is "nothing else was made for them" "$(counts)" "$(cat "$T/filled")"
check "the domain goes with all that is in it" put "$P/lab/ctl" destroy
is "no domain is left" "$(kernel_says pd pdn)" ""
finish
