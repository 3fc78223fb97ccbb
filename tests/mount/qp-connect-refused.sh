#!/bin/sh
# SPDX-License-Identifier: MIT
# What connect and type refuse, with the word to blame; the queue pair stays in
# reset.
. "$(dirname "$0")/refuse.sh"

mkdir "$P/lab" "$P/lab/qp/q" "$P/lab/qp/p"
q=$P/lab/qp/q
local=$(cat "$P/lab/qp/p/local")
gid=${local#*gid=}
gid=gid=${gid%% *}

refused "$q/ctl" EINVAL '*missing*' connect 8
refused "$q/ctl" EINVAL '*psn=* is missing*' "connect qpn=5 $gid"
refused "$q/ctl" EINVAL '*gid=* is missing*' 'connect qpn=5 psn=5'
refused "$q/ctl" EINVAL 'qpn is at most 16777215' \
    "connect qpn=16777216 psn=5 $gid" 8
refused "$q/ctl" EINVAL 'psn is at most 16777215' \
    "connect qpn=5 psn=16777216 $gid" 14
refused "$q/ctl" EINVAL '*' 'connect qpn=5 psn=5 gid=0.0.0' 24
refused "$q/ctl" EINVAL '*' 'connect qpn=5 psn=5 gid=nonsense' 24
refused "$q/ctl" EINVAL '*' \
    'connect qpn=5 psn=5 gid=1:2:3:4:5:6:7:8:9' 24
refused "$q/ctl" EINVAL 'lid is at most 65535' \
    "connect lid=65536 qpn=5 psn=5 $gid" 8
for mtu in 0 300 8192; do
	refused "$q/ctl" EINVAL '*mtu is *' \
	    "connect mtu=$mtu qpn=5 psn=5 $gid" 8
done
# Of a line that does not parse numbers are shown as three asterisks.
refused "$q/ctl" EINVAL '*' "connect qpn=5 qpn=6 psn=5 $gid" 16
refused "$q/ctl" EINVAL '*' "connect qpn=5x psn=5 $gid" 8
refused "$q/ctl" EINVAL '*' "connect qpn=5 psn=5 foo=5 $gid" 24
refused "$q/ctl" EINVAL '*' "connect $(cat "$P/lab/qp/p/num")" 8

refused "$q/ctl" EINVAL 'TYPE is missing*' type 5
refused "$q/ctl" EINVAL 'the type is rc or uc' 'type ud' 5
refused "$q/ctl" EINVAL 'ports count from 1' 'type rc port=0' 8
refused "$q/ctl" EINVAL '*' 'type rc port=200' 8
refused "$q/ctl" EINVAL '*' 'type rc port=256' 8
refused "$q/ctl" EINVAL '*' 'type rc gid=256' 8
fails EINVAL put "$q/ctl" type rc gid=255
is "it is in reset after all of that" "$(cat "$q/state")" reset
is "of its type" "$(cat "$q/type")" rc
fails ENODATA cat "$q/remote"

check "a good one" put "$q/ctl" connect "$local"
refused "$q/ctl" EBUSY "connected already to queue pair *: reset comes first" \
    "connect $local" 0
refused "$q/ctl" EBUSY 'connected already to queue pair *: reset comes first' \
    'type uc' 0
is "and nothing has changed" "$(cat "$q/state") $(cat "$q/type")" 'rts rc'
finish
