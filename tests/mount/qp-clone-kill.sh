#!/bin/sh
# SPDX-License-Identifier: MIT
# kill -9 of the holder of a queue pair's clone destroys it with its mappings
# and unbinds its windows.
. "$(dirname "$0")/peers.sh"

peers
mkdir "$B/mw/w"
put "$B/mw/w/ctl" type 2
mkfifo "$T/fifo" "$T/hold"
sh -c 'exec 3<>"$1/qp/clone"; read -r n <&3; mkdir "$1/qp/$n/mem/m"
	echo connect $(cat "$3/local") >&3
	echo "bind r remote_read qp=$n" >"$1/mw/w/ctl"
	echo "$n" >"$2/fifo"; read -r n <"$2/hold"' sh "$B" "$T" "$A/qp/q" &
holder=$!
read -r name <"$T/fifo"
like "it has a number" "$name" '[1-9]*'
like "it is connected" "$(cat "$B/qp/$name/status")" 'rts * windows=1 mem=1 *'
like "with a window" "$(cat "$B/mw/w/status")" "bound * qp=$name *"
key=$(cat "$B/mw/w/rkey")
kill -9 $holder
wait $holder 2>/dev/null
gone "$B/qp/$name"
like "the window is unbound" "$(cat "$B/mw/w/status")" 'unbound type=2 *'
fails ENODATA cat "$B/mw/w/rkey"
is "no mapping is left" "$(grep -c '/mem/' "$D/list")" 0
put "$B/mw/w/ctl" bind r remote_read qp=q
check "another bind has another key" test "$(cat "$B/mw/w/rkey")" != "$key"

exec 3<>"$B/qp/clone"
read -r name <&3
echo keep >&3
exec 3<&-
check "one that is kept stays" test -d "$B/qp/$name"
fails EACCES cat "$B/qp/clone"
finish
