# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Texts of commands; variables of the other parts:
# shellcheck disable=SC2016,SC2034,SC2154
#
# Regions.

# Seen: the count of pinned bytes, the table (by root), and their end.
case_M1() {
	scene
	step 'mkdir mr/r'
	refuse 'ENODATA|EACCES' 'cat mr/r/translation' \
	    "the table of an unregistered region"
	step 'echo reg 64K local_write remote_read > mr/r/ctl'
	holds 'grep -q "pinned=65536 " mr/r/status' "64K are pinned"
	# Physical addresses are root's, and not for every daemon.
	if cat mr/r/translation >/dev/null 2>&1; then
		holds '[ "$(sed 1q mr/r/translation | cut -d " " -f 1)" = "$(cat mr/r/addr)" ]' \
		    "the table begins with the region's address"
		holds '[ "$(wc -l < mr/r/translation)" -eq 16 ]' \
		    "it has a line for each of 16 pages"
		step 'before=$(cat mr/r/translation)'
		step 'dd if=/dev/zero of=mr/r/data bs=64K count=1 conv=notrunc'
		holds '[ "$(cat mr/r/translation)" = "$before" ]' \
		    "no page moves"
	fi
	allow 'echo dereg > mr/r/ctl' "the end of a region"
	holds '! grep -q "pinned=[1-9]" mr/r/status' "nothing is pinned then"
	refuse ENODATA 'cat mr/r/rkey' "its key then"
	refuse 'ENODATA|EACCES' 'cat mr/r/translation' "the table then"
}

case_M2() {
	stage mr/target
	step 'echo reg 4K local_write remote_write > mr/target/ctl'
	refuse EINVAL 'echo reg 4K remote_write > mr/buf/ctl' \
	    "remote_write without local_write"
	refuse EINVAL 'echo reg 4K remote_atomic,remote_read > mr/buf/ctl' \
	    "remote_atomic without local_write"
	holds 'grep -q ^unregistered mr/buf/status' "nothing was registered"
	allow 'echo reg 4K none > mr/buf/ctl' "no right at all"
	holds '[ "$(cat mr/buf/rights)" = local_read ]' \
	    "local_read is granted unasked"
	allow "echo write buf 0 8 $(at mr/target 0) > qp/a/ctl" \
	    "a write out of a region with local_read alone"
	step 'echo dereg > mr/buf/ctl'
	allow 'echo reg 4K local_write remote_write > mr/buf/ctl' \
	    "remote_write with local_write"
}

case_M3() {
	scene
	step 'mkdir mr/r mr/in qp/a qp/b'
	for right in none remote_read mw_bind; do
		allow "echo reg 4K $right > mr/r/ctl" "$right alone"
		step 'echo dereg > mr/r/ctl'
	done
	refuse EINVAL 'echo reg 4K remote_fly > mr/r/ctl' "a word that is no right"
	refuse EINVAL 'echo 0x8000 > mr/r/rights' "a bit that is no right"
	allow 'echo 0x20000004 > mr/r/rights' "an optional bit without a name"
	allow 'echo reg 4K > mr/r/ctl' "a registration with it"
	join a b
	step 'echo reg 4K local_write > mr/in/ctl'
	allow "echo read in 0 8 $(at mr/r 0) > qp/a/ctl" \
	    "a peer's read, by remote_read alone"
	refuse EACCES "echo write in 0 8 $(at mr/r 0) > qp/a/ctl" \
	    "a peer's write there"
}

# m4 RIGHT CAPABILITY
m4() {
	if lacks "$2"; then
		refuse EOPNOTSUPP "echo reg 4K local_write $1 > mr/r/ctl" \
		    "$1, which the device lacks"
		holds "grep -q '^EOPNOTSUPP: .*$1' mr/r/error" \
		    "the reason names $1"
	elif [ "$1" = flush_persistent ]; then
		# It is right to ask for persistent memory then.
		tried 'echo reg 4K local_write flush_persistent > mr/r/ctl' ||
		    refuse EINVAL \
		    'echo reg 4K local_write flush_persistent > mr/r/ctl' \
		    "flush_persistent of memory that is not"
		tried 'echo dereg > mr/r/ctl'
	elif allow "echo reg 4K local_write $1 > mr/r/ctl" \
	    "$1, which the device has"; then
		step 'echo dereg > mr/r/ctl'
	fi
}

