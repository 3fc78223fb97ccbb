# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# lib.sh over a daemon whose devices fail or wait as told: see
# tests/fault/rdmafs_fault.c.  RDMAFS_FAULT_BIN is its path.

[ -n "${RDMAFS_FAULT_BIN:-}" ] || { echo "SKIP: no RDMAFS_FAULT_BIN"; exit 77; }
# shellcheck disable=SC2034 # for lib.sh
RDMAFS=$RDMAFS_FAULT_BIN
. "$(dirname "$0")/lib.sh"

# fault COMMAND...: returns when it is done
fault() {
	echo "$*" >"$M.fault"
	# To its end, or the next answer would be looked for in this one.
	answer=$(cat "$M.answer")
	[ "$answer" = ok ] || say "fault $*: $answer"
}

# hold_reg: makes domain lab with region held, and begins a
# registration of it that does not end before `fault release`; $writer is who
# asked for it.
# shellcheck disable=SC2034 # for the scripts
hold_reg() {
	mkdir "$P/lab" "$P/lab/mr/held"
	fault hold mr_reg
	put "$P/lab/mr/held/ctl" reg 64K local_write mw_bind 2>"$T/writer" &
	writer=$!
	fault held 1
}

# until WHAT COMMAND...: waits until it succeeds, 10 seconds at most.
until_true() {
	what=$1
	shift
	n=0
	until "$@" >"$T/out" 2>&1; do
		n=$((n + 1))
		[ $n -lt 500 ] || { report 1 "$what"; show "$T/out"; return 1; }
		sleep 0.02
	done
	report 0 "$what"
}

# ends PID: it ends within 10 seconds, without being waited for
ends() {
	until_true "process $1 ends" over "$1"
}

over() {
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	case $stat in
	*') Z '*)	return 0 ;;
	esac
	return 1
}

# writes FILE TEXT: becomes a process that makes one write(2) of a line, which
# SIGINT interrupts; its exit status is the errno.  For `writes ... &`.
writes() {
	# shellcheck disable=SC2016 # it is perl
	exec env --default-signal=INT perl -e '
		$SIG{INT} = sub { };
		open(my $f, "+<", $ARGV[0]) or exit $! + 0;
		exit(defined syswrite($f, "$ARGV[1]\n") ? 0 : $! + 0)' "$@"
}

# reads FILE: becomes a process that makes one read(2) of what waits, which SIGINT
# interrupts; its exit status is the errno.  For `reads ... &`.
reads() {
	# shellcheck disable=SC2016 # it is perl
	exec env --default-signal=INT perl -e '
		$SIG{INT} = sub { };
		open(my $f, "+<", $ARGV[0]) or exit 99;
		exit(defined sysread($f, my $b, 100) ? 0 : $! + 0)' "$1"
}

# reads_now FILE: the same with O_NONBLOCK; prints what there is
reads_now() {
	# shellcheck disable=SC2016 # it is perl
	perl -e 'use Fcntl;
		sysopen(my $f, $ARGV[0], O_RDWR | O_NONBLOCK) or exit 99;
		defined sysread($f, my $b, 100) or exit $! + 0;
		print $b' "$1"
}

# waits PID: until the process waits for an answer of the mount, killable, or
# polls, as busybox does before it reads
waits() {
	until_true "process $1 waits" waiting "$1"
}

waiting() {
	grep -Eq 'request_wait_answer|poll' "/proc/$1/wchan"
}
