# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# lib.sh for scripts about queue pairs.  Two domains, $A and $B: of soft0 and
# soft1, or both of the device that the script runs on.
. "$(dirname "$0")/lib.sh"

A=$P/a
# shellcheck disable=SC2034 # for the scripts
case $DEV in
soft0)	B=$M/soft1/pd/b ;;
*)	B=$P/b ;;
esac
all='local_write remote_read remote_write remote_atomic mw_bind'

# peers: makes them, each with a region r of 64 KiB and a queue pair q, which
# are connected.  $B's region is open to all.  Of type $type, if that is set.
peers() {
	mkdir "$A" "$B" "$A/mr/r" "$B/mr/r" "$A/qp/q" "$B/qp/q"
	put "$A/mr/r/ctl" reg 64K local_write
	put "$B/mr/r/ctl" reg 64K "$all"
	for q in "$A/qp/q" "$B/qp/q"; do
		[ -z "${type-}" ] || put "$q/ctl" type "$type"
	done
	join "$A/qp/q" "$B/qp/q"
}

# join QP QP: connects them with each other
join() {
	put "$1/ctl" connect "$(cat "$2/local")"
	[ "$1" = "$2" ] || put "$2/ctl" connect "$(cat "$1/local")"
}

# again: reset and connected anew
again() {
	put "$A/qp/q/ctl" reset
	put "$B/qp/q/ctl" reset
	join "$A/qp/q" "$B/qp/q"
}

# at OBJECT [OFFSET]: an address in it, and its key
at() {
	read -r addr <"$1/addr"
	echo "$((addr + ${2:-0})) $(cat "$1/rkey")"
}

# bytes FILE OFFSET LENGTH
bytes() {
	dd if="$1" bs=1M iflag=skip_bytes,count_bytes,fullblock skip="$2" \
	    count="$3" status=none
}

# last QP: its last completion, without number and time
last() {
	sed -n '$s/^[0-9]* [0-9.]* //p' "$1/wc"
}

# refuses QP ERRNO REASON COMMAND...: the reason is a pattern
refuses() {
	qp=$1
	errno=$2
	why=$3
	shift 3
	fails "$errno" put "$qp/ctl" "$*"
	like "because" "$(sed -n 1p "$qp/error")" "$errno: $why"
}

# state QP WANTED: soon it is in that state
state() {
	tries=0
	until [ "$(cat "$1/state")" = "$2" ] || [ $tries -ge 250 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
	is "${1#"$M"/} is in $2" "$(cat "$1/state")" "$2"
}
