#!/bin/sh
# SPDX-License-Identifier: MIT
# Names are [A-Za-z0-9][A-Za-z0-9._-]{0,63} and no fixed file's.
. "$(dirname "$0")/lib.sh"

n64=$(printf '%064d' 0)
mkdir "$P/lab"
for n in a Z 0 a.b a_b a-b 007 "$n64"; do
	check "$n is a name" mkdir "$P/$n"
	check "of a region, too" mkdir "$P/lab/mr/$n"
done
for n in .x _x -x 'a b' a,b a=b 'a
b' "a'b" 'a#' 'ä' a+b a@b a:b; do
	fails EINVAL mkdir -- "$P/$n"
	fails EINVAL mkdir -- "$P/lab/mr/$n"
done
fails ENAMETOOLONG mkdir "$P/0$n64"
fails ENAMETOOLONG mkdir "$P/lab/mr/$(printf '%0256d' 0)"
for n in ctl status error list rights lkey rkey addr length data windows \
    translation type mr mw pd attr port version errors \
    qp mem events batch explain limits usage metrics; do
	fails EINVAL mkdir "$P/$n"
done
fails EEXIST mkdir "$P/clone"
# mv has words of its own for EINVAL.
for n in .lab 'a b' list; do
	mv -T "$P/lab" "$P/$n" 2>"$T/mv"
	says "$P/lab/error" "EINVAL: "
	check "it is still there" test -d "$P/lab/mr/$n64"
done
says "$P/lab/error" "EINVAL: list is the name of a fixed file"
finish
