#!/bin/sh
# SPDX-License-Identifier: MIT
# What there is: objects, bound windows, bytes; and what has been bound and ended.
# shellcheck disable=SC2016 # for metric and rises
. "$(dirname "$0")/lib.sh"

objects() {
	for kind in pd mr mw qp mem; do
		metric "rdmafs_objects{device=\"\$DEVICE\",kind=\"$kind\"}"
	done | xargs
}
# gauge NAME WANT WHEN
gauge() {
	is "$3: $1" "$(metric "rdmafs_$1{device=\"\$DEVICE\"}")" "$2"
}
ended() {
	how=$1
	shift
	rises "rdmafs_keys_ended_total{device=\"\$DEVICE\",how=\"$how\"}" "$@"
}
binds() {
	rises 'rdmafs_binds_total{device="$DEVICE",type="1"}' "$@"
}
is "nothing" "$(objects)" "0 0 0 0 0"
mkdir "$P/lab" "$P/two" "$P/lab/mr/a" "$P/lab/mr/b" "$P/lab/mr/c" \
    "$P/lab/mw/w" "$P/lab/qp/q" "$P/lab/qp/q/mem/m"
is "each kind" "$(objects)" "2 3 1 1 1"
put "$P/lab/mr/a/ctl" reg 5000 local_write remote_read mw_bind
put "$P/lab/mr/b/ctl" reg 64K local_write remote_read mw_bind
gauge registered_bytes 70536 "two regions"
gauge pinned_bytes 73728 "two regions"
gauge bound_windows 0 "nothing bound"
binds 1 put "$P/lab/mw/w/ctl" bind a
gauge bound_windows 1 bound
binds 0 put "$P/lab/mw/w/ctl" bind c
ended rebind 1 put "$P/lab/mw/w/ctl" bind b
gauge bound_windows 1 "bound anew"
ended invalidated 1 put "$P/lab/mw/w/ctl" invalidate
gauge bound_windows 0 invalidated
ended invalidated 0 put "$P/lab/mw/w/ctl" invalidate
ended rereg 1 put "$P/lab/mr/a/ctl" rereg remote_read
gauge registered_bytes 70536 "the same, with other rights"
ended dereg 1 put "$P/lab/mr/a/ctl" dereg
gauge registered_bytes 65536 "one region"
put "$P/lab/mw/w/ctl" bind b
# Its own key, and the window's.
ended destroyed 2 put "$P/lab/mr/b/ctl" destroy
gauge bound_windows 0 "the region is gone"
gauge registered_bytes 0 "the region is gone"
gauge pinned_bytes 0 "the region is gone"
put "$P/lab/ctl" destroy
is "one domain is left" "$(objects)" "1 0 0 0 0"
finish
