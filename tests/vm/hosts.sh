#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh hosts.sh [-t SECONDS] [NAME...]: what two hosts do to one another, the
# scripts of hosts/ or those of some names, on two guests of boot.sh that share
# a network: a is 10.99.0.1, b is 10.99.0.2.  Both run each script, as side a
# and as side b, and begin the next one when both have ended.  Prints TAP with
# a line for each script, and the output of both sides of those that failed.
# 77 of a side means that the script was skipped.
#
#	-t SECONDS		the guests' time limit (600)
#	RDMAFS, RDMAFS_...	the programs that the scripts are about
#	RDMAFS_VM_KERNEL	the guests' kernel (6.1)
#	RDMAFS_RESULTS		a directory for what is left in the exchange
#
# The exchange is a directory of this machine's that both guests write:
#	SIDE.started	made by a guest that is ready for the first script
#	SIDE.gone	made here when a guest has ended: boot.sh's status
#	SIDE.boot	what boot.sh said
#	NAME/SIDE.out	a script's output
#	NAME/SIDE.status	and its exit status, when it has ended
#	NAME/SIDE.tell.*	what a side tells the other; see hosts/lib.sh

set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
limit=600
guest=
while getopts G:t: option; do
	case $option in
	G)	guest=$OPTARG ;;	# in a guest: the side that it is
	t)	limit=$OPTARG ;;
	*)	sed -n '4,24s/^# \{0,1\}//p' "$0" >&2
		exit 2 ;;
	esac
done
shift $((OPTIND - 1))

# ---- In a guest ----

# run_side SIDE NAME...
run_side() {
	side=$1
	shift
	case $side in
	a)	other=b ;;
	*)	other=a ;;
	esac
	export RDMAFS_SIDE="$side" RDMAFS_EXCHANGE
	: >"$RDMAFS_RESULTS/$side.started"
	# If it never comes, who started this guest ends it.
	until [ -e "$RDMAFS_RESULTS/$other.started" ]; do
		sleep 0.02
	done
	for name; do
		RDMAFS_EXCHANGE=$RDMAFS_RESULTS/$name
		status=0
		sh "$here/hosts/$name.sh" >"$RDMAFS_EXCHANGE/$side.out" 2>&1 ||
		    status=$?
		echo $status >"$RDMAFS_EXCHANGE/$side.new"
		mv "$RDMAFS_EXCHANGE/$side.new" "$RDMAFS_EXCHANGE/$side.status"
		until [ -e "$RDMAFS_EXCHANGE/$other.status" ]; do
			[ ! -e "$RDMAFS_RESULTS/$other.gone" ] || exit 1
			sleep 0.02
		done
	done
}

# ---- Here ----

# Is a port of this machine in use?  A third argument asks for the state, 0A
# for one that listens.
in_use() {
	awk -v port="$(printf ':%04X' "$1")" -v state="${2-}" '
		$2 ~ port "$" && (state == "" || $4 == state) { found = 1 }
		END { exit !found }' /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

# A port that nobody uses, below those that the kernel gives to anybody.  Who
# takes it before the guest does makes that one's boot fail, and another port
# is tried.
free_port() {
	while :; do
		port=$(shuf -i 20000-32000 -n 1)
		in_use "$port" || break
	done
}

# start SIDE ADDRESS WAY NAME...
start() {
	side=$1
	address=$2
	way=$3
	shift 3
	sh "$here/boot.sh" -k "${RDMAFS_VM_KERNEL:-6.1}" -a "$address" \
	    -n "$way:$port" -m 1024 -t "$limit" -r "$exchange" -- \
	    env "RDMAFS=$RDMAFS" sh "$here/hosts.sh" -G "$side" "$@" \
	    >"$exchange/$side.boot" 2>&1 &
	eval "pid_$side=$!"
}

# Has the guest of a side ended?
gone() {
	[ ! -e "$exchange/$1.gone" ] || return 0
	eval "pid=\$pid_$1"
	# Without one, it never began.
	[ -n "$pid" ] || return 0
	! kill -0 "$pid" 2>/dev/null || return 1
	eval "pid_$1="
	status=0
	wait "$pid" || status=$?
	echo $status >"$exchange/$1.gone"
}

# end SIDE: however far its guest is
end() {
	until gone "$1"; do
		eval "kill \$pid_$1" 2>/dev/null || :
		sleep 0.05
	done
}

# shellcheck disable=SC2317 # called by the trap
clean_up() {
	end a
	end b
	if [ -n "${RDMAFS_RESULTS:-}" ]; then
		mkdir -p "$RDMAFS_RESULTS/hosts"
		cp -R "$exchange/." "$RDMAFS_RESULTS/hosts"
	fi
	rm -rf "$exchange"
}

both_started() {
	[ -e "$exchange/a.started" ] && [ -e "$exchange/b.started" ]
}

# boot NAME...: fails if one of the guests has not come up.
boot() {
	rm -f "$exchange"/?.started "$exchange"/?.gone
	free_port
	start a 10.99.0.1 listen "$@"
	until in_use "$port" 0A || gone a; do
		sleep 0.05
	done
	gone a || start b 10.99.0.2 connect "$@"
	until both_started; do
		! gone a && ! gone b || return
		sleep 0.05
	done
}

# What boot.sh said, as comments
show_boot() {
	for side in a b; do
		[ ! -e "$exchange/$side.boot" ] ||
		    tail -n 200 "$exchange/$side.boot" | sed "s/^/# $side: /"
	done
}

# Now and then a kernel dies while it boots, and the other is alone then.
boot_both() {
	for try in 1 2 3; do
		boot "$@" && return
		end a
		end b
		case $(cat "$exchange"/?.gone) in
		*77*)	echo "1..0 # SKIP no guests: packages or the kernel are missing"
			exit 0 ;;
		*99*)	echo "# a guest died before the first script (try $try)" ;;
		*)	break ;;
		esac
	done
	show_boot
	echo "Bail out! the guests do not come up"
	exit 99
}

