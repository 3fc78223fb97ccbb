#!/bin/sh
# SPDX-License-Identifier: MIT
# kill -9 of a clone's holder ends the object and what hangs on it; a
# descriptor that a child has inherited keeps it.
. "$(dirname "$0")/lib.sh"

mkfifo "$T/fifo" "$T/hold"
sh -c 'exec 3<>"$1/clone"; read -r n <&3; mkdir "$1/$n/mr/r" "$1/$n/mw/w"
	echo reg 4096 mw_bind >"$1/$n/mr/r/ctl"
	echo bind r >"$1/$n/mw/w/ctl"
	echo "$n" >"$2/fifo"; read -r n <"$2/hold"' sh "$P" "$T" &
holder=$!
read -r name <"$T/fifo"
like "it is there while it is held" "$(cat "$P/$name/mw/w/status")" "bound *"
kill -9 $holder
wait $holder 2>/dev/null
gone "$P/$name"
is "with all that was in it" "$(grep -c " m[rw] " "$D/list")" 0

exec 3<>"$P/clone"
read -r name <&3
sh -c 'read -r n <"$1/hold"' sh "$T" &
exec 3<&-
check "a child's descriptor keeps it" test -d "$P/$name"
echo >"$T/hold"
wait $!
gone "$P/$name"
finish
