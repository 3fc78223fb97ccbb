# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# The frame of a script that runs on two hosts at once; see hosts.sh.  It is
# that of the mount tests, with a daemon on each side, and:
#
#	case $SIDE in
#	a)	tell key "$(cat "$P/lab/mw/w/rkey")" ;;
#	b)	hear key
#		put "$P/lab/qp/q/ctl" write buf 0 5 "$address" "$heard" ;;
#	esac
#	finish
#
# What one side does after the other it does when it has heard that: nothing
# sleeps.  Each side says a name once.

[ -n "${RDMAFS_SIDE:-}" ] || { echo "SKIP: not on two hosts"; exit 77; }
SIDE=$RDMAFS_SIDE
case $SIDE in
a)	OTHER=b ;;
*)	OTHER=a ;;
esac
. "$(dirname "$0")/../../mount/lib.sh"

# tell NAME [TEXT]
tell() {
	told=$RDMAFS_EXCHANGE/$SIDE.tell.$1
	shift
	printf '%s\n' "$*" >"$told.new"
	mv "$told.new" "$told"
}

# hear NAME: waits until the other side has told it; the text is in $heard.
hear() {
	told=$RDMAFS_EXCHANGE/$OTHER.tell.$1
	while :; do
		# In this order: it may tell and then end.
		ended=
		[ ! -e "$RDMAFS_EXCHANGE/$OTHER.status" ] || ended=yes
		[ ! -e "$RDMAFS_RESULTS/$OTHER.gone" ] || ended=yes
		[ ! -e "$told" ] || break
		if [ -n "$ended" ]; then
			report 1 "side $OTHER tells $1"
			exit 1
		fi
		sleep 0.02
	done
	# shellcheck disable=SC2034 # for the scripts
	heard=$(cat "$told")
}

# meet NAME [TEXT]: both get here before either goes on; each hears the other.
meet() {
	tell "$@"
	hear "$1"
}

# becomes FILE PATTERN: soon that is what its last line is like.
becomes() {
	tries=0
	while :; do
		# What cannot be read does not get better.
		got=$(tail -n 1 "$1" 2>&1) || break
		# shellcheck disable=SC2254 # it is a pattern
		case $got in
		$2)	break ;;
		esac
		tries=$((tries + 1))
		[ $tries -lt 100 ] || break
		sleep 0.05
	done
	like "${1#"$M"/} becomes $2" "$got" "$2"
}

# ---- A domain $L with a region buf and a queue pair $Q ----

L=$P/lab
Q=$L/qp/q

make_lab() {
	check "a domain, a region, a queue pair" \
	    mkdir "$L" "$L/mr/buf" "$Q"
	check "the region is registered" \
	    put "$L/mr/buf/ctl" reg 64K local_write mw_bind
}

# connect_to ADDRESS: of the other side, after `connect`
connect_to() {
	check "connects" put "$Q/ctl" connect "$1"
	is "is connected" "$(cat "$Q/state")" rts
}

# bind NAME OFFSET RIGHT...: a type 2 window on 4K of buf; the other side hears
# its address and key as NAME.
bind() {
	w=$L/mw/$1
	[ -d "$w" ] || check "a window $1" mkdir "$w"
	check "$1 is of type 2" put "$w/ctl" type 2
	bound=$1
	shift
	offset=$1
	shift
	check "$bound is bound: $*" \
	    put "$w/ctl" bind buf "$offset" 4K "$@" qp=q
	tell "$bound" "$(cat "$w/addr") $(cat "$w/rkey")"
}

# holds OFFSET TEXT: what is in the region's memory there
holds() {
	is "buf has '$2' at $1" "$(dd if="$L/mr/buf/data" bs=1 skip="$1" \
	    count=${#2} status=none | tr '\000' .)" "$2"
}

# fill OFFSET TEXT: into the region's memory
fill() {
	printf %s "$2" | dd of="$L/mr/buf/data" bs=1M seek="$1" \
	    oflag=seek_bytes conv=notrunc,nocreat status=none
}

# ---- The foreign peer ----

# start_peer: peer.py, driven by `peer`; its address is in $answer.
# Debian's Python, because pyverbs is a package of Debian's.
start_peer() {
	mkfifo "$T/peer.in" "$T/peer.out"
	/usr/bin/python3 "$(dirname "$0")/../peer.py" "$RDMAFS_TEST_DEV" \
	    <"$T/peer.in" >"$T/peer.out" &
	exec 8>"$T/peer.in" 9<"$T/peer.out"
	hear_peer
}

hear_peer() {
	answer=
	read -r answer <&9
	# What it says is in the output of a script that fails.
	say "peer: $answer"
}

# peer COMMAND...: the line with which it answers is in $answer.
peer() {
	say "peer, $*"
	printf '%s\n' "$*" >&8
	hear_peer
}

# answers WHAT PATTERN COMMAND...: what peer.py has to answer
answers() {
	what=$1
	pattern=$2
	shift 2
	peer "$@"
	like "$what" "$answer" "$pattern"
}

# word KEY: what stands behind it in the peer's answer
word() {
	printf '%s\n' "$answer" | tr ' ' '\n' | sed -n "s/^$1=//p"
}
