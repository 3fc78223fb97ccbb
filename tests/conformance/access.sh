# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Texts of commands; variables of the other parts:
# shellcheck disable=SC2016,SC2034,SC2154
#
# Use of keys.  Reads and writes go from queue pair a to b.

# has_atomic: the device has atomic operations.
has_atomic() {
	! lacks atomic
}

case_A1() {
	stage mr/in mr/reads mr/writes
	step 'echo reg 4K local_write > mr/in/ctl'
	step 'echo reg 8K local_write remote_read remote_write remote_atomic mw_bind > mr/buf/ctl'
	step 'echo reg 4K local_write remote_read > mr/reads/ctl'
	step 'echo reg 4K local_write remote_write > mr/writes/ctl'
	allow "echo write in 0 1 $(at mr/buf 8191) > qp/a/ctl" \
	    "a write of a region's last byte"
	refuse EACCES "echo write in 0 2 $(at mr/buf 8191) > qp/a/ctl" \
	    "a write one byte beyond a region"
	refuse EACCES "echo read in 0 8 $(at mr/buf -1) > qp/a/ctl" \
	    "a read one byte before a region"
	refuse EACCES "echo read in 0 8 $(at mr/buf 0 '0') > qp/a/ctl" \
	    "a read with key 0"
	refuse EACCES \
	    "echo read in 0 8 $(at mr/buf 0 '$(($(cat mr/buf/rkey) ^ 1))') > qp/a/ctl" \
	    "a read with another tag"
	refuse EACCES \
	    "echo read in 0 8 $(at mr/buf 0 '$(($(cat mr/buf/rkey) ^ 0x3ff00000))') > qp/a/ctl" \
	    "a read with an unknown index"
	refuse EACCES "echo write in 0 8 $(at mr/reads 0) > qp/a/ctl" \
	    "a write where there is remote_read"
	refuse EACCES "echo read in 0 8 $(at mr/writes 0) > qp/a/ctl" \
	    "a read where there is remote_write"
	if has_atomic; then
		allow "echo fetch_add in 0 $(at mr/buf 0) 1 > qp/a/ctl" \
		    "an atomic where there is remote_atomic"
		refuse EACCES \
		    "echo fetch_add in 0 $(at mr/writes 0) 1 > qp/a/ctl" \
		    "an atomic where there is remote_write"
	fi
	step 'old=$(cat mr/reads/rkey) && echo dereg > mr/reads/ctl'
	refuse EACCES "echo read in 0 8 $(at mr/buf 0 '$old') > qp/a/ctl" \
	    "a read with the key of a region that is gone"
	step 'mkdir qp/a/mem/m'
	step "echo map \$(cat mr/writes/addr) 4K \$(cat mr/writes/rkey) > qp/a/mem/m/ctl"
	allow 'echo hello > qp/a/mem/m/data' "a write through a mapping"
	refuse EACCES 'dd if=qp/a/mem/m/data bs=8 count=1 status=none' \
	    "a read through it where there is remote_write"
	refuse ENODATA 'dd if=qp/a/mem/m/data bs=8 count=1 status=none' "the same again"

	for type in $(types); do
		a1_window "$type" 'write in 0 8' 0 remote_read
		a1_window "$type" 'read in 0 8' 0 remote_write
		may D1
		a1_window "$type" 'read in 0 1' 4096 remote_read
		a1_window "$type" 'write in 0 2' 4095 remote_write
	done
}

# a1_window TYPE ACCESS OFFSET RIGHT: the access is refused through a window
# with that right, though the region allows everything.
a1_window() {
	was=$because
	stage mr/in mw/w
	step 'echo reg 4K local_write > mr/in/ctl'
	step 'echo reg 8K local_write remote_read remote_write mw_bind > mr/buf/ctl'
	step "$(bind_text w "$1" buf 0 4K "$4")"
	may "$was"
	refuse EACCES "echo $2 $(at mw/w "$3") > qp/a/ctl" \
	    "${2%% *} at $3, through a type $1 window of 4096 bytes for $4"
}

