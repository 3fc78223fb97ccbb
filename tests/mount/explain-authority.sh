#!/bin/sh
# SPDX-License-Identifier: MIT
# Who may not read an object's rkey learns nothing of its keys, live or dead:
# the answer is, byte for byte, that to a key that never was.
. "$(dirname "$0")/explain.sh"

mkdir "$P/lab"
chmod 777 "$P/lab/mr" "$P/lab/mw" "$P/lab/qp"
as_user 2001 mkdir "$P/lab/mr/r" "$P/lab/mw/w" "$P/lab/mw/old" "$P/lab/qp/q"
r=$P/lab/mr/r
w=$P/lab/mw/w
q=$P/lab/qp/q
path=$DEV/pd/lab
as_user 2001 put "$r/ctl" reg 8K local_write remote_read mw_bind
as_user 2001 put "$w/ctl" bind r 0 4K remote_read
as_user 2001 put "$P/lab/mw/old/ctl" bind r 0 4K remote_read
as_user 2001 put "$q/ctl" connect "$(cat "$q/local")"
addr=$(cat "$w/addr")
window=$(cat "$w/rkey")
region=$(cat "$r/rkey")
lkey=$(cat "$r/lkey")
gone=$(cat "$P/lab/mw/old/rkey")
as_user 2001 rmdir "$P/lab/mw/old"
dead=$window
as_user 2001 put "$w/ctl" bind r 0 4K remote_read
window=$(cat "$w/rkey")

# all UID: what he is told of each, and of its neighbours
all() {
	uid=$1
	for key in $window $region $lkey $dead $gone; do
		for k in "$key" $((key ^ 1)) "$(reversed "$key")"; do
			for device in "$M"/*/explain; do
				ask "${device%/explain}" "key $k" \
				    "read $addr 8 $k" "write $addr 8 $k" \
				    "read $addr 0 $k" "atomic $addr 8 $k" \
				    "read $addr 8 $k qp=lab/q" "read 0 8 $k"
			done
		done
	done
	uid=
}

# never UID: the same of one that never was
never() {
	window=0x00dead00
	region=$window lkey=$window dead=$window gone=$window
	all "$1"
}

# In a shell of its own, for the variables.
(never 2002) >"$T/never"
all 2002 >"$T/other"
check "another user learns nothing" cmp "$T/never" "$T/other"
check "there was much to learn" test "$(wc -l <"$T/other")" -gt 200
uid=2002
is "no key" "$(ask "$D" "key $window")" "$unknown"
is "no access" "$(ask "$D" "read $addr 8 $window" | sed 1q)" \
    'refused A1: nothing has this key'
uid=2001
like "the owner does" "$(ask "$D" "key $window")" \
    "live $path/mw/w * addr=$addr *"
like "of a region" "$(ask "$D" "key $region")" "live $path/mr/r * addr=*"
like "of its lkey" "$(ask "$D" "key $lkey")" "live $path/mr/r *"
like "of a dead one" "$(ask "$D" "key $dead")" \
    "dead $path/mw/w * how=rebind by=2001 newer=yes"
like "of one that is gone" "$(ask "$D" "key $gone")" \
    "dead $path/mw/old * how=destroyed by=2001 gone=yes"
like "and has hints" "$(ask "$D" "key $(other_tag "$window" "$dead")")" \
    "unknown *hint: another tag; *$path/mw/w"
uid=
like "so does root" "$(ask "$D" "key $gone")" "dead $path/mw/old * gone=yes"

# A group that was given the key.
chgrp 2002 "$w"
chmod g+r "$w/rkey"
uid=2002
like "who may read the rkey is told what it opens" \
    "$(ask "$D" "key $window")" "live $path/mw/w *"
is "not its address" "$(ask "$D" "key $window" | grep -c addr=)" 0
is "nor how far off he was" "$(ask "$D" "read 0 8 $window" | sed 1q)" \
    'refused A1: the range is not inside of the window'
is "nor a better address" "$(ask "$D" "read 0 8 $window" | grep -c hint)" 0
is "but whether" "$(ask "$D" "read $addr 8 $window" | sed 1q)" allowed
like "of a dead one too" "$(ask "$D" "key $dead")" "dead $path/mw/w *"
is "of the region nothing" "$(ask "$D" "key $region")" "$unknown"
is "of a gone one nothing" "$(ask "$D" "key $gone")" "$unknown"
uid=
chmod g+r "$w/addr"
uid=2002
is "who may read addr is told" "$(ask "$D" "read 0 8 $window" | grep -c hint)" 1

# What opened explain counts.
uid=
chmod 600 "$w/rkey"
exec 3<>"$D/explain"
# shellcheck disable=SC2016 # it is the other's
setpriv --reuid=2002 --regid=2002 --clear-groups --inh-caps=-all \
    sh -c 'echo "key $1" >&3; cat <&3' sh "$window" >"$T/root" 2>&1
exec 3>&-
like "root's descriptor knows" "$(cat "$T/root")" "live $path/mw/w *"
is "a queue pair that can be reached" \
    "$(ask "$D" "read $addr 0 $window qp=lab/q" | sed 1q)" allowed
uid=
chmod 700 "$P/lab"
uid=2002
like "one that cannot" "$(ask "$D" "read $addr 0 $window qp=lab/q")" \
    'ENOENT: no queue pair PD/NAME of this device that you can reach*'
is "is as one that is not" \
    "$(ask "$D" "read $addr 0 $window qp=lab/q" | sed 1q)" \
    "$(ask "$D" "read $addr 0 $window qp=lab/no" | sed 1q)"
uid=2001
is "who cannot reach his own learns nothing either" \
    "$(ask "$D" "key $window")" "$unknown"
uid=
finish
