#!/bin/sh
# SPDX-License-Identifier: MIT
# A value that does not exist yet is ENODATA, at open.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
# nodata WHEN
nodata() {
	for f in mr/r/lkey mr/r/rkey mr/r/addr mr/r/length mr/r/data mw/w/rkey \
	    mw/w/addr mw/w/length; do
		fails ENODATA cat "$P/lab/$f"
	done
	# fails' message may be of read(2): this is of open(2).
	(exec <"$P/lab/mr/r/rkey") 2>"$T/err"
	report $((! $?)) "at open, $1"
	check "there is no mr" test ! -e "$P/lab/mw/w/mr"
	fails ENOENT readlink -v "$P/lab/mw/w/mr"
}

nodata "when fresh"
is "no windows are an empty text" "$(cat "$P/lab/mr/r/windows")" ""
fails ENODATA put "$P/lab/mr/r/data" x
fails ENODATA put "$P/lab/mw/w/rkey" invalidate
put "$P/lab/mr/r/ctl" reg 4096 mw_bind remote_read
put "$P/lab/mw/w/ctl" bind r
for f in mr/r/lkey mr/r/rkey mr/r/addr mr/r/length mw/w/rkey mw/w/addr \
    mw/w/length; do
	check "$f is there now" cat "$P/lab/$f"
done
put "$P/lab/mw/w/ctl" invalidate
put "$P/lab/mr/r/ctl" dereg
nodata "when it is over"
finish
