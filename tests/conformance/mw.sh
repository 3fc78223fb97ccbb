# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Texts of commands; variables of the other parts:
# shellcheck disable=SC2016,SC2034,SC2154
#
# Windows.

case_W1() {
	scene
	step 'mkdir mr/buf mw/w && echo reg 4K local_write mw_bind > mr/buf/ctl'
	for type in 1 2; do
		case " $(types) " in
		*" $type "*)	continue ;;
		esac
		refuse EOPNOTSUPP "$(bind_text w $type buf 0 4K remote_read)" \
		    "a bind of type $type, which the device lacks"
	done
	has_type 1 || return
	stage mw/w
	step 'echo reg 4K local_write mw_bind > mr/buf/ctl'
	holds 'grep -q ^unbound mw/w/status' "a new window is unbound"
	refuse ENODATA 'cat mw/w/rkey' "the key of a new window"
	refuse EINVAL 'echo type 3 > mw/w/ctl' "a type that there is not"
	step 'echo bind buf 0 4K remote_read > mw/w/ctl && old=$(cat mw/w/rkey)'
	step 'echo invalidate > mw/w/ctl'
	refuse ENODATA 'cat mw/w/rkey' "the key of a window that was bound"
	refuse EACCES "echo read buf 0 8 $(at mr/buf 0 '$old') > qp/a/ctl" \
	    "a peer's read with the key it had"
}

case_W2() {
	has_type 1 || return
	scene
	step 'mkdir mr/buf mw/w ../$other && mkdir ../$other/mr/far'
	step 'echo reg 4K local_write mw_bind > ../$other/mr/far/ctl'
	refuse 'ENOENT|EINVAL' 'echo bind far 0 4K remote_read > mw/w/ctl' \
	    "a bind to another domain's region"
	refuse EINVAL 'echo bind ../../$other/mr/far 0 4K remote_read > mw/w/ctl' \
	    "a bind to its path"
	refuse ENODATA 'echo bind buf > mw/w/ctl' \
	    "a bind to a region that is not registered"
	holds 'grep -q ^unbound mw/w/status' "the window is unbound still"
	step 'echo reg 8K local_write mw_bind > mr/buf/ctl'
	allow 'echo bind buf 4K 2K remote_read > mw/w/ctl' \
	    "a bind to a range of a region of its own domain"
	holds 'grep -q "^bound .* mr=buf offset=4096 length=2048 " mw/w/status' \
	    "that is what it is bound to"
}

case_W3() {
	has_type 1 || return
	stage mr/plain mr/still mw/w
	step 'echo reg 4K local_write > mr/plain/ctl'
	step 'echo reg 4K mw_bind > mr/still/ctl'
	step 'echo reg 4K local_write mw_bind > mr/buf/ctl'
	refuse EINVAL 'echo bind plain 0 4K remote_read > mw/w/ctl' \
	    "a region without mw_bind"
	for right in remote_write remote_atomic; do
		refuse EINVAL "echo bind still 0 4K $right > mw/w/ctl" \
		    "$right on a region without local_write"
	done
	for right in local_write mw_bind on_demand; do
		refuse EINVAL "echo bind buf 0 4K $right > mw/w/ctl" \
		    "$right, which is no remote right, on a window"
	done
	holds 'grep -q ^unbound mw/w/status' "the window is unbound still"
	allow 'echo bind still 0 4K remote_read > mw/w/ctl' \
	    "remote_read, with mw_bind alone"
	allow 'echo bind buf 0 4K remote_write > mw/w/ctl' \
	    "remote_write of a region without remote rights"
	allow "echo write plain 0 8 $(at mw/w 0) > qp/a/ctl" \
	    "a peer's write through the window"
	# Some devices give no rkey to such a region.
	cat mr/buf/rkey >/dev/null 2>&1 || return
	refuse EACCES "echo write plain 0 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a peer's write with the region's own key"
}

# out_of_range TYPE: four scenes, because after a refusal a queue pair of
# another number takes its place, and a type 2 window is unbound.
out_of_range() {
	for access in 'read 3072 1' 'read -1 1' 'write 3072 1' 'write 3065 8'; do
		# shellcheck disable=SC2086 # words
		set -- "$1" $access
		stage mw/w
		step 'echo reg 8K local_write mw_bind > mr/buf/ctl'
		step "$(bind_text w "$1" buf 1K 3K remote_read remote_write)"
		may D1
		refuse EACCES "echo $2 buf 0 $4 $(at mw/w "$3") > qp/a/ctl" \
		    "a $2 of $4 at $3, through a type $1 window of 3072 bytes"
	done
}

