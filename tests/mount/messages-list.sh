#!/bin/sh
# SPDX-License-Identifier: MIT
# ls -l of 100,000 windows looks none of them up, and asks for hundreds at a time.
. "$(dirname "$0")/lib.sh"

grep -q fuse_messages_total "$M/metrics" || skip "messages are not counted"
case ${RDMAFS_WRAP:-}$DEV in
soft0)	count=100000 ;;
*)	count=2000 ;;	# slow
esac
mkdir "$P/lab"
seq -f 'mkdir mw/w%.0f' $count >"$T/lines"
if [ -e "$P/lab/batch" ]; then
	check "$count windows" dd if="$T/lines" of="$P/lab/batch" bs=1M \
	    iflag=fullblock conv=notrunc,nocreat status=none
else
	(cd "$P/lab" && sed 's/^mkdir //' "$T/lines" | xargs mkdir)
	report $? "$count windows"
fi

# messages: of all kinds
messages() {
	awk '/^rdmafs_fuse_messages_total/ { n += $NF } END { print n }' \
	    "$M/metrics"
}

lookups='rdmafs_fuse_messages_total{opcode="LOOKUP"}'
ls -ld "$P/lab/mw" >"$T/out"	# warm
metric "$lookups" >/dev/null
# What counting needs itself.
looked=$(metric "$lookups")
own=$(($(metric "$lookups") - looked))
looked=$(metric "$lookups")
before=$(messages)
check "ls -l" ls -l "$P/lab/mw"
after=$(messages)
is "it has all of them, and clone" "$(grep -c '^[d-]' "$T/out")" $((count + 1))
# clone has an inode of its own for each lookup, and ls asks more than once.
check "no window was looked up" \
    test $(($(metric "$lookups") - looked - own)) -le 3
most=$((count * 6 / 1000))
[ $most -gt 30 ] || most=30
# Older kernels read a directory page by page.
[ "$(uname -r | cut -d . -f 1)" -gt 6 ] ||
    [ "$(uname -r | cut -d . -f 2)" -ge 18 ] || most=$((count / 10))
say "$((after - before)) messages for $count entries"
check "at most $most messages" test $((after - before)) -le $most
finish
