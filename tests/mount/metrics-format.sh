#!/bin/sh
# SPDX-License-Identifier: MIT
# metrics is Prometheus' text format, whole, whatever reads it; what stands in it
# is what rdmafs --tree says.
. "$(dirname "$0")/lib.sh"

promtool=yes
command -v promtool >/dev/null || promtool=
# formatted WHEN
formatted() {
	cat "$M/metrics" >"$T/metrics"
	[ -n "$promtool" ] || return 0
	promtool check metrics <"$T/metrics" >"$T/promtool" 2>&1
	report $? "$1: promtool accepts it" || show "$T/promtool"
	is "$1: and has nothing to say" "$(cat "$T/promtool")" ""
}
formatted "at first"
mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
put "$P/lab/mr/r/ctl" reg 64K mw_bind local_write
put "$P/lab/mw/w/ctl" bind r 0 4K remote_write
fails EINVAL put "$P/lab/mw/w/ctl" bnd r
fails EBUSY rmdir "$P/lab"
# The kernel has to be notified of what it has been told will last.
for _ in 1 2 3; do
	stat "$P/lab/mw/w/status" >/dev/null
done
put "$P/lab/mw/w/ctl" bind r 0 4K remote_read
formatted "with something in it"
[ -n "$promtool" ] || say "no promtool: not checked by it"

is "it is for all" "$(stat -c %a:%u "$M/metrics")" 444:0
check "also for others" as_user 2001 cat "$M/metrics"
[ "$(stat -c %s "$M/metrics")" -ge "$(wc -c <"$T/metrics")" ]
report $? "its size is at least what there is to read"

# A metric's lines stand together, behind its two comments; each sample is of it.
awk '
	/^# HELP /	{ help = $3; next }
	/^# TYPE /	{ if ($3 != help || seen[$3]++)
				print "out of place: " $0
			  name = $3; type = $4; next }
	{ sample = $0; sub(/[{ ].*/, "", sample)
	  if (type == "histogram")
		sub(/_(bucket|sum|count)$/, "", sample)
	  if (sample != name) print "not of " name ": " $0 }
' "$T/metrics" >"$T/bad"
is "each sample is behind its metric's comments" "$(cat "$T/bad")" ""

"$RDMAFS" --tree | sed -n 's|^/metrics : ||p' | sort >"$T/want"
# Types, names and labels of those that have samples; le is the histogram's.
awk '
	/^# TYPE /	{ type[$3] = $4; next }
	/^#/		{ next }
	{ name = $0; sub(/[{].*/, "", name)
	  if (!(name in type)) sub(/_(bucket|sum|count)$/, "", name)
	  labels = $0; sub(/^[^{]*/, "", labels); sub(/} [^}]*$/, "}", labels)
	  gsub(/="[^"]*"/, "", labels); sub(/,le}/, "}", labels)
	  print type[name] " " name labels }
' "$T/metrics" | sort -u >"$T/got"
check "names, types and labels are those of the table" \
    diff "$T/want" "$T/got"

# Without what reading changes: messages, but nothing is asked of a device.
still() {
	grep -v '^rdmafs_fuse_messages_total' "$1"
}
dd if="$M/metrics" of="$T/small" bs=7 status=none
still "$T/metrics" >"$T/want"
still "$T/small" >"$T/got"
check "small reads fit together" cmp "$T/want" "$T/got"
is "tail begins where it should" "$(tail -n 1 "$M/metrics")" \
    "$(tail -n 1 "$T/metrics")"
awk -F'[ "]' '/_bucket/ { if ($0 ~ /le="1e-06"/) last = 0
	if ($NF < last) print "falls: " $0
	last = $NF }' "$T/metrics" >"$T/bad"
is "buckets rise" "$(cat "$T/bad")" ""
awk '{ v = $NF; sub(/ [^ ]*$/, "")
	if (/le="[+]Inf"/) { sub(/,le="[+]Inf"/, ""); sub(/_bucket/, ""); n[$0] = v }
	else if (/_count{/) { sub(/_count/, ""); if (n[$0] != v) print } }' \
    "$T/metrics" >"$T/bad"
is "and end in the count" "$(cat "$T/bad")" ""
rkey=$(cat "$P/lab/mw/w/rkey")
! grep -Eq "lab|$rkey|$((rkey))" "$T/metrics"
report $? "no name of a user's and no key stands in it"
fails EACCES put "$M/metrics" x
fails EINVAL mkdir "$P/metrics"
finish
