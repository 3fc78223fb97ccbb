#!/bin/sh
# SPDX-License-Identifier: MIT
# mtime of an object's status is its last change, and of its directory in whole
# seconds.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w" "$P/lab/qp/q"
r=$P/lab/mr/r
w=$P/lab/mw/w
q=$P/lab/qp/q
# changes OBJECT COMMAND...: its mtime is later then
changes() {
	object=$1
	shift
	was=$(stat -c %.9Y "$object/status")
	"$@"
	now=$(stat -c %.9Y "$object/status")
	check "$* changes ${object#"$P/"}" test "$was" != "$now"
	is "its directory's is the same, in whole seconds" \
	    "$(stat -c %.9Y "$object")" "${now%.*}.000000000"
	check "it is later" \
	    test "$(printf '%s\n' "$was" "$now" | sort -n | tail -n 1)" = "$now"
}

check "mtime of a fresh one is of now" \
    test $(($(date +%s) - $(stat -c %Y "$r"))) -lt 20
changes "$r" put "$r/rights" remote_read
changes "$r" put "$r/ctl" reg 4096 mw_bind
changes "$w" put "$w/ctl" bind r
changes "$w" put "$w/rights" remote_read
changes "$w" put "$w/ctl" invalidate
changes "$r" put "$r/ctl" rereg remote_read
changes "$r" put "$r/ctl" dereg
changes "$q" put "$q/rights" remote_read
changes "$q" put "$q/ctl" connect "$(cat "$q/local")"
changes "$q" mkdir "$q/mem/m"
changes "$q/mem/m" put "$q/mem/m/ctl" map 0x1000 8 0x12
changes "$q/mem/m" put "$q/ctl" reset
changes "$P/lab" mkdir "$P/lab/mr/s"
changes "$P/lab" rmdir "$P/lab/mr/s"

was=$(stat -c %.9Y "$r/status")
for f in "$r"/*; do
	cat "$f" >/dev/null 2>&1
done
put "$r/ctl" nonsense 2>"$T/err"
lines "$r/ctl" '# nothing\n'
touch -d '1 Jan 2020' "$r/status" 2>"$T/err"
is "reading, errors and comments do not" "$(stat -c %.9Y "$r/status")" "$was"
finish
