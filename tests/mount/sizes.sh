#!/bin/sh
# SPDX-License-Identifier: MIT
# st_size is the true length of what a read would give; of what may be huge an
# upper bound; 0 where there is no text.
. "$(dirname "$0")/lib.sh"

# true_sizes WHEN: of every file
true_sizes() {
	find "$M" -type f >"$T/files"
	bad=0
	while read -r f; do
		size=$(stat -c %s "$f")
		cat "$f" >"$T/text" 2>/dev/null
		length=$(stat -c %s "$T/text")
		case $f in
		*/list|*/windows|*/errors|*/translation)
			[ "$size" -ge "$length" ] ;;
		*/attr/*|*/port/*)
			[ "$size" -eq "$length" ] && [ "$length" -gt 1 ] ;;
		*)	[ "$size" -eq "$length" ] ;;
		esac && continue
		bad=$((bad + 1))
		say "$f: st_size $size, but $length bytes"
	done <"$T/files"
	is "sizes of $(grep -c . "$T/files") files $1" "$bad" 0
}

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mr/s" "$P/lab/mw/w" "$P/lab/mw/v"
true_sizes "of fresh objects"
put "$P/lab/mr/r/ctl" reg 8192 local_write remote_read mw_bind
put "$P/lab/mw/w/ctl" bind r 0 4096 remote_write
put "$P/lab/mr/s/ctl" nonsense 2>"$T/err"
put "$P/lab/mw/v/rights" remote_read
true_sizes "of a region and a window in use"
is "st_size of data is the length" "$(stat -c %s "$P/lab/mr/r/data")" 8192
is "without a value it is 0" "$(stat -c %s "$P/lab/mr/s/rkey")" 0
is "of clone it is 0" "$(stat -c %s "$P/clone")" 0
put "$P/lab/mw/w/ctl" invalidate
put "$P/lab/mr/r/ctl" dereg
true_sizes "after their end"
exec 3<"$P/lab/mr/s/status"
put "$P/lab/mr/s/ctl" reg 4K
is "fstat of an open file is of now" "$(stat -L -c %s /proc/self/fd/3)" \
    "$(wc -c <"$P/lab/mr/s/status")"
exec 3<&-
finish
