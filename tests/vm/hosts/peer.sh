#!/bin/sh
# SPDX-License-Identifier: MIT
# Two hosts, a foreign peer on each and no rdmafs: that what the other scripts
# see between two hosts is rdmafs' doing.  b asks, a has the memory.
. "$(dirname "$0")/lib.sh"
stop
start_peer
like "an address" "$answer" \
    'ok qpn=[0-9]* psn=[0-9]* gid=0000:0000:0000:0000:0000:ffff:0a63:000[12] mtu=1024'

# connect WHEN: to the queue pair of the address in $answer
connect() {
	meet "address-$1" "${answer#ok }"
	answers "connects $1" ok connect "$heard"
	meet "connected-$1"
}

# again WHEN: both queue pairs were in error
again() {
	answers "another queue pair $1" 'ok qpn=*' reset
	connect "$1"
}

connect first
case $SIDE in
a)	answers "recv" ok recv
	peer buffer from a
	address=$(word addr)
	answers "binds a window" 'ok rkey=0x*' bind remote_read remote_write
	tell key "$address $(word rkey)"
	answers "a send comes" 'ok bytes=5 text=hello' wait
	answers "recv" ok recv
	tell recv
	answers "another, with a number" 'ok bytes=2 imm=77 text=hi' wait
	hear written
	answers "the bytes are there" '*text=from b' buffer
	answers "recv" ok recv
	tell recv-inv
	answers "a send ends the key" 'ok bytes=3 invalidated=0x* text=end' wait
	# Gone before it can be named once more: see drop_window.
	hear refused
	again second
	answers "a window for reading" 'ok rkey=0x*' bind remote_read
	tell read-key "$(word rkey)"
	hear over ;;
b)	hear key
	key=$heard
	answers "a send" ok send hello
	hear recv
	answers "a send with a number" ok send_imm 77 hi
	# shellcheck disable=SC2086 # two words
	answers "a read" 'ok from a' read $key 6
	# shellcheck disable=SC2086 # likewise
	answers "a write" ok write $key from b
	tell written
	hear recv-inv
	answers "a send that invalidates" ok send_inv end "${key#* }"
	# shellcheck disable=SC2086 # likewise
	answers "the key is dead" rem_access_err read $key 6
	answers "the queue pair too" wr_flush_err send x
	tell refused
	again second
	hear read-key
	answers "the new key reads" 'ok from b' read "${key% *}" "$heard" 6
	answers "and does no more" rem_access_err write "${key% *}" "$heard" x
	answers "a word that is none" 'fail *' nonsense
	tell over ;;
esac
answers "quits" ok quit
finish
