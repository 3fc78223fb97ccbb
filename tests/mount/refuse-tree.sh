#!/bin/sh
# SPDX-License-Identifier: MIT
# mkdir, rmdir and mv that are refused tell it in the error of the object, or
# of the one above.
. "$(dirname "$0")/refuse.sh"

mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mr/b" "$P/lab/mw/w"
lab=$P/lab/error

fails EPERM mkdir "$M/foo"
says "$M/error" 'EPERM: nothing can be made here'
fails EPERM mkdir "$D/foo"
says "$D/error" 'EPERM: nothing can be made here'
fails EINVAL mkdir "$P/-x"
says "$D/error" 'EINVAL: a name is letters, digits and '
fails EINVAL mkdir "$P/lab/mr/rkey"
says "$lab" 'EINVAL: rkey is the name of a fixed file'
fails EINVAL mkdir "$P/lab/mw/.w"
says "$lab" 'EINVAL: a name is '
fails EEXIST mkdir "$P/lab/mr/a"

fails EBUSY rmdir "$P/lab"
says "$lab" 'EBUSY: 3 objects are in this domain: mr/a mr/b mw/w'
refused "$P/lab/ctl" EINVAL 'unknown verb; there are: *' frob 0
refused "$P/lab/ctl" EINVAL '*through clone' keep 0

fails EEXIST mv -T "$P/lab/mr/a" "$P/lab/mr/b"
says "$P/lab/mr/a/error" 'EEXIST: b exists'
fails EOPNOTSUPP mv "$P/lab/mr/a" "$P/lab/mw/c"
says "$P/lab/mr/a/error" 'EOPNOTSUPP: '
! mv "$P/lab/mr/a" "$P/lab/mr/a.b/c" 2>/dev/null
! mv "$P/lab/mr/a" "$P/lab/mr/status" 2>/dev/null
says "$P/lab/mr/a/error" 'EINVAL: status is the name of a fixed file'

refused "$M/ctl" EINVAL 'only errors can be cleared' 'clear all' 6
refused "$M/ctl" EINVAL 'unknown verb; there are: clear' frob 0

i=10
while [ $i -lt 30 ]; do
	mkdir "$P/lab/mr/m$i"
	i=$((i + 1))
done
rmdir "$P/lab/mr/a" "$P/lab/mr/b" "$P/lab/mw/w"
fails EBUSY rmdir "$P/lab"
is "of many the first 16 are named" "$(cat "$lab")" \
    "EBUSY: 20 objects are in this domain:$(i=10
    while [ $i -lt 26 ]; do printf ' mr/m%d' $i; i=$((i + 1)); done)"
finish
