#!/bin/sh
# SPDX-License-Identifier: MIT
# What a wrong key or a wrong address is taken for: another tag, another device,
# reversed bytes, an lkey; an offset for an address, an address for an offset.
. "$(dirname "$0")/explain.sh"

peers
w=$B/mw/w
mkdir "$w"
put "$w/ctl" bind r 4096 8192 remote_write
key=$(cat "$w/rkey")
addr=$(($(cat "$w/addr")))

# hints WHAT LINE HINT...: after refusal and object
hints() {
	what=$1
	text=$(ask "$E" "$2")
	shift 2
	is "$what" "$(printf '%s\n' "$text" | grep '^hint: ')" \
	    "$(printf 'hint: %s\n' "$@")"
}

hints "another tag" "key $(other_tag "$key")" \
    "another tag; with this index there is the rkey of $far/mw/w"
hints "the same of an access" "write $addr 8 $(other_tag "$key")" \
    "another tag; with this index there is the rkey of $far/mw/w"
like "which is refused" "$(ask "$E" "write $addr 8 $(other_tag "$key")")" \
    "refused A1: nothing has this key*"
hints "reversed bytes" "key $(reversed "$key")" \
    "byte order; with its bytes reversed it is the rkey of $far/mw/w"
region=$(cat "$B/mr/r/rkey")
hints "of a region" "key $(reversed "$region")" \
    "byte order; with its bytes reversed it is the rkey of $far/mr/r"
if [ "$DEV" = soft0 ]; then
	local=$(cat "$B/mr/r/lkey")
	hints "an lkey" "key $local" \
	    "this is an lkey, for the own side: a peer needs the rkey"
	like "of what" "$(ask "$E" "key $local")" \
	    "live $far/mr/r kind=lkey index=* length=65536 *"
	hints "a reversed one" "key $(reversed "$local")" \
	    "byte order; with its bytes reversed it is the lkey of $far/mr/r"
	is "another device" "$(ask "$D" "key $key")" "$unknown
hint: another device; there it is the rkey of $far/mw/w"
fi

# A region without remote rights has an lkey at least (D9).
mkdir "$B/mr/own"
put "$B/mr/own/ctl" reg 4K local_write
like "an lkey is known" "$(ask "$E" "key $(cat "$B/mr/own/lkey")")" \
    "live $far/mr/own kind=* length=4096 *"
like "and no peer may" \
    "$(ask "$E" "write $(cat "$B/mr/own/addr") 8 $(cat "$B/mr/own/lkey")")" \
    "refused A1: *"

at=$(printf '0x%016x' "$addr")
hints "an offset in the window" "write 0 8192 $key" \
    "offset; counted from the first byte that the key opens it is $at"
hints "with room behind it" "write 8 8 $key" \
    "offset; counted from the first byte that the key opens it is $(printf '0x%016x' $((addr + 8)))"
hints "an offset in the region" "write 8192 4096 $key" \
    "offset; counted from the region's first byte it is $(printf '0x%016x' $((addr + 4096)))"
is "an offset that fits neither" \
    "$(ask "$E" "write 12289 8 $key" | grep '^hint')" ''
mkdir "$B/mr/iova"
put "$B/mr/iova/ctl" reg 8K local_write remote_write iova=0x7000
hints "an offset in a region" "write 16 16 $(cat "$B/mr/iova/rkey")" \
    "offset; counted from the first byte that the key opens it is 0x0000000000007010"

if grep -qw 2 "$D/attr/mw_types"; then
	mkdir "$B/mw/zero"
	put "$B/mw/zero/ctl" type 2
	put "$B/mw/zero/ctl" bind r 4096 100 remote_write zero_based qp=q
	zero=$(cat "$B/mw/zero/rkey")
	hints "an address for an offset" "write $((addr + 16)) 8 $zero" \
	    "address; the window is zero_based and its first byte is 0: it is 0x0000000000000010"
	is "what is right" "$(ask "$E" "write 92 8 $zero" | sed 1q)" allowed
	is "a byte more" "$(ask "$E" "write 92 9 $zero" | sed 1q)" \
	    "refused A1: 9 bytes from 0x000000000000005c, the window ends 1 byte earlier"
fi

put "$w/ctl" invalidate
hints "another tag of a dead one" "key $(other_tag "$key")" \
    "another tag; with this index there was the rkey of $far/mw/w"
hints "reversed bytes of it" "key $(reversed "$key")" \
    "byte order; with its bytes reversed it was the rkey of $far/mw/w"
finish
