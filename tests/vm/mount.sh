#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh mount.sh [NAME...]: the mount tests, or those of some names, on soft-RoCE;
# see scripts.sh.

set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
mount=${here%/*}/mount
if [ $# -eq 0 ]; then
	# Those without a first line for sh are frames of others.
	# shellcheck disable=SC2046 # names of scripts have no blanks
	set -- $(cd "$mount" && grep -l '^#!' ./*.sh | sed 's/^..//; s/\.sh$//')
fi
for name; do
	shift
	set -- "$@" "$mount/$name.sh"
done
exec sh "$here/scripts.sh" -j 2 -t 3600 "$@"
