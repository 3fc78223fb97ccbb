#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh device.sh [NAME...]: what only a real device can show, the scripts of
# device/ or those of some names, on soft-RoCE; see scripts.sh.

set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
if [ $# -eq 0 ]; then
	# Those without a first line for sh are frames of others.
	# shellcheck disable=SC2046 # names of scripts have no blanks
	set -- $(cd "$here/device" &&
	    grep -l '^#!' ./*.sh | sed 's/^..//; s/\.sh$//')
fi
for name; do
	shift
	set -- "$@" "$here/device/$name.sh"
done
# One at a time: they count the kernel's objects.
exec sh "$here/scripts.sh" -t 1800 "$@"