# in_range TYPE
in_range() {
	stage mw/w
	step 'echo reg 8K local_write mw_bind > mr/buf/ctl'
	step "$(bind_text w "$1" buf 1K 3K remote_read remote_write)"
	for access in 'read 0 8' 'read 3071 1' 'write 0 1' 'write 0 3072'; do
		# shellcheck disable=SC2086 # words
		set -- "$1" $access
		allow "echo $2 buf 0 $4 $(at mw/w "$3") > qp/a/ctl" \
		    "a $2 of $4 at $3 inside a type $1 window"
	done
}

case_W4() {
	for type in $(types); do
		in_range "$type"
		out_of_range "$type"
	done

	has_type 1 || return
	scene
	step 'mkdir mr/buf mw/w && echo reg 8K local_write mw_bind > mr/buf/ctl'
	for range in '0 8193' '8K 1' '4K 4097' '0xffffffffffffffff 2'; do
		refuse EINVAL "echo bind buf $range remote_read > mw/w/ctl" \
		    "a bind to $range of a region of 8K"
	done
	allow 'echo bind buf 8191 1 remote_read > mw/w/ctl' \
	    "a bind to the last byte"

	stage mw/r mw/w
	step 'echo reg 8K local_write mw_bind iova=0x200000 > mr/buf/ctl'
	step 'echo bind buf 0 8K remote_read > mw/r/ctl'
	step 'echo bind buf 4K 4K remote_write > mw/w/ctl'
	holds '[ $(($(cat mw/w/addr))) -eq $((0x201000)) ]' \
	    "the window's address counts from the region's iova"
	allow "echo write buf 0 8 $(at mw/w 0) > qp/a/ctl" \
	    "a write through one of two windows on the same bytes"
	allow "echo read buf 0 8 $(at mr/buf 4096 '$(cat mw/r/rkey)') > qp/a/ctl" \
	    "a read through the other"
	refuse EACCES \
	    "echo write buf 0 8 $(at mr/buf 4096 '$(cat mw/r/rkey)') > qp/a/ctl" \
	    "a write through the one for reading"
	refuse EACCES "echo read buf 0 8 $(at mw/w 0) > qp/a/ctl" \
	    "a read through the one for writing"
}

case_W5() {
	if has_type 1; then
		scene
		step 'mkdir mr/buf mw/w && echo reg 8K local_write mw_bind > mr/buf/ctl'
		refuse EINVAL \
		    'echo bind buf 0 4K remote_read zero_based > mw/w/ctl' \
		    "zero_based on a type 1 window"
		if ! lacks zero_based; then
			step 'mkdir mr/zero'
			step 'echo reg 8K mw_bind zero_based > mr/zero/ctl'
			refuse EINVAL \
			    'echo bind zero 0 4K remote_read > mw/w/ctl' \
			    "a window on a zero_based region"
		fi
	fi
	has_type 2 || return
	stage mr/in mw/w
	step 'echo reg 4K local_write > mr/in/ctl'
	step 'echo reg 8K local_write mw_bind > mr/buf/ctl && dd if=/dev/zero of=mr/buf/data bs=4K count=1 && echo hello | dd of=mr/buf/data bs=4K seek=1 conv=notrunc'
	step 'echo type 2 > mw/w/ctl'
	allow 'echo bind buf 4K 2K remote_read zero_based qp=b > mw/w/ctl' \
	    "zero_based on a type 2 window"
	holds '[ $(($(cat mw/w/addr))) -eq 0 ]' "its address is 0"
	allow 'echo read in 0 8 0 $(cat mw/w/rkey) > qp/a/ctl' \
	    "a peer's read at 0"
	holds '[ "$(head -c 5 mr/in/data)" = hello ]' \
	    "it gives the bytes at the window's start"
	may D1
	refuse EACCES 'echo read in 0 8 2048 $(cat mw/w/rkey) > qp/a/ctl' \
	    "a peer's read behind its end"
}

case_W6() {
	has_type 1 || return
	stage mr/plain mw/w
	step 'echo reg 8K local_write mw_bind > mr/buf/ctl'
	step 'echo reg 4K local_write > mr/plain/ctl'
	refuse ENODATA 'cat mw/w/rkey' "a key before the first bind"
	step 'echo bind buf 0 4K remote_read > mw/w/ctl && old=$(cat mw/w/rkey)'
	step 'echo bind buf 0 4K remote_read > mw/w/ctl'
	holds '[ "$(cat mw/w/rkey)" != "$old" ]' "a bind makes a new key"
	refuse EACCES "echo read plain 0 8 $(at mw/w 0 '$old') > qp/a/ctl" \
	    "a peer's read with the old key"
	allow "echo read plain 0 8 $(at mw/w 0) > qp/a/ctl" \
	    "a peer's read with the new key"
	step 'old=$(cat mw/w/rkey)'
	refuse EINVAL 'echo bind plain 0 4K remote_read > mw/w/ctl' \
	    "a bind to a region without mw_bind"
	refuse EINVAL 'echo bind buf 0 16K remote_read > mw/w/ctl' \
	    "a bind out of range"
	holds '[ "$(cat mw/w/rkey)" = "$old" ]' "the key stays"
	holds 'grep -q "^bound .* mr=buf offset=0 length=4096 " mw/w/status' \
	    "the binding stays"
	allow "echo read plain 0 8 $(at mw/w 0 '$old') > qp/a/ctl" \
	    "a peer's read with it"
}

