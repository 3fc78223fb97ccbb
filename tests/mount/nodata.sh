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
		python3 -c 'import os, sys, errno
try:
	os.open(sys.argv[1], os.O_RDONLY)
except OSError as e:
	sys.exit(e.errno != errno.ENODATA)
sys.exit(1)' "$P/lab/$f"
		report $? "at open, $1"
	done
	check "there is no mr" test ! -e "$P/lab/mw/w/mr"
	fails ENOENT readlink -v "$P/lab/mw/w/mr"
}

nodata "when fresh"
for f in windows translation; do
	[ "$f" = translation ] || is "$f is empty" "$(cat "$P/lab/mr/r/$f")" ""
done
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
