# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# The frame of a mount test.  A test is a script in this folder:
#
#	. "$(dirname "$0")/lib.sh"
#	check "a domain can be made" mkdir "$P/lab"
#	finish
#
# It gets a daemon of its own, mounted on $M, with a device at $D and its pd
# directory, $P; $T is a directory for its files.  The daemon goes when the
# script ends, and has to have ended well.
#
#	RDMAFS			the daemon's path
#	RDMAFS_OPTS		its options (--soft 2)
#	RDMAFS_WRAP		what runs it: valgrind --error-exitcode=9
#	RDMAFS_TEST_DEV		the device (soft0)
#	RDMAFS_TIME_LIMIT	seconds (200; under valgrind 2000): a hang, not slowness

set -u
LC_ALL=C
export LC_ALL

T=$(mktemp -d "${TMPDIR:-/tmp}/rdmafs-test.XXXXXX") || exit
chmod 755 "$T"	# for as_user
M=$T/mnt
DEV=${RDMAFS_TEST_DEV:-soft0}
D=$M/$DEV
# shellcheck disable=SC2034 # for the scripts
P=$D/pd

checks=0
failed=0
finished=
daemon=

say() {
	printf '# %s\n' "$*"
}

# Prints a file as a comment.
show() {
	sed 's/^/# /' "$1"
}

# report STATUS WHAT
report() {
	checks=$((checks + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %d - %s\n' $checks "$2"
	else
		failed=$((failed + 1))
		printf 'not ok %d - %s\n' $checks "$2"
	fi
	return "$1"
}

# ---- What a test is made of ----

# check WHAT COMMAND...: it must succeed.  Its output is in $T/out.
check() {
	what=$1
	shift
	"$@" >"$T/out" 2>&1
	report $? "$what" && return
	say "$*"
	show "$T/out"
	return 1
}

# is WHAT GOT WANT
is() {
	[ "$2" = "$3" ]
	report $? "$1" && return
	say "got  '$2'"
	say "want '$3'"
	return 1
}

# like WHAT GOT PATTERN: the shell's patterns
like() {
	# shellcheck disable=SC2254 # it is a pattern
	case $2 in
	$3)	report 0 "$1" ;;
	*)	report 1 "$1"
		say "got  '$2'"
		say "want '$3'"
		return 1 ;;
	esac
}

# fails ERRNO COMMAND...: it must fail, and its message must end in ERRNO's.
# The shell's own redirections say "I/O error" for everything: use put.
fails() {
	want=$1
	shift
	if "$@" >"$T/out" 2>&1; then
		report 1 "$* fails"
		return
	fi
	tail -n 1 "$T/out" | grep -q "$(message "$want")\$"
	report $? "$* fails with $want" && return
	show "$T/out"
	return 1
}

# says FILE PATTERN: what an error file has, from its first word on
says() {
	like "${1#"$M"/} says $2" "$(cat "$1")" "$2*"
}

# metric SAMPLE: its value in metrics; 0 if it is not there.  $DEVICE in it is
# the device.
metric() {
	awk -v want="$1 " -v dev="$DEV" '
		BEGIN	{ sub(/[$]DEVICE/, dev, want); n = 0 }
		index($0, want) == 1 { n = $NF }
		END	{ print n }' "$M/metrics"
}

# rises SAMPLE BY COMMAND...: by so much, whether it succeeds or not
rises() {
	sample=$1
	by=$2
	shift 2
	before=$(metric "$sample")
	"$@" >"$T/out" 2>&1
	is "$sample: $*" "$(($(metric "$sample") - before))" "$by"
}

# feed FILE: standard input as one write(2).  Its errors have their errno's
# message, those of opening too.
feed() {
	# shellcheck disable=SC2086 # words
	${as:-} dd of="$1" bs=1M iflag=fullblock conv=notrunc,nocreat \
	    status=none
}

# put FILE TEXT...: one line
put() {
	file=$1
	shift
	printf '%s\n' "$*" | feed "$file"
}

# lines FILE TEXT: what printf's %b makes of it
lines() {
	printf %b "$2" | feed "$1"
}

# gone FILE: soon it is there no more.
gone() {
	tries=0
	while [ -e "$1" ] && [ $tries -lt 500 ]; do
		sleep 0.02
		tries=$((tries + 1))
	done
	[ $tries -lt 500 ]
	report $? "${1#"$M"} goes"
}

# as_user UID COMMAND...: a program, or put
as_user() (
	as="setpriv --reuid=$1 --regid=$1 --clear-groups --inh-caps=-all"
	shift
	[ "$1" = put ] && { "$@"; exit; }
	$as "$@"
)

skip() {
	echo "SKIP: $*"
	finished=77
	exit 77
}

finish() {
	finished=0
	[ "$failed" -eq 0 ] || finished=1
	exit "$finished"
}

