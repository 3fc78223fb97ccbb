#!/bin/sh
# SPDX-License-Identifier: MIT
# A window's type is 1 unless said otherwise, and chosen before the first bind.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w" "$P/lab/mw/v"
w=$P/lab/mw/w
put "$P/lab/mr/r/ctl" reg 4K local_write mw_bind
is "it is 1" "$(cat "$w/type")" 1
for type in 0 3 -1 x '' '1 2' 4294967298; do
	fails EINVAL put "$w/ctl" "type $type"
done
is "it is 1 still" "$(cat "$w/type")" 1
check "type 1" put "$w/ctl" type 1
put "$w/ctl" bind r
fails EBUSY put "$w/ctl" type 2
is "bound it keeps its type" "$(cat "$w/type")" 1
if grep -qw 2 "$D/attr/mw_types"; then
	check "type 2" put "$P/lab/mw/v/ctl" type 2
	is "is kept" "$(cat "$P/lab/mw/v/type")" 2
	like "and printed" "$(cat "$P/lab/mw/v/status")" "unbound type=2 *"
	check "and taken back" put "$P/lab/mw/v/ctl" type 1
else
	fails EOPNOTSUPP put "$P/lab/mw/v/ctl" type 2
fi
finish
