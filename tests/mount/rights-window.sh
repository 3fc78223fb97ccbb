#!/bin/sh
# SPDX-License-Identifier: MIT
# Rights of a bound type 1 window are a new bind: range stays, the key is new.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mr/weak" "$P/lab/mw/w"
w=$P/lab/mw/w
put "$P/lab/mr/r/ctl" reg 8K local_write mw_bind
put "$P/lab/mr/weak/ctl" reg 4K mw_bind
put "$w/ctl" bind r 100 200 remote_read
old=$(cat "$w/rkey")
check "new rights" put "$w/rights" +remote_write
like "stand, on the same range" "$(cat "$w/status")" \
    "bound type=1 mr=r offset=100 length=200 rights=remote_read,remote_write *"
new=$(cat "$w/rkey")
check "with a new key" test "$old" != "$new"
check "by the verb" put "$w/ctl" rights none
is "none" "$(cat "$w/rights")" none
check "with a number" put "$w/rights" 0xe
is "as of ibv_access_flags" "$(cat "$w/rights")" \
    "remote_read remote_write remote_atomic"
key=$(cat "$w/rkey")
for wrong in local_write zero_based mw_bind nonsense; do
	fails EINVAL put "$w/rights" "$wrong"
done
is "a refused change leaves the key" "$(cat "$w/rkey")" "$key"
put "$w/ctl" bind weak remote_read
fails EINVAL put "$w/rights" remote_write
says "$w/error" "EINVAL: remote_write needs local_write on the region (W3)"
is "and the rights" "$(cat "$w/rights")" remote_read
finish
