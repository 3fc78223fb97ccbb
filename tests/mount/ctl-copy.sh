#!/bin/sh
# SPDX-License-Identifier: MIT
# ctl reads back as commands that bring an equal object to the same state.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab"
cd "$P/lab" || exit
# status DIRECTORY: without what tells of the way to it.  Soft-RoCE has no
# ibv_rereg_mr, so it is emulated there.
status() {
	sed 's/ made=.*//; s/ rereg=emulated//' "$1/status"
}

# same KIND COMMAND...: an object that was told so, and its copy
same() {
	kind=$1
	shift
	mkdir "$kind/a" "$kind/b"
	for command; do
		put "$kind/a/ctl" "$command" || report 1 "$command"
	done
	cat "$kind/a/ctl" >"$T/ctl"
	check "a copy of: $*" dd if="$T/ctl" of="$kind/b/ctl" bs=64K \
	    conv=notrunc
	is "status is the same" "$(status "$kind/b")" "$(status "$kind/a")"
	check "and ctl" cmp "$kind/a/ctl" "$kind/b/ctl"
	rmdir "$kind/a" "$kind/b"
}

mkdir mr/base mr/x mr/y
put mr/base/ctl reg 64K local_write mw_bind
same mr
same mr "rights remote_read"
same mr "reg 5000"
same mr "reg 64K none"
same mr "reg 4K local_write remote_read remote_write remote_atomic mw_bind"
same mr "reg 8K mw_bind" "rights local_write,remote_write"
same mr "reg 4K remote_read iova=0x10000000"
same mr "reg 4K" dereg
same mw
same mw "type 2" "rights remote_read"
same mw "bind base"
same mw "bind base 4096 100 remote_read,remote_write"
same mw "bind base 0 8" "rights remote_write"
same mw "bind base" invalidate

put mr/x/ctl reg 4K remote_read
cat mr/x/ctl >mr/y/ctl
report $? "cat a/ctl > b/ctl"
is "copies it" "$(cat mr/y/rights)" "local_read remote_read"
for file in ctl mr/x/ctl; do
	for verb in destroy keep; do
		check "$file lists $verb" grep -q "^# $verb" $file
	done
done
for verb in reg rereg rights dereg; do
	check "a region's lists $verb" grep -q "^# $verb" mr/x/ctl
done
cd /
finish
