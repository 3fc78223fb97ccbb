#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh mount.sh [NAME...]: the mount tests, or those of some names, on soft-RoCE;
# see scripts.sh.

set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
mount=${here%/*}/mount
if [ $# -eq 0 ]; then
	# shellcheck disable=SC2046,SC2012 # names of scripts have no blanks
	set -- $(cd "$mount" && ls ./*.sh | sed 's/^..//; s/\.sh$//')
fi
for name; do
	shift
	case $name in
	lib|fault)	;;	# frames
	*)		set -- "$@" "$mount/$name.sh" ;;
	esac
done
exec sh "$here/scripts.sh" -j 2 -t 1800 "$@"
