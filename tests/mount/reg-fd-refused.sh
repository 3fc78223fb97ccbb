#!/bin/sh
# SPDX-License-Identifier: MIT
# reg fd=N of what is no memory is EINVAL, and the text names what it is.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
r=$P/lab/mr/r
# refused WHAT PATTERN: descriptor 5
refused() {
	(echo reg fd=5 >"$r/ctl") 2>"$T/err"
	report $((! $?)) "$1 is refused"
	says "$r/error" "EINVAL: $2"
}

mkfifo "$T/fifo"
exec 5<>"$T/fifo"
refused "a pipe" "*pipe*"
exec 5<"$T"
refused "a directory" "*directory*"
exec 5</dev/zero
refused "a device" "*character device*"
case $(stat -f -c %T "$T") in
tmpfs|ramfs) ;;
*)	echo hello >"$T/file"
	exec 5<>"$T/file"
	refused "a file on disk" "a regular file on *"
	;;
esac
exec 5</proc/self/maps
refused "a file of proc" "a regular file on proc*"
exec 5<"$P/lab/status"
refused "a file of the mount itself" "a regular file on fuse*"
exec 5>&-
refused "no descriptor" "*"
for fd in -1 x '' 99999999999 2147483648 4294967299; do
	fails EINVAL put "$r/ctl" "reg fd=$fd"
done
fails EINVAL put "$r/ctl" reg fd=0 fd=0
fails EINVAL put "$r/ctl" reg 4K fd=0
shm=$(mktemp /dev/shm/rdmafs.XXXXXX) || skip "no /dev/shm"
exec 5<>"$shm"
refused "an empty file" "*0 bytes*"
exec 5>"$shm"
rm "$shm"
refused "one that is open for writing only" "*writing only*"
like "nothing is registered" "$(cat "$r/status")" "unregistered *"
finish
