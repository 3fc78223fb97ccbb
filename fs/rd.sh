# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# For scripts that use a tree of rdmafs(8): rdmafs(5) has what it is for.
#
#	. /usr/share/rdmafs/rd.sh
#	rd lab/mr/buf/ctl reg 64K local_write || exit

# rd FILE COMMAND...: writes a command, as one line, to a file.  Returns 0, or
# 1 when it was refused, and then prints the reason on stderr: the shells know
# at best the errno.  FILE's own answer cannot be another writer's.
rd() (
	file=$1
	shift
	IFS=' '
	command exec 3<>"$file" || exit 1
	# Not the shell's message, which is "I/O error" for everything.
	printf '%s\n' "$*" 2>/dev/null >&3 && exit
	case ${file##*/} in
	ctl|rights|batch)
		dd bs=16k count=1 <&3 2>/dev/null ;;
	*)
		cat "$(dirname -- "$file")/error" ;;
	esac >&2
	exit 1
)
