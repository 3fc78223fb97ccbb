#!/bin/sh
# SPDX-License-Identifier: MIT
# Two shells, each with an rdmafs: a lets b into its memory by windows, b uses
# the keys, and a sees in its files what b has done.
. "$(dirname "$0")/lib.sh"

# connect WHEN
connect() {
	meet "local-$1" "$(cat "$Q/local")"
	connect_to "$heard"
	meet "connected-$1"
}

# again WHEN: after a refused access both queue pairs are in error (A5), and
# the windows that were bound over them are not bound any more.
again() {
	becomes "$Q/state" err
	meet "refused-$1"
	check "reset" put "$Q/ctl" reset
	is "is reset" "$(cat "$Q/state")" reset
	connect "$1"
}

# A side's own names: each is told once.
a_serves() {
	bind w 0 remote_write
	bind r 4K remote_read
	fill 4K 'from a'
	tell filled

	hear written
	holds 0 'hello'
	holds 64 'by the file'

	# b reads through what is for writing.
	again second
	becomes "$L/mw/w/status" 'unbound *'
	fails ENODATA cat "$L/mw/w/rkey"
	mv "$L/mw/w" "$L/mw/w2"
	bind w2 0 remote_write
	check "recv" put "$Q/ctl" recv buf 32K 4K
	tell recv

	hear sent
	becomes "$Q/wc" '* recv success bytes=3 invalidated=mw/w2'
	holds 32768 end
	becomes "$L/mw/w2/status" 'unbound *'
	fails ENODATA cat "$L/mw/w2/rkey"
	holds 0 again

	hear refused-by-key
	becomes "$Q/state" err
}

b_asks() {
	hear w
	w_addr=${heard% *}
	w_key=${heard#* }
	hear r
	r_addr=${heard% *}
	r_key=${heard#* }
	fill 0 'hello'
	check "writes" put "$Q/ctl" write buf 0 5 "$w_addr" "$w_key"
	check "a's memory as files" mkdir "$Q/mem/w" "$Q/mem/r"
	check "maps" put "$Q/mem/w/ctl" map "$w_addr" 4K "$w_key"
	check "maps" put "$Q/mem/r/ctl" map "$r_addr" 4K "$r_key"
	printf 'by the file' >"$T/text"
	check "writes by the file" dd if="$T/text" of="$Q/mem/w/data" bs=1M \
	    seek=64 oflag=seek_bytes conv=notrunc,nocreat
	tell written
	hear filled
	is "reads by the file" "$(head -c 6 "$Q/mem/r/data")" 'from a'
	check "reads" put "$Q/ctl" read buf 8K 6 "$r_addr" "$r_key"
	holds 8192 'from a'
	like "has a completion" "$(tail -n 1 "$Q/wc")" \
	    '* rdma_read success bytes=6'

	for errno in EACCES ENODATA; do
		fails $errno dd if="$Q/mem/w/data" of=/dev/null bs=64 count=1 \
		    status=none
	done
	again second

	hear w2
	w_addr=${heard% *}
	w_key=${heard#* }
	hear recv
	fill 0 'again'
	check "writes with the new key" \
	    put "$Q/ctl" write buf 0 5 "$w_addr" "$w_key"
	fill 0 'end'
	check "sends, and ends the key" \
	    put "$Q/ctl" send buf 0 3 "invalidate=$w_key"
	tell sent
	# A write: a second send with this key is what soft-RoCE's kernel dies of.
	fails EACCES put "$Q/ctl" write buf 0 3 "$w_addr" "$w_key"
	says "$Q/error" 'EACCES: *rem_access_err'
	becomes "$Q/state" err
	tell refused-by-key
}

make_lab
connect first
case $SIDE in
a)	a_serves ;;
b)	b_asks ;;
esac
check "all goes" put "$L/ctl" destroy
[ ! -e "$L" ]
report $? "and is gone"
finish