case_W7() {
	has_type 1 || return
	stage qp/c qp/d mr/second mw/w
	join c d
	step 'echo reg 4K local_write mw_bind > mr/buf/ctl'
	step 'echo reg 4K local_write mw_bind > mr/second/ctl'
	step 'echo bind buf 0 4K remote_read > mw/w/ctl && old=$(cat mw/w/rkey)'
	allow 'echo bind second 0 4K remote_read > mw/w/ctl' \
	    "a bind to another region while bound"
	holds 'grep -q " windows=0 " mr/buf/status' "it has left the first"
	refuse EACCES "echo read buf 0 8 $(at mr/buf 0 '$old') > qp/a/ctl" \
	    "a peer's read with the first key"
	for qp in a c; do
		allow "echo read buf 0 8 $(at mw/w 0) > qp/$qp/ctl" \
		    "a peer's read over queue pair $qp"
	done
	# Who is to learn that it is refused is the receiver (I3).
	step 'echo recv buf 0 64 > qp/d/ctl'
	tried 'echo send second 0 8 invalidate=$(cat mw/w/rkey) > qp/c/ctl'
	holds 'grep -q ^bound mw/w/status' "a peer cannot invalidate it"
	allow "echo read buf 0 8 $(at mw/w 0) > qp/a/ctl" \
	    "a peer's read after that"
	step 'old=$(cat mw/w/rkey)'
	allow 'echo bind second 0 0 > mw/w/ctl' "a bind of length 0"
	holds 'grep -q ^unbound mw/w/status' "which unbinds it"
	refuse EACCES "echo read buf 0 8 $(at mr/second 0 '$old') > qp/a/ctl" \
	    "a peer's read with the last key"
}

case_W8() {
	has_type 2 || return
	stage qp/c qp/d mw/w
	join c d
	step 'echo reg 8K local_write mw_bind > mr/buf/ctl && echo type 2 > mw/w/ctl'
	refuse EINVAL 'echo bind buf 0 0 remote_read qp=b > mw/w/ctl' \
	    "a type 2 bind of length 0"
	allow 'echo bind buf 0 4K remote_read remote_write qp=b tag=0x42 > mw/w/ctl' \
	    "a type 2 bind with a tag"
	holds '[ $(($(cat mw/w/rkey) & 0xff)) -eq $((0x42)) ]' \
	    "the key's low 8 bits are the tag"
	step 'old=$(cat mw/w/rkey)'
	refuse EBUSY 'echo bind buf 4K 4K remote_read qp=b > mw/w/ctl' \
	    "a type 2 bind while bound"
	holds '[ "$(cat mw/w/rkey)" = "$old" ]' "the key stays"
	allow "echo read buf 4K 8 $(at mw/w 0) > qp/a/ctl" \
	    "a read by the peer of its queue pair"
	refuse EACCES "echo read buf 4K 8 $(at mw/w 0) > qp/c/ctl" \
	    "a read by the peer of another queue pair"

	stage qp/c qp/d mw/w
	join c d
	step 'echo reg 8K local_write mw_bind > mr/buf/ctl && echo type 2 > mw/w/ctl'
	step 'echo bind buf 0 4K remote_write qp=b > mw/w/ctl && old=$(cat mw/w/rkey)'
	step 'echo invalidate > mw/w/ctl'
	allow 'echo bind buf 4K 4K remote_write qp=d > mw/w/ctl' \
	    "a bind over another queue pair after an invalidation"
	allow "echo write buf 0 8 $(at mw/w 0) > qp/c/ctl" \
	    "a write by that one's peer"
	refuse EACCES "echo write buf 0 8 $(at mw/w 0) > qp/a/ctl" \
	    "a write by the peer of the one before"
}