case_M4() {
	scene
	step 'mkdir mr/r'
	m4 on_demand on_demand
	m4 flush_global flush
	m4 flush_persistent flush
	m4 zero_based zero_based
	holds 'grep -q ^unregistered mr/r/status' "nothing was registered"
	allow 'echo reg 4K local_write hugetlb > mr/r/ctl' \
	    "hugetlb, which is left out where it does not matter"
	lacks zero_based && return
	stage mr/zero
	step 'echo reg 4K local_write > mr/buf/ctl'
	step 'echo reg 8K zero_based remote_read > mr/zero/ctl'
	holds '[ $(($(cat mr/zero/addr))) -eq 0 ]' \
	    "the address of a zero_based region is 0"
	allow "echo read buf 0 8 $(at mr/zero 8184) > qp/a/ctl" \
	    "a peer's read of its last bytes"
	refuse EACCES "echo read buf 0 8 $(at mr/zero 8185) > qp/a/ctl" \
	    "a peer's read behind them"
}

case_M5() {
	stage mr/r
	refuse EINVAL 'echo reg 0 > mr/r/ctl' "a region without bytes"
	refuse EINVAL 'echo reg 8K iova=0xfffffffffffff000 > mr/r/ctl' \
	    "an iova whose end passes 2^64"
	refuse EINVAL 'echo reg 4K iova=0x10001 > mr/r/ctl' \
	    "an iova inside a page"
	holds 'grep -q ^unregistered mr/r/status' "nothing was registered"
	step 'echo reg 4K local_write > mr/buf/ctl && echo hello > mr/buf/data'
	allow 'echo reg 8K local_write remote_write iova=0x100000 > mr/r/ctl' \
	    "an iova at a page"
	allow "echo write buf 0 5 0x101000 \$(cat mr/r/rkey) > qp/a/ctl" \
	    "a peer's write at the iova"
	holds '[ "$(dd if=mr/r/data bs=4K skip=1 2>/dev/null | head -c 5)" = hello ]' \
	    "it lands as far behind the region's start"
}

# The memory is a file that is open for reading only.
case_M6() {
	memory=/dev/shm/conform-$$
	if ! head -c 8192 /dev/zero 2>/dev/null >"$memory"; then
		lack "no /dev/shm for memory that cannot be written"
		return
	fi
	stage mr/r
	note 'head -c 8192 /dev/zero > /dev/shm/lab'
	exec 5<"$memory"
	rm -f "$memory"
	note 'exec 5< /dev/shm/lab'
	for right in local_write local_write,remote_write mw_bind; do
		refuse EFAULT "echo reg fd=5 $right > mr/r/ctl" \
		    "$right of memory open for reading"
		holds "grep -q '^EFAULT: *${right%,*}' mr/r/error" \
		    "the reason names ${right%,*}"
	done
	holds 'grep -q ^unregistered mr/r/status' "nothing was registered"
	may D14
	allow 'echo reg fd=5 > mr/r/ctl' "no right of such memory" &&
	    step 'echo dereg > mr/r/ctl'
	if allow 'echo reg fd=5 remote_read > mr/r/ctl' \
	    "remote_read of such memory"; then
		step 'echo reg 4K local_write > mr/buf/ctl'
		allow "echo read buf 0 8 $(at mr/r 0) > qp/a/ctl" \
		    "a peer's read of it"
	fi
	strike
	exec 5<&-
}

