#!/bin/sh
# SPDX-License-Identifier: MIT
# A missing mount point is made; soft0 is there unless --soft 0.
. "$(dirname "$0")/lib.sh"

stop
M=$T/deep/mnt
check "it is not there yet" test ! -e "$M"
mkdir "$T/deep"
start --soft 2
check "it has been made" mountpoint -q "$M"
check "soft1 is there" test -d "$M/soft1"
stop
start --soft 0
check "there is no soft0" test ! -e "$M/soft0"
stop
start --soft 1
check "one is soft0" test -d "$M/soft0/pd"
check "and no other" test ! -e "$M/soft1"
finish