# side_ended NAME SIDE: its part of a script has ended, or never will.
side_ended() {
	[ -e "$exchange/$1/$2.status" ] || gone "$2"
}

# The status of a side, or why there is none
side_status() {
	cat "$exchange/$1/$2.status" 2>/dev/null || echo "none, its guest is gone"
}

# report NAME SECONDS
report() {
	a=$(side_status "$1" a)
	b=$(side_status "$1" b)
	case "$a $b" in
	'0 0')	echo "ok - $1" ;;
	'77 77'|'77 0'|'0 77')
		echo "ok - $1 # SKIP $(cat "$exchange/$1"/?.out |
		    sed -n 's/^SKIP: *//p' | head -n 1)" ;;
	*)	echo "not ok - $1"
		failed=1
		for side in a b; do
			[ ! -e "$exchange/$1/$side.out" ] ||
			    tail -n 300 "$exchange/$1/$side.out" |
			    sed "s/^/# $side: /"
		done
		echo "# $1: status of a: $a; of b: $b" ;;
	esac
	echo "# $1: $2 seconds"
}

# Emulated, a script takes up to ten times as long as on the host.
run_hosts() {
	: "${RDMAFS:?the path of the daemon}"
	export RDMAFS_TEST_DEV=rxe0 RDMAFS_OPTS='--soft 0'
	export RDMAFS_TIME_LIMIT=$((limit / 4))
	# What is below /tmp a guest sees only if boot.sh is called from there.
	for path in "$here" "$RDMAFS"; do
		case $path in
		/tmp/*)	cd "${path%/*}" ;;
		esac
	done

	# shellcheck disable=SC2034 # see gone
	pid_a='' pid_b=''
	exchange=$(mktemp -d "${TMPDIR:-/tmp}/rdmafs-hosts.XXXXXX")
	trap clean_up EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	for name; do
		mkdir "$exchange/$name"
	done

	begin=$(date +%s)
	boot_both "$@"
	echo "1..$#"
	echo "# boot: $(($(date +%s) - begin)) seconds"
	failed=0
	for name; do
		begin=$(date +%s)
		until side_ended "$name" a && side_ended "$name" b; do
			# This tells the other side, too.
			gone a || :
			gone b || :
			sleep 0.1
		done
		report "$name" $(($(date +%s) - begin))
	done
	until gone a && gone b; do
		gone b || :
		sleep 0.05
	done
	case "$(cat "$exchange/a.gone") $(cat "$exchange/b.gone")" in
	'0 0')	;;
	*)	show_boot
		failed=1 ;;
	esac
	exit $failed
}

if [ -n "$guest" ]; then
	run_side "$guest" "$@"
	exit
fi
if [ $# -eq 0 ]; then
	# Those without a first line for sh are frames of others.
	# shellcheck disable=SC2046 # names of scripts have no blanks
	set -- $(cd "$here/hosts" &&
	    grep -l '^#!/bin/sh' ./*.sh | sed 's/^..//; s/\.sh$//')
fi
run_hosts "$@"
