#!/bin/sh
# SPDX-License-Identifier: MIT
# status is one line: the state, then key=value words in a fixed order, absent
# values left out, owner= group= made= last.
. "$(dirname "$0")/lib.sh"

# status OBJECT WORDS: without made=, which is checked
status() {
	line=$(cat "$P/$1/status")
	made=${line##* made=}
	[ "$made" -ge "$begun" ] && [ "$made" -le "$(date +%s)" ]
	report $? "$1 says when it was made"
	is "status of $1" "${line% made=*}" "$2"
}

begun=$(date +%s)
own="owner=$(id -u) group=$(id -g)"
mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
status lab "active mr=1 mw=1 qp=0 $own"
status lab/mr/r "unregistered rights=local_read $own"
status lab/mw/w "unbound type=1 rights=none $own"
put "$P/lab/mr/r/rights" remote_read,mw_bind
status lab/mr/r "unregistered rights=local_read,remote_read,mw_bind $own"
put "$P/lab/mr/r/ctl" reg 5000 local_write mw_bind
status lab/mr/r "active length=5000 rights=local_read,local_write,mw_bind \
windows=0 pinned=8192 $own"
put "$P/lab/mw/w/ctl" bind r 8 100 remote_write remote_read
status lab/mw/w "bound type=1 mr=r offset=8 length=100 \
rights=remote_read,remote_write $own"
like "the region counts it" "$(cat "$P/lab/mr/r/status")" "* windows=1 *"
is "windows has its line" "$(cat "$P/lab/mr/r/windows")" \
    "mw/w mw $(cat "$P/lab/mw/w/status")"
like "a device's" "$(cat "$D/status")" \
    "active kind=* pd=1 mr=1 mw=1 qp=0 owner=0 group=0 made=*"
like "and the root's" "$(cat "$M/status")" "active version=* devices=* made=*"
put "$P/lab/mw/w/ctl" invalidate
like "after invalidate" "$(cat "$P/lab/mw/w/status")" "unbound type=1 rights=*"
put "$P/lab/mr/r/ctl" dereg
like "after dereg" "$(cat "$P/lab/mr/r/status")" "unregistered rights=*"
for f in "$M/status" "$D/status" "$P/lab/status" "$P/lab/mr/r/status"; do
	is "${f#"$M"} is one line" "$(wc -l <"$f")" 1
done
finish
