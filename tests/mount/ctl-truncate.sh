#!/bin/sh
# SPDX-License-Identifier: MIT
# O_TRUNC, O_APPEND, ftruncate(0), utimes and touch on a control or value file
# do nothing and succeed.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
put "$P/lab/mr/r/ctl" reg 4096 mw_bind remote_read
put "$P/lab/mw/w/ctl" bind r
key=$(cat "$P/lab/mw/w/rkey")
cat "$M/list" >"$T/before"
for f in ctl mr/r/ctl mr/r/rights mw/w/ctl mw/w/rights mw/w/rkey; do
	f=$P/lab/$f
	cat "$f" >"$T/was"
	(: >"$f")
	report $? ": > ${f#"$P"}"
	(: >>"$f")
	report $? ": >>"
	check "touch" touch -c "$f"
	check "touch -d" touch -d '1 Jan 2020' "$f"
	check "truncate -s 0" truncate -s 0 "$f"
	check "dd of nothing" dd if=/dev/null of="$f"
	check "it is as it was" cmp "$f" "$T/was"
	is "with its size" "$(stat -c %s "$f")" "$(wc -c <"$T/was")"
done
check "of the root, too" truncate -s 0 "$M/ctl"
cat "$M/list" >"$T/after"
check "nothing has changed" cmp "$T/before" "$T/after"
is "nor has a key" "$(cat "$P/lab/mw/w/rkey")" "$key"
(echo invalidate >>"$P/lab/mw/w/ctl")
report $? "a command through >>"
like "has run" "$(cat "$P/lab/mw/w/status")" "unbound *"
finish
