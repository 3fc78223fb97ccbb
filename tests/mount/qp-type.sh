#!/bin/sh
# SPDX-License-Identifier: MIT
# A queue pair's type, port and GID are chosen before it is connected; ctl reads
# back as what brings another one there.
. "$(dirname "$0")/peers.sh"

mkdir "$A" "$A/qp/a" "$A/qp/b"
a=$A/qp/a
is "it is rc" "$(cat "$a/type")" rc
is "and ctl has nothing to repeat" "$(grep -v '^#' "$a/ctl")" ''
for verb in type connect reset write read fetch_add cmp_swap send recv rights \
    destroy keep; do
	check "ctl lists $verb" grep -q "^# $verb" "$a/ctl"
done

check "uc" put "$a/ctl" type uc
is "type says so" "$(cat "$a/type")" uc
like "and status" "$(cat "$a/status")" 'reset type=uc *'
like "local is that of the number" "$(cat "$a/local")" "qpn=$(cat "$a/num") *"
check "rc again, on port 1" put "$a/ctl" type rc port=1
check "with a GID" put "$a/ctl" type uc gid=0 port=1
gid=$(cat "$D/port/1/gid/0")
like "which local has" "$(cat "$a/local")" "* gid=$gid *"
check "and rights" put "$a/rights" remote_read
is "ctl reads back" "$(grep -v '^#' "$a/ctl")" 'type uc port=1 gid=0
rights remote_read'
cat "$a/ctl" >"$A/qp/b/ctl"
report $? "cat a/ctl > b/ctl"
# Numbers are different.
words() {
	sed 's/num=[0-9]*//; s/ made=.*//' "$1/status"
}
is "copies type and rights" "$(words "$A/qp/b")" "$(words "$a")"
is "and the rest" "$(cat "$A/qp/b/ctl")" "$(cat "$a/ctl")"
check "reset" put "$a/ctl" reset
like "keeps all of it" "$(cat "$a/status")" \
    'reset type=uc * rights=local_read,remote_read windows=0 *'
is "as ctl has it" "$(grep -v '^#' "$a/ctl")" 'type uc port=1 gid=0
rights remote_read'

put "$a/ctl" connect "$(cat "$A/qp/b/local")"
like "a connection is a comment" "$(grep '^# connected' "$a/ctl")" \
    "*: connect $(cat "$A/qp/b/local")"
check "that a copy passes over" put "$A/qp/b/ctl" reset
cat "$a/ctl" >"$A/qp/b/ctl"
report $? "cat a/ctl > b/ctl"
is "b is not connected" "$(cat "$A/qp/b/state")" reset
finish
