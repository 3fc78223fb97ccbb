#!/bin/sh
# SPDX-License-Identifier: MIT
# Tools that trust st_size or use sendfile read the whole text: busybox cat
# and cp, tar, rsync, cp, Python's shutil and sendfile.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
put "$P/lab/mr/r/ctl" reg 64K local_write remote_read
seq 9999 >"$T/seq"
dd if="$T/seq" of="$P/lab/mr/r/data" conv=notrunc status=none
# copies COMMAND...: from one file to another
copies() {
	for f in ctl status rights rkey length data; do
		f=$P/lab/mr/r/$f
		cat "$f" >"$T/want"
		rm -f "$T/got"
		"$@" "$f" "$T/got" >"$T/err" 2>&1
		cmp "$T/want" "$T/got" >>"$T/err" 2>&1
		report $? "$1: ${f##*/}" || show "$T/err"
	done
}
busybox_cat() {
	busybox cat "$1" >"$2"
}
tar_copy() {
	tar -C "${1%/*}" -c "${1##*/}" | tar -x -O >"$2"
}

copies cp --reflink=auto
copies cp --sparse=never
copies tar_copy
command -v rsync >/dev/null && copies rsync -W
copies python3 -c 'import shutil, sys; shutil.copyfile(*sys.argv[1:])'
copies python3 -c 'import os, sys
i, o = open(sys.argv[1], "rb"), open(sys.argv[2], "wb")
at = 0
while n := os.sendfile(o.fileno(), i.fileno(), at, 1 << 20):
	at += n'
copies python3 -c 'import sys
open(sys.argv[2], "w").write(open(sys.argv[1], errors="surrogateescape").read())'
if command -v busybox >/dev/null; then
	copies busybox cp
	copies busybox_cat
fi
finish
