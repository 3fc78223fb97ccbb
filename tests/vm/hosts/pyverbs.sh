#!/bin/sh
# SPDX-License-Identifier: MIT
# rdmafs on a, on b a peer that was written without it: it uses rdmafs'
# windows, and rdmafs uses its memory.
. "$(dirname "$0")/lib.sh"

# connect WHEN
connect() {
	case $SIDE in
	a)	meet "local-$1" "$(cat "$Q/local")"
		connect_to "$heard" ;;
	b)	meet "local-$1" "${answer#ok }"
		answers "connects" ok connect "$heard" ;;
	esac
	meet "connected-$1"
}

# again WHEN: after a refused access
again() {
	case $SIDE in
	a)	becomes "$Q/state" err
		meet "refused-$1"
		check "reset" put "$Q/ctl" reset ;;
	b)	meet "refused-$1"
		answers "another queue pair" 'ok qpn=*' reset ;;
	esac
	connect "$1"
}

a_serves() {
	fill 4K 'from a'
	bind w 0 remote_write
	bind r 4K remote_read
	bind n 8K remote_atomic
	hear written
	holds 0 'from b'
	is "buf was added to" \
	    "$(od -An -t u8 -j 8192 -N 8 "$L/mr/buf/data" | tr -d ' ')" 7

	again second
	mv "$L/mw/w" "$L/mw/w2"
	bind w2 0 remote_write
	check "recv" put "$Q/ctl" recv buf 32K 4K
	tell recv
	hear sent
	becomes "$Q/wc" '* recv success bytes=3 invalidated=mw/w2'
	holds 32768 end
	becomes "$L/mw/w2/status" 'unbound *'
	fails ENODATA cat "$L/mw/w2/rkey"

	again third
}

b_asks() {
	hear w
	w=$heard
	hear r
	r=$heard
	hear n
	n=$heard
	# shellcheck disable=SC2086 # address and key
	{
		answers "writes" ok write $w from b
		answers "reads" 'ok from a' read $r 6
		answers "adds" 'ok 0' fetch_add $n 7
		tell written
		answers "what is for writing is not read" rem_access_err \
		    read $w 6
	}

	again second
	hear w2
	w=$heard
	hear recv
	# shellcheck disable=SC2086 # likewise
	{
		answers "writes with the new key" ok write $w x
		answers "sends, and ends the key" ok send_inv end "${w#* }"
		tell sent
		# Never a second send with it: soft-RoCE's kernel dies of that.
		answers "the key is dead" rem_access_err write $w y
	}
	again third
}

# The other way round: the peer has the memory.
a_asks() {
	hear theirs
	addr=${heard% *}
	key=${heard#* }
	check "b's memory as a file" mkdir "$Q/mem/b"
	check "maps" put "$Q/mem/b/ctl" map "$addr" 4K "$key"
	is "reads by the file" "$(head -c 5 "$Q/mem/b/data")" 'b has'
	fill 0 'a had'
	check "writes" put "$Q/ctl" write buf 0 5 "$addr" "$key"
	check "sends with a number" put "$Q/ctl" send buf 0 5 imm=77
	hear recv-inv
	check "sends, and ends the key" \
	    put "$Q/ctl" send buf 0 5 "invalidate=$key"
	fails EACCES put "$Q/ctl" read buf 0 5 "$addr" "$key"
	says "$Q/error" 'EACCES: *rem_access_err'
}

b_serves() {
	answers "recv" ok recv
	peer buffer b has
	addr=$(word addr)
	answers "binds" 'ok rkey=*' bind remote_read remote_write
	key=$(word rkey)
	tell theirs "$addr $key"
	answers "a number comes" 'ok bytes=5 imm=77 text=a had' wait
	answers "the bytes are there" '*text=a had' buffer
	answers "recv" ok recv
	tell recv-inv
	answers "the key ends" "ok bytes=5 invalidated=$key text=a had" wait
	hear over
	answers "quits" ok quit
}

case $SIDE in
a)	make_lab
	connect first
	a_serves
	a_asks
	check "all goes" put "$L/ctl" destroy
	tell over ;;
b)	stop
	start_peer
	connect first
	b_asks
	b_serves ;;
esac
finish
