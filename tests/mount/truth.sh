#!/bin/sh
# SPDX-License-Identifier: MIT
# After a change the next stat and readdir of any process tell the truth, while
# others look all the time.  RDMAFS_TRUTH is the program that tries,
# RDMAFS_TRUTH_TRIES how often.  In full:
#
#	RDMAFS_TRUTH_TRIES=80000 RDMAFS_TIME_LIMIT=7200 \
#	    meson test -t 30 -C build truth
. "$(dirname "$0")/peers.sh"

[ -x "${RDMAFS_TRUTH:-}" ] || skip "RDMAFS_TRUTH is not set"
grep -qw 2 "$D/attr/mw_types" || skip "no type 2 windows"
case $DEV in
soft0)	tries=4000 ;;
*)	tries=400 ;;	# emulated
esac
tries=${RDMAFS_TRUTH_TRIES:-$tries}
if check "not one of $tries is stale" \
    "$RDMAFS_TRUTH" "$A" "$B" "$P/c" "$tries"; then
	show "$T/out"
else
	tail -n 1 "$M/errors" | show -
fi
finish
