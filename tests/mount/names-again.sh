#!/bin/sh
# SPDX-License-Identifier: MIT
# A name that went by other means than rmdir or mv, and came back, is the new
# object at once; who works in a directory that was moved goes on; an open file
# is opened again by its descriptor.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/v2"
batch() {
	printf '%s\n' "$@" >"$P/lab/batch"
}
# listed DIRECTORY NAME
# shellcheck disable=SC2317 # called by check
listed() {
	case " $(cd "$1" && echo ./*) " in
	*" ./$2 "*)	;;
	*)		return 1 ;;
	esac
}
# there PATH WHAT: to stat, to a directory that is read, and to a command
there() {
	check "$2: stat" test -d "$1"
	check "$2: it is listed" listed "${1%/*}" "${1##*/}"
	check "$2: its files" grep -q owner= "$1/status"
	check "$2: a command" put "$1/ctl" rights remote_read
}

mkdir "$P/lab/mw/w"
stat "$P/lab/mw/w" >"$T/out"
batch 'mw/w destroy' 'mkdir mw/w'
there "$P/lab/mw/w" "destroyed and made by batch"
batch 'rmdir mw/w' 'mkdir mw/w'
there "$P/lab/mw/w" "rmdir and mkdir by batch"
batch 'mkdir mw/x'
stat "$P/lab/mw/x" >"$T/out"
batch 'mw/w destroy' 'mv mw/x mw/w'
there "$P/lab/mw/w" "another one in its place"
check "which has its old name no more" test ! -e "$P/lab/mw/x"
put "$P/lab/mw/w/ctl" destroy
check "destroyed by its ctl" test ! -e "$P/lab/mw/w"
check "mkdir again" mkdir "$P/lab/mw/w"
there "$P/lab/mw/w" "made again"
mkdir "$P/lab/mr/r" "$P/v2/mr/r"
stat "$P/v2/mr/r" >"$T/out"
put "$P/lab/mr/r/ctl" reg 4096
put "$P/v2/mr/r/ctl" destroy
put "$P/lab/mr/r/ctl" rereg pd=v2
check "moved to where one was" grep -q ^active "$P/v2/mr/r/status"
check "and gone from where it was" test ! -e "$P/lab/mr/r"

# From inside.
batch 'mkdir mw/in'
is "who works in a directory that is moved" "$(
	cd "$P/lab/mw/in" || exit
	batch 'mv mw/in mw/moved'
	stat -c %F .
	find . -name type
	cat type
	find . -name status
)" 'directory
./type
1
./status'
there "$P/lab/mw/moved" "moved"
is "and that is destroyed" "$(
	cd "$P/lab/mw/moved" || exit
	echo destroy >ctl
	cat status 2>/dev/null || echo gone
	ls
)" gone

# By a descriptor.
mkdir "$P/lab/mr/s"
put "$P/lab/mr/s/ctl" reg 4096
exec 5<>"$P/lab/mr/s/data"
put "$P/lab/mr/s/ctl" dereg
put "$P/lab/mr/s/ctl" reg 8192
check "data of an older memory, by /dev/fd" \
    dd if=/dev/fd/5 of="$T/out" bs=3 count=1 status=none
exec 5>&- 5>"$P/lab/mr/s/ctl"
check "a ctl that is open, by /dev/fd" sh -c 'echo rights remote_read >/dev/fd/5'
is "it ran" "$(cat "$P/lab/mr/s/rights")" 'local_read remote_read'
exec 5>&-
finish
