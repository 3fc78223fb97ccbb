#!/bin/sh
# SPDX-License-Identifier: MIT
# A region holds a descriptor of the daemon's.  When none is left that is
# ENOMEM with the limit, and over when a region goes.
# shellcheck disable=SC3045 # dash, bash and busybox have it
ulimit -n 60
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab"
i=0
while [ $i -lt 60 ]; do
	mkdir "$P/lab/mr/r$i"
	put "$P/lab/mr/r$i/ctl" reg 4K 2>"$T/err" || break
	i=$((i + 1))
done
check "there are some regions" test $i -gt 10
check "and an end" test $i -lt 60
says "$P/lab/mr/r$i/error" \
    "ENOMEM: no descriptor is left for a region: rdmafs may have 60 "
check "one goes" put "$P/lab/mr/r0/ctl" destroy
check "another comes" put "$P/lab/mr/r$i/ctl" reg 4K
finish