case_A2() {
	stage mr/in
	step 'echo reg 4K local_write > mr/in/ctl'
	step 'echo reg 4K local_write remote_read remote_write remote_atomic > mr/buf/ctl'
	step 'echo rights remote_read > qp/b/ctl'
	refuse EREMOTEIO "echo write in 0 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a write to a queue pair that allows reads"
	refuse EREMOTEIO "echo write in 0 0 $(at mr/buf 0) > qp/a/ctl" \
	    "a write of length 0 to it"
	allow "echo read in 0 8 $(at mr/buf 0) > qp/a/ctl" "a read from it"
	if has_atomic; then
		refuse EREMOTEIO \
		    "echo fetch_add in 0 $(at mr/buf 0) 1 > qp/a/ctl" \
		    "an atomic on it"
	fi
	step 'echo rights remote_write > qp/b/ctl'
	refuse EREMOTEIO "echo read in 0 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a read from a queue pair that allows writes"
	refuse EREMOTEIO "echo read in 0 0 $(at mr/buf 0) > qp/a/ctl" \
	    "a read of length 0 from it"
	allow "echo write in 0 8 $(at mr/buf 0) > qp/a/ctl" "a write to it"
}

case_A3() {
	stage
	mending=
	step 'echo reg 4K local_write remote_read remote_write remote_atomic > mr/buf/ctl'
	for access in read write; do
		allow "echo $access buf 0 0 $(at mr/buf 0) > qp/a/ctl" \
		    "a $access of length 0"
		allow "echo $access buf 0 0 0x10 $(printf '$(($(cat mr/buf/rkey) ^ 1))') > qp/a/ctl" \
		    "a $access of length 0 with a bad key and address"
	done
	refuse EINVAL "echo read buf 0 0x80000001 $(at mr/buf 0) > qp/a/ctl" \
	    "a read of 2^31 + 1 bytes"
	if has_atomic; then
		refuse EINVAL "echo fetch_add buf 0 $(at mr/buf 4) 1 > qp/a/ctl" \
		    "an atomic at an address that is not a multiple of 8"
		refuse EINVAL "echo cmp_swap buf 0 $(at mr/buf 1) 1 2 > qp/a/ctl" \
		    "another"
	fi
	holds '[ "$(cat qp/a/state) $(cat qp/b/state)" = "rts rts" ]' \
	    "no queue pair is in error"
	if has_atomic; then
		allow "echo fetch_add buf 0 $(at mr/buf 8) 1 > qp/a/ctl" \
		    "an atomic at a multiple of 8"
	fi
}

# Seen: whether the daemon or the device refuses it, no byte comes.
case_A4() {
	stage mr/still
	step 'echo reg 8K local_write remote_read remote_write > mr/buf/ctl && echo hello > mr/buf/data'
	step 'echo reg 4K > mr/still/ctl'
	may D5
	refuse EFAULT "echo read still 0 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a read into a region without local_write"
	holds '[ "$(head -c 5 mr/still/data)" != hello ]' "no byte has come"
	refuse 'EFAULT|EINVAL' "echo write still 4K 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a write out of bytes behind a region"
	refuse 'EFAULT|EINVAL' "echo read buf 8185 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a read into bytes that reach behind a region"
	if has_atomic; then
		step 'mkdir mr/sum && echo reg 4K local_write remote_atomic > mr/sum/ctl'
		refuse EFAULT "echo fetch_add still 0 $(at mr/sum 0) 1 > qp/a/ctl" \
		    "an atomic whose result goes there"
	fi

	stage mr/in
	step 'echo reg 4K local_write > mr/buf/ctl && echo reg 4K local_write > mr/in/ctl'
	step 'echo recv in 0 64 > qp/b/ctl && echo dereg > mr/in/ctl'
	refuse EREMOTEIO 'echo send buf 0 8 > qp/a/ctl' \
	    "a send to a receive buffer that is gone"
}

