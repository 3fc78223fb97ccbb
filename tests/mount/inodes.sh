#!/bin/sh
# SPDX-License-Identifier: MIT
# Inode numbers are never used again, and no two files have the same one.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab"
for i in 1 2 3 4 5; do
	mkdir "$P/lab/mr/r"
	put "$P/lab/mr/r/ctl" reg 4096
	stat -c %i "$P/lab/mr/r" "$P/lab/mr/r/ctl" "$P/lab/mr/r/data" \
	    >>"$T/inodes" || report 1 "round $i"
	rmdir "$P/lab/mr/r"
done
is "of objects that came and went" "$(sort "$T/inodes" | uniq -d)" ""
mkdir "$P/lab/mr/r" "$P/lab/mw/w"
find "$M" -name clone -prune -o -printf '%i\n' | sort >"$T/all"
is "of all that is there" "$(uniq -d "$T/all")" ""
is "none comes back" "$(sort -u "$T/inodes" | comm -12 - "$T/all")" ""
is "it stays the same" "$(stat -c %i "$P/lab/ctl")" \
    "$(stat -c %i "$P/lab/ctl")"
is "ls tells the same one" \
    "$(find "$P/lab" -maxdepth 1 -name list -printf %i)" \
    "$(stat -c %i "$P/lab/list")"
finish
