#!/bin/sh
# SPDX-License-Identifier: MIT
# local is word for word what the peer's connect takes; a reset brings a new
# number, and what does not exist yet is ENODATA.
. "$(dirname "$0")/peers.sh"

mkdir "$A" "$B" "$A/qp/q" "$B/qp/q"
a=$A/qp/q
b=$B/qp/q
gid=$(printf '[0-9a-f]%.0s' 1 2 3 4)
gid=$gid:$gid:$gid:$gid:$gid:$gid:$gid:$gid
like "local has all of it" "$(cat "$a/local")" "qpn=[1-9]* psn=[0-9]* gid=$gid*"
like "and the number" "$(cat "$a/local")" "qpn=$(cat "$a/num") *"
is "the state" "$(cat "$a/state")" reset
fails ENODATA cat "$a/remote"
is "wc is empty" "$(cat "$a/wc")" ''
{ printf 'connect '; cat "$b/local"; } >"$T/line"
check "a file of it connects" dd if="$T/line" of="$a/ctl" status=none \
    conv=notrunc
put "$b/ctl" connect "$(cat "$a/local")"
report $? "and so does a word list"
for q in $a $b; do
	is "the state" "$(cat "$q/state")" rts
done
is "remote is the other's local" "$(cat "$a/remote")" "$(cat "$b/local")"
is "on both sides" "$(cat "$b/remote")" "$(cat "$a/local")"

num=$(cat "$a/num")
check "reset" put "$a/ctl" reset
check "it has another number" test "$(cat "$a/num")" != "$num"
like "as local says" "$(cat "$a/local")" "qpn=$(cat "$a/num") *"
is "the state" "$(cat "$a/state")" reset
fails ENODATA cat "$a/remote"
is "the other side has not heard" "$(cat "$b/state")" rts
put "$b/ctl" reset
line=$(sed 's/ mtu=.*//' "$b/local")
check "the mtu may be left out" put "$a/ctl" connect "$line"
check "or be a smaller one" put "$b/ctl" connect \
    "$(sed 's/ mtu=.*//' "$a/local")" mtu=512
like "which remote shows" "$(cat "$b/remote")" '* mtu=512'
finish