case_A5() {
	stage mr/still
	mending=
	step 'echo reg 4K local_write remote_read > mr/buf/ctl'
	refuse EACCES "echo write buf 0 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a write where there is remote_read"
	soon '[ "$(cat qp/a/state)" = err ]' "who asked is in error"
	soon '[ "$(cat qp/b/state)" = err ]' "who was asked is in error"
	note "echo write buf 0 8 $(at mr/buf 0) > qp/a/ctl"
	refuse EIO "echo read buf 0 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a good read over a queue pair in error"
	holds 'grep -q wr_flush_err qp/a/error' "it is flushed"
	step 'echo reset > qp/a/ctl && echo connect $(cat qp/b/local) > qp/a/ctl'
	refuse ETIMEDOUT "echo read buf 0 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a good read from a queue pair in error"

	# What the daemon refuses itself hurts neither.
	stage mr/still
	mending=
	step 'echo reg 4K local_write remote_read > mr/buf/ctl && echo reg 4K > mr/still/ctl'
	may D5
	refuse EFAULT "echo read still 0 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a read into a region without local_write"
	holds '[ "$(cat qp/b/state)" = rts ]' \
	    "who was asked is not in error after a local one"

	stage
	mending=
	step 'echo reg 4K local_write remote_read > mr/buf/ctl && echo rights none > qp/b/ctl'
	refuse EREMOTEIO "echo read buf 0 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a read from a queue pair without rights"
	soon '[ "$(cat qp/a/state)" = err ]' "who asked is in error"
	soon '[ "$(cat qp/b/state)" = err ]' "who was asked is in error"
}

case_A6() {
	scene
	step 'mkdir mr/buf mr/in qp/a qp/b'
	step 'echo type uc > qp/a/ctl && echo type uc > qp/b/ctl' || return
	join a b
	step 'echo reg 4K local_write remote_write > mr/buf/ctl'
	step 'echo reg 4K local_write > mr/in/ctl && echo hello > mr/in/data'
	allow \
	    "echo write in 0 5 $(at mr/buf 0 '$(($(cat mr/buf/rkey) ^ 1))') > qp/a/ctl" \
	    "a write with a bad key over uc"
	allow "echo write in 0 5 $(at mr/buf 64) > qp/a/ctl" \
	    "a good write after it"
	soon '[ "$(dd if=mr/buf/data bs=64 skip=1 2>/dev/null | head -c 5)" = hello ]' \
	    "the good one arrives"
	holds '[ "$(head -c 5 mr/buf/data)" != hello ]' \
	    "the bad one is dropped"
}

# moves_nothing ACCESS WHAT: it is refused, and neither side's memory changes.
# The scene has regions buf (the peer's) and in.
moves_nothing() {
	step 'before=$(cat mr/buf/data mr/in/data | cksum)'
	refuse EACCES "echo $1 > qp/a/ctl" "$2"
	holds '[ "$(cat mr/buf/data mr/in/data | cksum)" = "$before" ]' \
	    "$2 moves not one byte"
}

# The regions of A7: buf has 8K, in 16K, with different bytes.
a7() {
	stage mr/in "$@"
	step "echo reg 8K local_write ${rights}mw_bind > mr/buf/ctl"
	step 'echo reg 16K local_write > mr/in/ctl'
	step 'echo hello > mr/in/data && echo world > mr/buf/data'
}

case_A7() {
	rights='remote_read remote_write '
	a7
	moves_nothing \
	    "write in 0 8 $(at mr/buf 0 '$(($(cat mr/buf/rkey) ^ 1))')" \
	    "a write with a bad key"
	moves_nothing \
	    "read in 0 8 $(at mr/buf 0 '$(($(cat mr/buf/rkey) ^ 1))')" \
	    "a read with a bad key"
	moves_nothing "write in 0 8193 $(at mr/buf 0)" \
	    "a long write whose last byte is beyond the region"
	moves_nothing "read in 0 8193 $(at mr/buf 0)" \
	    "a long read whose last byte is beyond the region"
	rights='remote_read '
	a7
	moves_nothing "write in 0 8 $(at mr/buf 0)" \
	    "a write where there is remote_read"
	rights=
	for type in $(types); do
		a7 mw/w
		step "$(bind_text w "$type" buf 0 4K remote_read)"
		moves_nothing "write in 0 8 $(at mw/w 0)" \
		    "a write through a type $type window for reading"
		a7 mw/w
		step "$(bind_text w "$type" buf 0 4K remote_write)"
		may D1
		moves_nothing "write in 0 4097 $(at mw/w 0)" \
		    "a long write whose last byte is beyond a type $type window"
	done
}