# Seen: what the device takes for one region, at most 64T, where that is twice
# the memory that there is.
case_M7() {
	scene
	step 'mkdir mr/r'
	most=$(cat "$tree/$device/attr/max_mr_size")
	[ "${#most}" -lt 14 ] || most=70368744177664
	kib=$(awk '$1 == "MemTotal:" { print 2 * $2 }' /proc/meminfo)
	if [ $((most / 1024)) -lt "${kib:-0}" ]; then
		lack "regions larger than this machine's memory"
		return
	fi
	refuse ENOMEM "echo reg $most local_write > mr/r/ctl" \
	    "far more memory than there is"
	holds 'grep -q "^ENOMEM: .*[0-9]" mr/r/error' "the reason has numbers"
	holds 'grep -q ^unregistered mr/r/status' "nothing was registered"
	allow 'echo reg 4K local_write > mr/r/ctl' "4K in the same region"
}

# Seen: 16 regions and windows have as many indexes; a dead key is refused
# while others live, and does not come back in 16 registrations.  Of a soft
# device also: indexes are not one behind the other.
case_M8() {
	stage mr/r
	step 'echo reg 4K local_write mw_bind > mr/buf/ctl'
	step 'echo reg 4K local_write remote_read > mr/r/ctl'
	step 'old=$(cat mr/r/rkey)'
	allow "echo read buf 0 8 $(at mr/r 0) > qp/a/ctl" "a live key"
	step 'echo dereg > mr/r/ctl && echo reg 4K local_write remote_read > mr/r/ctl'
	refuse EACCES "echo read buf 0 8 $(at mr/r 0 '$old') > qp/a/ctl" \
	    "a key that died"
	step 'i=0; while [ $i -lt 16 ]; do
	    echo dereg > mr/r/ctl; echo reg 4K local_write remote_read > mr/r/ctl
	    [ $(($(cat mr/r/rkey) >> 8)) -ne $((old >> 8)) ] || break
	    i=$((i + 1)); done'
	holds '[ $(($(cat mr/r/rkey))) -ne $((old)) ]' \
	    "the key does not come back with its index"
	refuse EACCES "echo read buf 0 8 $(at mr/r 0 '$old') > qp/a/ctl" \
	    "the dead key later"

	scene
	live='mr/*/rkey'
	step 'for i in 0 1 2 3 4 5 6 7; do
	    mkdir mr/$i && echo reg 4K local_write remote_read mw_bind > mr/$i/ctl || break; done'
	if has_type 1; then
		step 'for i in 0 1 2 3 4 5 6 7; do
		    mkdir mw/$i && echo bind $i 0 4K remote_read > mw/$i/ctl || break; done'
		live='mr/*/rkey mw/*/rkey'
	fi
	step "indexes=\$(for key in \$(cat $live); do echo \$((key >> 8)); done)"
	holds '[ -z "$(echo "$indexes" | sort | uniq -d)" ]' \
	    "no two live keys share an index"
	[ "$kind" != soft ] ||
	    holds '[ "$(echo "$indexes" | awk "NR > 1 && \$1 - last == 1; { last = \$1 }" | wc -l)" -lt 3 ]' \
	    "the next index cannot be told from the last"
}

case_M9() {
	stage mr/r
	step 'echo reg 4K local_write > mr/buf/ctl'
	step 'echo reg 4K local_write remote_read > mr/r/ctl'
	may D9
	holds '[ "$(cat mr/r/lkey)" != "$(cat mr/r/rkey)" ]' \
	    "lkey and rkey differ"
	refuse EACCES \
	    "echo read buf 0 8 $(at mr/r 0 '$(cat mr/r/lkey)') > qp/a/ctl" \
	    "a peer's read with the lkey"
	allow "echo read buf 0 8 $(at mr/r 0) > qp/a/ctl" \
	    "a peer's read with the rkey"
}