# strerror(3), for fails
message() {
	case $1 in
	EACCES)		echo 'Permission denied' ;;
	EAGAIN)		echo 'Resource temporarily unavailable' ;;
	EBADF)		echo 'Bad file descriptor' ;;
	EBUSY)		echo 'Device or resource busy' ;;
	EDQUOT)		echo 'Disk quota exceeded' ;;
	EEXIST)		echo 'File exists' ;;
	EFAULT)		echo 'Bad address' ;;
	EFBIG)		echo 'File too large' ;;
	EINTR)		echo 'Interrupted system call' ;;
	EINVAL)		echo 'Invalid argument' ;;
	EIO)		echo 'Input/output error' ;;
	EISDIR)		echo 'Is a directory' ;;
	EMSGSIZE)	echo 'Message too long' ;;
	ENAMETOOLONG)	echo 'File name too long' ;;
	ENODATA)	echo 'No data available' ;;
	ENODEV)		echo 'No such device' ;;
	ENOENT)		echo 'No such file or directory' ;;
	ENOMEM)		echo 'Cannot allocate memory' ;;
	ENOSPC)		echo 'No space left on device' ;;
	ENOTCONN)	echo 'Transport endpoint is not connected' ;;
	ENOTDIR)	echo 'Not a directory' ;;
	EOPNOTSUPP)	echo 'Operation not supported' ;;
	EPERM)		echo 'Operation not permitted' ;;
	EREMOTEIO)	echo 'Remote I/O error' ;;
	ETIMEDOUT)	echo 'Connection timed out' ;;
	EXDEV)		echo 'Invalid cross-device link' ;;
	*)		echo "message: $1?" ;;
	esac
}

# ---- The daemon ----

# start [OPTION...]: mounts; without options as the environment says.
start() {
	# shellcheck disable=SC2086 # words
	[ $# -gt 0 ] || set -- ${RDMAFS_OPTS:---soft 2}
	# shellcheck disable=SC2086 # words
	${RDMAFS_WRAP:-} "$RDMAFS" -f "$@" "$M" >>"$T/log" 2>&1 &
	daemon=$!
	echo $daemon >"$T/pid"
	# A killed daemon's mount has its names still: only open(2) tells.
	until cat "$M/version" >/dev/null 2>&1; do
		if ! kill -0 $daemon 2>/dev/null; then
			say "the daemon ended before it had mounted"
			exit 1
		fi
		sleep 0.02
	done
}

unmount() {
	umount "$M" 2>"$T/umount" || fusermount3 -u "$M" 2>>"$T/umount"
}

# stop: unmounts; the daemon must have nothing left to complain about.
stop() {
	pid=$daemon
	daemon=
	tries=0
	# What a script leaves in the background may be about to go.
	until [ -z "$(connection)" ] || unmount; do
		tries=$((tries + 1))
		[ $tries -lt 30 ] || break
		sleep 0.05
	done
	if [ $tries -eq 30 ]; then
		report 1 "nothing uses the mount any more"
		show "$T/umount"
		umount -l "$M"
		kill "$pid"
	fi
	wait "$pid"
	report $? "the daemon ends with status 0" || show "$T/log"
	! grep -Eq 'Sanitizer|runtime error:|ERROR SUMMARY: [1-9]' "$T/log"
	report $? "no report of a sanitizer in its log" || show "$T/log"
}

# The number of a mount's connection in /sys/fs/fuse, without asking the mount.
connection() {
	awk -v m="$M" '$5 == m { split($3, dev, ":"); print dev[2] }' \
	    /proc/self/mountinfo
}

# Stacks of the daemon and of the client, then an end to both.
give_up() {
	pid=$(cat "$T/pid")
	: >"$T/late"
	say "no end after $limit seconds"
	if command -v gdb >/dev/null; then
		gdb -batch -p "$pid" -ex 'thread apply all backtrace'
	else
		for task in "/proc/$pid/task"/*; do
			echo "$task: $(cat "$task/wchan" "$task/stack")"
		done
	fi 2>&1 | show -
	ps -o pid,ppid,stat,wchan:20,args -p $$ --ppid $$ | show -
	show "$T/log"
	fusectl=/sys/fs/fuse/connections
	mountpoint -q $fusectl || mount -t fusectl fusectl $fusectl
	for number in $(connection); do
		echo 1 >"$fusectl/$number/abort"
	done
	kill -KILL "$pid" 2>/dev/null
	trap '' TERM
	# shellcheck disable=SC2046 # pids
	kill -TERM $$ $(ps -o pid= --ppid $$) 2>/dev/null
} 2>&1

# The time limit.  tail ends with the script, also if that is killed.
watch() {
	timeout "$limit" tail -s 0.2 -f --pid=$$ /dev/null >/dev/null 2>&1
	[ $? -ne 124 ] || give_up
}

leave() {
	status=$?
	trap - EXIT
	trap '' INT TERM
	[ -z "$daemon" ] || stop
	kill "$watcher" 2>/dev/null
	[ -n "$finished" ] ||
	    report 1 "the script ends with finish (status $status)"
	[ ! -e "$T/late" ] || report 1 "the script ends within $limit seconds"
	[ "$failed" -eq 0 ] || finished=1
	rm -rf --one-file-system "$T"
	[ "$finished" = 77 ] || echo "$checks checks, $failed failed"
	exit "$finished"
}

[ -c /dev/fuse ] || { echo "SKIP: no /dev/fuse"; rmdir "$T"; exit 77; }
: "${RDMAFS:?the path of the daemon}"
case ${RDMAFS_WRAP:-} in
*valgrind*)	limit=${RDMAFS_TIME_LIMIT:-2000} ;;
*)		limit=${RDMAFS_TIME_LIMIT:-200} ;;
esac
# shellcheck disable=SC2034 # for scripts: what takes longer waits for something
soon=$((limit / 5))
mkdir "$M"
watch &
watcher=$!
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
start
