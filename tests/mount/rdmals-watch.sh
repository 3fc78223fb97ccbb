#!/bin/sh
# SPDX-License-Identifier: MIT
# rdmals -w shows again what has changed, and ends by Ctrl-C.
. "$(dirname "$0")/rdmals.sh"

# wait_for WHAT PATTERN COUNT: until $T/watched has so many such lines
wait_for() {
	tries=0
	until [ "$(grep -c "$2" "$T/watched")" -ge "$3" ]; do
		tries=$((tries + 1))
		[ $tries -lt 1000 ] || break
		sleep 0.02
	done
	[ $tries -lt 1000 ]
	report $? "$1" || show "$T/watched"
}

# end_it SIGNAL
end_it() {
	kill -"$1" $watching
	wait $watching
	is "ends by SIG$1: status" $? 0
	is "all blocks are whole" "$(tail -c 1 "$T/watched" | od -An -c | tr -d ' ')" \
	    '\n'
}

# A shell's background commands ignore SIGINT: env gives it back.
start_it() {
	: >"$T/watched"
	env --default-signal=INT "$RDMALS" -w -m "$R" "$@" >"$T/watched" 2>"$T/err" &
	watching=$!
}

mkdir "$P/lab"
start_it pd
wait_for "shows what there is" "pd/lab " 1
mkdir "$P/second"
wait_for "shows what is made" "pd/second " 1
mkdir "$P/second/mr/r"
wait_for "and what changes in it" "pd/second .* mr=1 " 1
rmdir "$P/second/mr/r" "$P/second"
wait_for "and what goes" "^$" 3
is "blocks are separated by an empty line" \
    "$(awk '/^$/ { getline; if ($1 != "KIND") bad++ } END { print bad + 0 }' \
	"$T/watched")" 0
end_it INT
is "the last is as it is now" "$(tail -n 1 "$T/watched" | awk '{ print $2 }')" \
    "$DEV/pd/lab"
is "no message" "$(cat "$T/err")" ""

start_it -j pd
wait_for "JSON" '^\[' 1
mkdir "$P/third"
wait_for "again" '^\[' 2
end_it TERM
check "each block is valid" jq -e . "$T/watched"

# By events: nothing is read before one comes.
fake
mkfifo "$R/events"
exec 4<>"$R/events"
start_it pd
wait_for "a tree with events" "pd/lab " 1
sed -i 's|^x0/pd/idle |x0/pd/busy |' "$R/list"
echo "1 2 made x0/pd/busy" >&4
wait_for "shows again when one comes" "pd/busy " 1
echo "2 2 refused x0/pd/busy" >&4
sed -i 's|^x0/pd/busy |x0/pd/more |' "$R/list"
echo "3 2 made x0/pd/more" >&4
wait_for "and when another comes" "pd/more " 1
is "but not if nothing has changed" "$(grep -c '^$' "$T/watched")" 2
end_it INT
exec 4>&-

# A file that has no end to wait for, or none at all, is looked at.
rm "$R/events"
echo "1 2 made x0" >"$R/events"
start_it pd
wait_for "a tree with a plain file" "pd/lab " 1
sed -i 's|^x0/pd/more |x0/pd/last |' "$R/list"
wait_for "is looked at" "pd/last " 1
rm "$R/list"
wait $watching
is "no list any more: status" $? 1
like "and why" "$(cat "$T/err")" "rdmals: $R/list: No such file or directory"
finish
