#!/bin/sh
# SPDX-License-Identifier: MIT
# Many windows: mkdir, ls -l, rmdir.
#
#	RDMAFS_TEST_MANY	how many (10000)
. "$(dirname "$0")/lib.sh"

count=${RDMAFS_TEST_MANY:-10000}
[ "$(cat "$D/attr/max_mw")" -ge "$count" ] || skip "$DEV has too few windows"
python=/usr/bin/python3
[ -x $python ] || skip "no python3"
mkdir "$P/lab"

# each FUNCTION: of python's os, for each window
# shellcheck disable=SC2317 # it is called
each() {
	$python -c '
import os, sys
os.chdir(sys.argv[2])
for i in range(int(sys.argv[3])):
    getattr(os, sys.argv[1])("w%d" % i)' "$1" "$P/lab/mw" "$count"
}

check "mkdir" each mkdir
is "ls -l shows them all" "$(command ls -l "$P/lab/mw" | grep -c ' w')" "$count"
like "status counts them" "$(cat "$P/lab/status")" "active mr=0 mw=$count *"
is "list has them all" "$(grep -c . "$P/lab/list")" "$count"
check "rmdir" each rmdir
is "none is left" "$(command ls "$P/lab/mw")" clone
finish
