#!/bin/sh
# SPDX-License-Identifier: MIT
# cat *, grep -r, tar, find, cp -r and rsync as root make, change and block
# nothing.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mr/s" "$P/lab/mw/w" "$P/lab/mw/v" \
    "$P/lab/qp/q" "$P/lab/qp/q/mem/m"
put "$P/lab/mr/r/ctl" reg 64K local_write remote_read mw_bind
put "$P/lab/mw/w/ctl" bind r 0 4K remote_write
echo needle >"$P/lab/mr/r/data"
put "$P/lab/qp/q/ctl" connect "$(cat "$P/lab/qp/q/local")"
put "$P/lab/qp/q/ctl" write r 0 0 0 0
echo bad >"$P/lab/mr/s/ctl"
state() {
	cat "$M/list" "$M/errors" "$P"/lab/m?/*/error "$P"/lab/m?/*/ctl \
	    "$P"/lab/qp/q/[!m]* "$P"/lab/qp/q/mem/m/status \
	    "$P/lab/mr/r/lkey" "$P/lab/mw/w/rkey" "$P/lab/mr/r/data"
	# What kernel/ has is other processes' too, which come and go.
	find "$M" \( -name clone -o -name kernel \) -prune -o \
	    -printf '%p %i %s %T@ %m\n'
}
# harmless COMMAND...: what it says is its own affair
harmless() {
	timeout $((2 * soon)) "$@" >"$T/output" 2>"$T/err" </dev/null
	[ $? -ne 124 ]
	report $? "$1 ends" || show "$T/err"
	state >"$T/after"
	check "and leaves all as it was" diff "$T/before" "$T/after"
}

state >"$T/before"
cd "$M" || exit
# shellcheck disable=SC2035 # file names here are no options
harmless cat *
harmless grep -ra needle .
check "grep has found the word in data" grep -q "r/data:needle" "$T/output"
harmless tar c .
harmless find . -exec cat {} +
harmless find . -type f -exec head -c 1 {} \;
harmless cp -r . "$T/copy"
is "cp copies the text" "$(cat "$T/copy/$DEV/pd/lab/mr/r/rights")" \
    "local_read local_write remote_read mw_bind"
harmless ls -lR .
harmless du -a .
if command -v rsync >/dev/null; then
	harmless rsync -a ./ "$T/rsync/"
	is "rsync, too" "$(cat "$T/rsync/$DEV/pd/lab/mr/r/length")" 65536
fi
if command -v busybox >/dev/null; then
	harmless busybox grep -r . .
	harmless busybox tar cf - .
	harmless busybox find . -type f -exec busybox cat {} +
fi
cd /
finish
