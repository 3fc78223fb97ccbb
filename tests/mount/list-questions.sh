#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands that EXAMPLES of rdmafs.5 has for list answer what it says, on
# a tree whose answers are known; and those of rdmals find the same.
. "$(dirname "$0")/lib.sh"

manual=$(dirname "$0")/../../docs/rdmafs.5
# question NUMBER LIST: what the manual's command prints of a list
awk '/^\.Sh / { inside = $2 == "EXAMPLES" }
     inside && /^\$ .* \/rdma\/list/' "$manual" |
    sed 's/^\$ //; s/\\(aq/'\''/g; s/\\(ha/^/g; s/\\e/\\/g' >"$T/commands"
is "the manual has four commands" "$(wc -l <"$T/commands")" 4
question() {
	sed -n "$1p" "$T/commands" | sed "s|/rdma/list|$2|" >"$T/command"
	sh "$T/command" | sed 's/ .*//'
}

# Names that could be taken for what is asked for.
mkdir "$P/lab" "$P/owner" "$P/idle"
mkdir "$P/lab/mr/remote_write" "$P/lab/mr/new" "$P/owner/mr/length" \
    "$P/lab/mw/in" "$P/lab/mw/both" "$P/lab/mw/out" "$P/lab/mw/kept"
put "$P/lab/mr/remote_write/ctl" reg 64K local_write remote_write mw_bind
put "$P/lab/mw/in/ctl" bind remote_write 0 64 remote_write
put "$P/lab/mw/both/ctl" bind remote_write 0 64 remote_read remote_write
put "$P/lab/mw/out/ctl" bind remote_write 0 64 remote_read
put "$P/lab/mw/kept/ctl" rights remote_write
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
	mkdir "$P/owner/mr/r$n"
	put "$P/owner/mr/r$n/ctl" reg $((n * 4096))
done
put "$P/owner/mr/length/ctl" reg 100
chown 1000 "$P/owner/mr/r1" "$P/owner/mr/r2" "$P/owner/mr/r3" "$P/lab/mr/new" \
    "$P/lab/mw/in"
chown 10000 "$P/owner/mr/r4"

is "windows that let a peer write" "$(question 1 "$M/list" | tr '\n' ' ')" \
    "$DEV/pd/lab/mw/in $DEV/pd/lab/mw/both "
# 4096 bytes stand for 1 GiB, which not every machine can lock.
awk '{ for (i = 4; i <= NF; i++)
		if ($i ~ /^length=/)
			$i = sprintf("length=%.0f", substr($i, 8) * 2^18) } 1' \
    "$M/list" >"$T/list"
is "no region is larger than 1 GiB" "$(question 2 "$M/list")" ""
is "regions of uid 1000 larger than 1 GiB" \
    "$(question 2 "$T/list" | tr '\n' ' ')" \
    "$DEV/pd/owner/mr/r2 $DEV/pd/owner/mr/r3 "
is "domains that nobody uses" "$(question 3 "$M/list")" "$DEV/pd/idle"
is "the ten largest regions" "$(question 4 "$M/list" | tr '\n' ' ')" \
    "$DEV/pd/lab/mr/remote_write $(for n in 12 11 10 9 8 7 6 5 4; do
	printf '%s ' "$DEV/pd/owner/mr/r$n"
    done)"

[ -n "${RDMALS:-}" ] || finish
same() {
	what=$1
	number=$2
	shift 2
	is "rdmals: $what" "$("$RDMALS" -m "$T/mnt" "$@" |
	    awk 'NR > 1 { print $2 }')" "$(question "$number" "$M/list")"
}
same "windows that let a peer write" 1 mw state=bound rights=remote_write
same "domains that nobody uses" 3 pd mr=0 mw=0 qp=0
is "rdmals: regions of uid 1000 larger than 4 KiB" \
    "$("$RDMALS" -m "$M" mr owner=1000 'length>4K' | awk 'NR > 1 { print $2 }')" \
    "$(question 2 "$T/list")"
finish
