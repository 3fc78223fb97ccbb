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
# shellcheck disable=SC2317 # copies calls it
busybox_cat() {
	busybox cat "$1" >"$2"
}
# shellcheck disable=SC2317 # and this
tar_copy() {
	tar -C "${1%/*}" -c "${1##*/}" | tar -x -O >"$2"
}

copies cp
copies tar_copy
command -v rsync >/dev/null && copies rsync -W
if command -v busybox >/dev/null; then
	copies busybox cp
	copies busybox_cat
fi

python3 - "$P/lab/mr/r" "$T/got" <<'EOF' || report 1 "Python's ways to read"
import os, shutil, sys
def check(how, f, want):
    got = open(sys.argv[2], "rb").read()
    if got != want:
        sys.exit(f"{f} {how}: {len(got)} bytes, not {len(want)}")
for name in "ctl status rights rkey length data".split():
    f = sys.argv[1] + "/" + name
    want = os.read(os.open(f, os.O_RDONLY), 1 << 20)
    shutil.copyfile(f, sys.argv[2])
    check("by copyfile", f, want)
    with open(f, "rb") as i, open(sys.argv[2], "wb") as o:
        at = 0
        while n := os.sendfile(o.fileno(), i.fileno(), at, 1 << 20):
            at += n
    check("by sendfile", f, want)
    with open(f, "rb") as i, open(sys.argv[2], "wb") as o:
        for line in i:
            o.write(line)
    check("by lines", f, want)
EOF
finish
