#!/bin/sh
# SPDX-License-Identifier: MIT
# What stands where in the tree, and that it is what it says: directories,
# files, one link.
. "$(dirname "$0")/lib.sh"

# has DIRECTORY NAME...: those and no others
has() {
	dir=$1
	shift
	got=$(cd "$dir" && echo *)
	is "${dir#"$M"} has its files" "$got" \
	    "$(printf '%s\n' "$@" | sort | tr '\n' ' ' | sed 's/ $//')"
}

mkdir "$P/lab" "$P/lab/mr/buf" "$P/lab/mw/w" "$P/lab/qp/q"
like "devices stand in the root" "$(ls "$M")" "*$DEV*"
for f in ctl status version list error errors events metrics; do
	check "/$f is a file" test -f "$M/$f"
done
has "$D" attr batch error events explain kernel limits list pd port status usage
has "$P" clone lab
has "$P/lab" batch ctl error events list mr mw qp status
has "$P/lab/mr" buf clone
has "$P/lab/mw" clone w
has "$P/lab/qp" clone q
has "$P/lab/qp/q" ctl error events local mem num remote rights state status type wc
is "mem is empty" "$(ls "$P/lab/qp/q/mem")" ''
mkdir "$P/lab/qp/q/mem/m"
has "$P/lab/qp/q/mem" m
has "$P/lab/qp/q/mem/m" addr ctl data error length rkey status
has "$P/lab/mr/buf" addr ctl data error events length lkey rights rkey status \
    translation windows
has "$P/lab/mw/w" addr ctl error events length rights rkey status type
put "$P/lab/mr/buf/ctl" reg 4096 mw_bind
put "$P/lab/mw/w/ctl" bind buf
has "$P/lab/mw/w" addr ctl error events length mr rights rkey status type
is "mr leads to the region" "$(readlink "$P/lab/mw/w/mr")" ../../mr/buf
check "and is one" test "$P/lab/mw/w/mr/status" -ef "$P/lab/mr/buf/status"
put "$P/lab/mw/w/ctl" invalidate
check "no link while unbound" test ! -L "$P/lab/mw/w/mr"
for f in node_guid fw_ver max_mr max_mr_size max_mw max_pd max_qp mw_types \
    odp; do
	check "attr/$f has a value" grep -q . "$D/attr/$f"
done
for f in state link_layer lid mtu gid/0; do
	check "port/1/$f has a value" grep -q . "$D/port/1/$f"
done
finish