case_M10() {
	has_type 1 || return
	stage mr/r mr/second mw/w
	step 'echo reg 4K local_write > mr/buf/ctl'
	step 'echo reg 4K local_write mw_bind > mr/r/ctl'
	step 'echo reg 4K local_write mw_bind > mr/second/ctl'
	step 'echo bind r 0 4K remote_read > mw/w/ctl'
	for command in dereg 'rereg remote_read' 'rights none'; do
		refuse EBUSY "echo $command > mr/r/ctl" \
		    "$command of a region with a window"
		holds 'grep -q mw/w mr/r/error' "the reason names the window"
	done
	refuse EBUSY 'rmdir mr/r' "rmdir of it"
	holds '[ "$(cat mr/r/rights)" = "local_read local_write mw_bind" ]' \
	    "its rights are unharmed"
	allow "echo read buf 0 8 $(at mw/w 0) > qp/a/ctl" \
	    "a peer's read through the window"
	step 'echo bind second 0 4K remote_read > mw/w/ctl'
	allow 'echo dereg > mr/r/ctl' "dereg, the window bound elsewhere"
	step 'echo invalidate > mw/w/ctl'
	allow 'echo dereg > mr/second/ctl' "dereg, the window invalidated"
	step 'echo reg 4K mw_bind > mr/r/ctl && echo bind r > mw/w/ctl && rmdir mw/w'
	allow 'echo dereg > mr/r/ctl' "dereg, the window destroyed"
}

case_M11() {
	stage mr/r
	step 'echo reg 4K local_write > mr/buf/ctl && echo hello > mr/buf/data'
	step 'echo reg 4K local_write remote_write > mr/r/ctl'
	refuse EINVAL 'echo rereg remote_write > mr/r/ctl' \
	    "rereg to remote_write without local_write"
	holds '[ "$(cat mr/r/rights)" = "local_read local_write remote_write" ]' \
	    "the rights stay"
	allow "echo write buf 0 5 $(at mr/r 0) > qp/a/ctl" \
	    "a peer's write after the refusal"
	step 'old=$(cat mr/r/rkey)'
	allow 'echo rereg remote_read > mr/r/ctl' "rereg to remote_read"
	holds '[ "$(cat mr/r/rights)" = "local_read remote_read" ]' \
	    "the rights are the new ones"
	holds '[ "$(head -c 5 mr/r/data)" = hello ]' "the bytes stay"
	allow "echo read buf 0 8 $(at mr/r 0) > qp/a/ctl" \
	    "a peer's read, granted now"
	refuse EACCES "echo write buf 0 5 $(at mr/r 0) > qp/a/ctl" \
	    "a peer's write, granted no more"
	refuse EACCES "echo write buf 0 5 $(at mr/r 0 '$old') > qp/a/ctl" \
	    "a peer's write with the key from before"
	# Not every version of rdmafs moves regions.
	grep -q '^# rereg.* \[pd=' mr/r/ctl || return
	step 'mkdir ../$other'
	allow 'echo rereg pd=$other > mr/r/ctl' "rereg to another domain"
	holds '[ ! -e mr/r ] && [ "$(head -c 5 ../$other/mr/r/data)" = hello ]' \
	    "the region is there, with its bytes"
	refuse EACCES \
	    "echo read buf 0 8 $(at '../$other/mr/r' 0) > qp/a/ctl" \
	    "a read by a queue pair of its old domain"
}

# Seen: binds are done while a registration is under way or about to be.
case_M12() {
	has_type 1 || return
	scene
	step 'mkdir mr/buf mr/large mw/w'
	step 'echo reg 4K local_write mw_bind > mr/buf/ctl'
	# All of it may be over the lock limit.
	(echo reg 64M local_write >mr/large/ctl) 2>/dev/null &
	for offset in 0 1K 2K 3K; do
		allow "echo bind buf $offset 1K remote_read > mw/w/ctl" \
		    "a bind while another region is registered"
	done
	wait $!
	holds 'grep -q "^bound .* offset=3072 " mw/w/status' \
	    "it is bound where it was last"
}
