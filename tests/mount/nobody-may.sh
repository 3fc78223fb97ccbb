#!/bin/sh
# SPDX-License-Identifier: MIT
# create, unlink, link, symlink and mknod are EPERM everywhere, root included.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
put "$P/lab/mr/r/ctl" reg 4096 mw_bind
put "$P/lab/mw/w/ctl" bind r
for d in "$M" "$D" "$D/attr" "$P" "$P/lab" "$P/lab/mr" "$P/lab/mr/r" \
    "$P/lab/mw/w"; do
	fails EPERM touch "$d/x"
	fails EPERM dd if=/dev/null of="$d/x" status=none
	fails EPERM ln -s x "$d/x"
	fails EPERM mkfifo "$d/x"
	fails EPERM mknod "$d/x" c 1 3
	fails EPERM ln "$P/lab/status" "$d/x"
done
for f in "$M/ctl" "$D/status" "$D/attr/fw_ver" "$P/clone" "$P/lab/ctl" \
    "$P/lab/mr/r/data" "$P/lab/mr/r/rkey" "$P/lab/mw/w/mr"; do
	fails EPERM rm -f "$f"
	check "${f#"$M"} is still there" test -e "$f"
done
fails EPERM sed -i s/x/y/ "$P/lab/mr/r/rights"
fails EPERM mv "$P/lab/mw/w/mr" "$P/lab/mw/w/x"
finish
