#!/bin/sh
# SPDX-License-Identifier: MIT
# The owner of a region's memory may truncate it: the daemon survives.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
shm=$(mktemp /dev/shm/rdmafs.XXXXXX) || skip "no /dev/shm"
truncate -s 16384 "$shm"
exec 5<>"$shm"
echo reg fd=5 local_write remote_read mw_bind >"$r/ctl"
put "$P/lab/mw/w/ctl" bind r 8192 4096 remote_read
exec 6<>"$r/data"
: >"$shm"
for f in "$r"/* "$P/lab/mw/w"/*; do
	timeout $soon cat "$f" >"$T/out" 2>&1
	[ $? -ne 124 ]
	report $? "${f##*/} can be read, or refused"
done
(echo hello >"$r/data") 2>"$T/err"
dd if=/dev/zero of="$r/data" bs=4096 seek=2 count=1 conv=notrunc 2>"$T/err"
check "the daemon lives" cat "$M/version"
check "its windows do" put "$P/lab/mw/w/ctl" invalidate
put "$r/rights" +remote_write 2>"$T/err"
(cat <&6) >"$T/out" 2>&1
exec 6<&-
put "$r/ctl" dereg
report $? "it can be deregistered"
check "and another be made" put "$r/ctl" reg 4K
rm "$shm"
finish
