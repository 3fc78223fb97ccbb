#!/bin/sh
# SPDX-License-Identifier: MIT
# What a bind is refused for (rules W2 to W5): region, range and rights.  A
# refused bind leaves the old binding and key at work (W6).
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/other" "$P/lab/mr/r" "$P/lab/mr/weak" "$P/lab/mr/none" \
    "$P/lab/mr/fresh" "$P/other/mr/far" "$P/lab/mw/w"
w=$P/lab/mw/w
put "$P/lab/mr/r/ctl" reg 8K local_write mw_bind
put "$P/lab/mr/weak/ctl" reg 8K mw_bind
put "$P/lab/mr/none/ctl" reg 8K local_write
put "$P/other/mr/far/ctl" reg 8K local_write mw_bind
put "$w/ctl" bind r 0 4K remote_read
key=$(cat "$w/rkey")
# refused ERRNO REASON ARGUMENT...
refused() {
	errno=$1
	reason=$2
	shift 2
	fails "$errno" put "$w/ctl" "bind $*"
	says "$w/error" "$errno: $reason"
	is "the old key works on" "$(cat "$w/rkey")" "$key"
}

refused EINVAL "*mw_bind (W3)" none
refused EINVAL "remote_write needs local_write*(W3)" weak remote_write
refused EINVAL "remote_atomic needs local_write*(W3)" weak 0 8 remote_atomic
refused ENODATA "*not registered" fresh
refused ENOENT "" nowhere
refused ENOENT "" far
refused EINVAL "" ../../other/mr/far
refused EINVAL "local_write*(W3)" r local_write
refused EINVAL "mw_bind*(W3)" r remote_read,mw_bind
refused EINVAL "zero_based*(W5)" r zero_based
refused EINVAL "*(W4)" r 0 8193
refused EINVAL "*(W4)" r 8192 1
refused EINVAL "*(W4)" r 0xffffffffffffffff 2
refused EINVAL "" r 4096
refused EINVAL "" r -1 4096
refused EINVAL "" r 0 1e3
refused EINVAL "" r 0 4K 0xf
refused EINVAL "" r +remote_write
refused EINVAL "" ""
check "the last byte is inside" put "$w/ctl" bind r 8191 1
check "remote_read needs nothing" put "$w/ctl" bind weak remote_read
if grep -qv 'lacks=[^ ]*zero_based' "$D/status"; then
	put "$P/lab/mr/none/ctl" dereg
	put "$P/lab/mr/none/ctl" reg 4K zero_based mw_bind
	key=$(cat "$w/rkey")
	refused EINVAL "*zero_based*(W5)" none
fi
finish