# Seen: of type 1 all 300 keys, and that some of them are dead; of type 2 that a
# tag used twice is refused, or given with another index.
case_W9() {
	if has_type 1; then
		stage mw/w
		step 'echo reg 4K local_write mw_bind > mr/buf/ctl'
		step 'i=0; keys=$(while [ $i -lt 300 ]; do
		    echo bind buf 0 4K remote_read > mw/w/ctl || break
		    read -r key < mw/w/rkey; echo $key; i=$((i + 1)); done)'
		holds '[ "$(echo "$keys" | wc -l)" -eq 300 ]' "300 binds"
		holds '[ -z "$(echo "$keys" | sort | uniq -d)" ]' \
		    "no key comes twice"
		# The last of them is live.
		for n in 1 44 45 299; do
			step "old=\$(echo \"\$keys\" | sed -n ${n}p)"
			refuse EACCES \
			    "echo read buf 0 8 $(at mw/w 0 '$old') > qp/a/ctl" \
			    "a peer's read with key $n of 300"
		done
		allow "echo read buf 0 8 $(at mw/w 0) > qp/a/ctl" \
		    "a peer's read with the last"
	fi
	has_type 2 || return
	stage mw/w
	step 'echo reg 4K local_write mw_bind > mr/buf/ctl && echo type 2 > mw/w/ctl'
	step 'echo bind buf 0 4K remote_read qp=b tag=7 > mw/w/ctl && old=$(cat mw/w/rkey)'
	step 'echo invalidate > mw/w/ctl'
	if tried 'echo bind buf 0 4K remote_read qp=b tag=7 > mw/w/ctl'; then
		holds '[ "$(cat mw/w/rkey)" != "$old" ]' \
		    "a tag used twice brings another index"
	else
		refuse EINVAL \
		    'echo bind buf 0 4K remote_read qp=b tag=7 > mw/w/ctl' \
		    "a tag used twice"
	fi
}

case_W10() {
	if has_type 1; then
		stage mr/in mw/w
		step 'echo reg 4K local_write mw_bind > mr/buf/ctl'
		step 'echo reg 4K local_write > mr/in/ctl'
		step 'echo bind buf 0 4K remote_read > mw/w/ctl && old=$(cat mw/w/rkey)'
		allow 'rmdir mw/w' "rmdir of a bound window"
		holds 'grep -q " windows=0 " mr/buf/status' \
		    "no window is left at the region"
		refuse EACCES \
		    "echo read in 0 8 $(at mr/buf 0 '$old') > qp/a/ctl" \
		    "a peer's read with its key"
		allow 'echo dereg > mr/buf/ctl' "dereg of the region"
	fi
	has_type 2 || return
	stage mr/in mw/w
	step 'echo reg 4K local_write mw_bind > mr/buf/ctl && echo type 2 > mw/w/ctl'
	step 'echo reg 4K local_write > mr/in/ctl'
	step 'echo bind buf 0 4K remote_read qp=b > mw/w/ctl && old=$(cat mw/w/rkey)'
	allow 'rmdir qp/b' "rmdir of a queue pair under a type 2 window"
	holds 'grep -q ^unbound mw/w/status' "the window is unbound"
	holds 'grep -q " windows=0 " mr/buf/status' \
	    "no window is left at the region"
	pairs=
	step 'mkdir qp/b && echo reset > qp/a/ctl'
	join a b
	refuse EACCES "echo read in 0 8 $(at mr/buf 0 '$old') > qp/a/ctl" \
	    "a peer's read with its key"
	allow 'echo bind buf 0 4K remote_read qp=b > mw/w/ctl' \
	    "a bind over another queue pair"
}

case_W11() {
	has_type 2 || return
	stage qp/alone mw/w mr/plain
	step 'echo reg 4K local_write mw_bind > mr/buf/ctl && echo type 2 > mw/w/ctl'
	step 'echo reg 4K local_write > mr/plain/ctl'
	refuse 'ENODATA|EINVAL' \
	    'echo bind buf 0 4K remote_read qp=alone > mw/w/ctl' \
	    "a bind over a queue pair that is not connected"
	refuse ENOENT 'echo bind buf 0 4K remote_read qp=none > mw/w/ctl' \
	    "a bind over a queue pair that there is not"
	refuse EINVAL 'echo bind buf 0 4K remote_read > mw/w/ctl' \
	    "a type 2 bind over none"
	mending=
	refuse EINVAL 'echo bind plain 0 4K remote_read qp=b > mw/w/ctl' \
	    "a bind to a region without mw_bind"
	refuse EINVAL 'echo bind buf 0 8K remote_read qp=b > mw/w/ctl' \
	    "a bind out of range"
	refuse EINVAL 'echo bind buf 0 4K local_write qp=b > mw/w/ctl' \
	    "a bind with a right that no window has"
	holds '[ "$(cat qp/b/state)" = rts ]' "the queue pair is unharmed"
	allow 'echo bind buf 0 4K remote_read qp=b > mw/w/ctl' \
	    "a good bind over it"
	allow "echo read plain 0 8 $(at mw/w 0) > qp/a/ctl" \
	    "a read by its peer"
}
