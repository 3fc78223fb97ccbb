#!/bin/sh
# SPDX-License-Identifier: MIT
# In 300 binds of one window no key comes twice (W9), rights changed and
# invalidated in between.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
w=$P/lab/mw/w
put "$P/lab/mr/r/ctl" reg 4K local_write mw_bind
i=0
while [ $i -lt 100 ]; do
	echo bind r >"$w/ctl"
	read -r key <"$w/rkey"
	echo "$key"
	echo remote_read >"$w/rights"
	read -r key <"$w/rkey"
	echo "$key"
	echo bind r 8 8 >"$w/ctl"
	read -r key <"$w/rkey"
	echo "$key"
	echo invalidate >"$w/ctl"
	i=$((i + 1))
done >"$T/keys"
is "300 binds" "$(wc -l <"$T/keys")" 300
is "no key twice" "$(sort "$T/keys" | uniq -d)" ""
check "the window is itself as before" put "$w/ctl" bind r
i=0
while [ $i -lt 300 ]; do
	echo none >"$w/rights"
	read -r key <"$w/rkey"
	echo "$key"
	i=$((i + 1))
done >>"$T/keys"
is "300 more, always bound" "$(wc -l <"$T/keys")" 600
is "not one of them seen before" "$(sort "$T/keys" | uniq -d)" ""
new=$(cut -d ' ' -f 3 "$w/events" | grep -c new_index)
[ "$new" -ge 2 ]
report $? "of each new index there is an event ($new)"
is "one window is bound" "$(wc -l <"$P/lab/mr/r/windows")" 1
finish
