#!/bin/sh
# SPDX-License-Identifier: MIT
# clone, opened read-write, makes an object and stands for its ctl; the first
# read gives the name.  It goes with the descriptor.
. "$(dirname "$0")/lib.sh"

exec 3<>"$P/clone"
read -r pd <&3
like "the name is a decimal" "$pd" "[0-9]*"
check "the domain is there" test -d "$P/$pd"
exec 4<>"$P/$pd/mr/clone"
read -r mr <&4
check "a region" test -d "$P/$pd/mr/$mr"
echo reg 4096 local_write mw_bind >&4
like "its ctl is the descriptor" "$(cat "$P/$pd/mr/$mr/status")" "active *"
exec 5<>"$P/$pd/mw/clone"
read -r mw <&5
echo "bind $mr" >&5
like "a window, bound" "$(cat "$P/$pd/mw/$mw/status")" "bound *"
is "the answer is read" "$(cat <&5)" ok
like "then, from the start, its ctl" \
    "$(python3 -c 'import os; print(os.pread(5, 99, 0).decode())')" "bind $mr *"

exec 4<&-
gone "$P/$pd/mr/$mr"
like "what was bound to it is unbound and stays" \
    "$(cat "$P/$pd/mw/$mw/status")" "unbound *"
exec 4<>"$P/$pd/mr/clone"
read -r again <&4
[ "$again" -gt "$mr" ]
report $? "a name is never used twice"
exec 3<&-
gone "$P/$pd"
exec 4<&- 5<&-
is "nothing is left" "$(ls "$P")" clone

exec 3<>"$P/clone"
read -r pd <&3
check "a name can be changed" mv "$P/$pd" "$P/fresh"
exec 3<&-
gone "$P/fresh"
finish
