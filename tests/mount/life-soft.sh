#!/bin/sh
# SPDX-License-Identifier: MIT
# --soft says how many soft devices there are; two mounts know nothing of each
# other.
. "$(dirname "$0")/lib.sh"

stop
start --soft 3
is "three" "$(cd "$M" && printf '%s ' soft*)" 'soft0 soft1 soft2 '
first=$daemon

other=$T/other
"$RDMAFS" --soft 1 "$other" 2>"$T/out"
is "without -f it returns when the mount is live" $? 0
check "a missing mount point was made" cat "$other/version"
mkdir "$M/soft0/pd/lab"
check "the other tree is another" test ! -e "$other/soft0/pd/lab"
mkdir "$other/soft0/pd/lab"
check "and ends by itself" umount "$other"
check "this one stays" test -d "$M/soft0/pd/lab"
is "as it was" "$daemon" "$first"

stop
start --soft 0
is "none" "$(cd "$M" && printf '%s ' soft*)" 'soft* '
check "the root is as ever" cat "$M/list" "$M/status"
finish
