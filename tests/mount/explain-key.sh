#!/bin/sh
# SPDX-License-Identifier: MIT
# What a key opens, and how it died: every kind of death, of windows of both
# types and of regions.
. "$(dirname "$0")/explain.sh"

begin=$(($(date +%s) - 1))
peers
w=$B/mw/w
v=$B/mw/v
s=$B/mr/s
mkdir "$w" "$v" "$s"
put "$s/ctl" reg 8K local_write remote_read mw_bind
put "$w/ctl" bind s 4096 100 remote_read

# fact WORD TEXT: what stands behind it
fact() {
	printf '%s\n' "$2" | tr ' ' '\n' | sed -n "s/^$1=//p"
}

# number KEY: the words of its index and tag
number() {
	printf 'index=0x%06x tag=0x%02x' $(($1 >> 8)) $(($1 & 255))
}

# same WHAT GOT WANT: but for the times
same() {
	is "$1" "$(echo "$2" | sed 's/ since=[0-9]*//; s/ died=[0-9]*//')" "$3"
	since=$(fact since "$2")
	died=$(fact died "$2")
	check "since then" test "$begin" -le "$since"
	check "not later than now" \
	    test "$since" -le "${died:-$since}" -a \
	    "${died:-$since}" -le "$(date +%s)"
}

key=$(cat "$w/rkey")
opened="kind=mw type=1 $(number "$key") mr=s offset=4096 length=100 addr=$(cat "$w/addr") rights=remote_read"
same "a live window" "$(ask "$E" "key $key")" "live $far/mw/w $opened"
region=$(cat "$s/rkey")
registered="kind=mr $(number "$region") length=8192 addr=$(cat "$s/addr") rights=local_read,local_write,remote_read,mw_bind"
same "a live region" "$(ask "$E" "key $region")" "live $far/mr/s $registered"
is "decimal is as good" "$(ask "$E" "key $((region))")" \
    "$(ask "$E" "key $region")"

put "$w/ctl" bind s 0 50 remote_read
same "a new bind" "$(ask "$E" "key $key")" \
    "dead $far/mw/w $opened how=rebind by=0 newer=yes"
now=$(ask "$E" "$(opens "$w")")
like "and the new key" "$now" "live $far/mw/w kind=mw * offset=0 length=50 *"
key=$(cat "$w/rkey")
put "$w/ctl" invalidate
like "invalidated" "$(ask "$E" "key $key")" \
    "dead $far/mw/w * offset=0 length=50 * how=invalidated by=0"
put "$w/ctl" bind s 0 60 remote_read
key=$(cat "$w/rkey")
mv "$w" "$B/mw/renamed"
like "its name is the present one" "$(ask "$E" "key $key")" \
    "live $far/mw/renamed *"
rmdir "$B/mw/renamed"
like "a window that is gone" "$(ask "$E" "key $key")" \
    "dead $far/mw/renamed * length=60 * how=destroyed by=0 gone=yes"
put "$v/ctl" bind s 0 70 remote_read
key=$(cat "$v/rkey")
put "$s/ctl" destroy
like "its region was destroyed" "$(ask "$E" "key $key")" \
    "dead $far/mw/v * mr=s offset=0 length=70 * how=destroyed by=0"
same "and that is gone" "$(ask "$E" "key $region")" \
    "dead $far/mr/s $registered how=destroyed by=0 gone=yes"

mkdir "$s"
put "$s/ctl" reg 4K local_write remote_read mw_bind
key=$(cat "$s/rkey")
put "$s/rights" +remote_write
like "other rights" "$(ask "$E" "key $key")" \
    "dead $far/mr/s * rights=local_read,local_write,remote_read,mw_bind * how=rereg by=0 newer=yes"
key=$(cat "$s/rkey")
put "$s/ctl" dereg
like "deregistered" "$(ask "$E" "key $key")" \
    "dead $far/mr/s * length=4096 * how=dereg by=0"
check "there is another of that name" mkdir "$s/../t"
put "$s/ctl" reg 4K remote_read
like "is registered again" "$(ask "$E" "key $key")" "dead * newer=yes"

if grep -qw 2 "$D/attr/mw_types"; then
	w=$B/mw/two
	mkdir "$w"
	put "$w/ctl" type 2
	put "$w/ctl" bind r 0 4K remote_write qp=q
	key=$(cat "$w/rkey")
	same "a live window of type 2" "$(ask "$E" "key $key")" \
	    "live $far/mw/two kind=mw type=2 $(number "$key") mr=r offset=0 length=4096 addr=$(cat "$w/addr") rights=remote_write qp=q"
	put "$B/qp/q/ctl" recv r 8192 16
	put "$A/qp/q/ctl" send r 0 4 "invalidate=$key"
	until grep -q invalidated=peer "$w/status"; do
		sleep 0.02
	done
	like "the peer has invalidated it" "$(ask "$E" "key $key")" \
	    "dead $far/mw/two * type=2 * qp=q * how=peer by=peer"
	put "$w/ctl" bind r 0 4K remote_write qp=q
	key=$(cat "$w/rkey")
	put "$w/rights" remote_read
	like "other rights" "$(ask "$E" "key $key")" \
	    "dead $far/mw/two * rights=remote_write qp=q * how=rebind by=0 newer=yes"
	key=$(cat "$w/rkey")
	again
	like "its queue pair was reset" "$(ask "$E" "key $key")" \
	    "dead $far/mw/two * qp=q * how=reset by=0"
	put "$w/ctl" bind r 0 4K remote_write qp=q
	key=$(cat "$w/rkey")
	put "$B/qp/q/ctl" destroy
	like "its queue pair was destroyed" "$(ask "$E" "key $key")" \
	    "dead $far/mw/two * qp=q * how=destroyed by=0"
fi

key=$(cat "$B/mr/r/rkey")
put "$B/ctl" destroy
like "with its domain" "$(ask "$E" "key $key")" \
    "dead $far/mr/r * how=destroyed by=0 gone=yes"
like "windows too" "$(ask "$E" "key $region")" "dead $far/mr/s *"
is "none that never was" "$(ask "$E" "key 0xdead00")" "$unknown"
finish
