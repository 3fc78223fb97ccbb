#!/bin/sh
# SPDX-License-Identifier: MIT
# A batch of any length takes the memory of one line and one write, and a domain
# of many windows goes by one command.
. "$(dirname "$0")/lib.sh"

# peak: the most memory that the daemon has had, KiB
peak() {
	awk '$1 == "VmHWM:" { print $2 }' "/proc/$daemon/status"
}

mkdir "$P/lab"
b=$P/lab/batch
{ echo mkdir mr/r; echo mr/r reg 64K mw_bind
  seq -f 'mkdir mw/w%g' 5000; seq -f 'mw/w%g bind r' 5000; } >"$T/build"
seq -f 'mw/w%g invalidate' 5000 >"$T/revoke"
seq -f 'mw/w%g bind r 4K 8K none' 5000 >"$T/bind"
check "a domain is built" dd if="$T/build" of="$b" bs=1M status=none
like "it is there" "$(cat "$P/lab/status")" 'active mr=1 mw=5000 *'
is "all are bound" "$(grep -c ' mw bound ' "$P/lab/list")" 5000
check "they are revoked" dd if="$T/revoke" of="$b" bs=1M status=none
is "none is" "$(grep -c ' mw bound ' "$P/lab/list")" 0

# Dead keys are remembered: these lines make none.
{ seq -f 'mw/w%g rights none' 5000; seq -f 'mw/w%g rights remote_read' 5000
} >"$T/both"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	cat "$T/both" "$T/both" "$T/both" "$T/both"
done >"$T/long"
dd if="$T/both" of="$b" bs=1M status=none
before=$(peak)
check "a script of $(stat -c %s "$T/long") bytes" \
    dd if="$T/long" of="$b" bs=1M status=none
after=$(peak)
# The daemon has a buffer of a write for each of its threads anyway.
[ $((after - before)) -lt 12288 ]
report $? "memory does not grow with it" || say "from $before to $after KiB"

check "bound again" dd if="$T/bind" of="$b" bs=1M status=none
check "one command ends all keys" put "$P/lab/ctl" invalidate
like "the windows stay" "$(cat "$P/lab/status")" 'active mr=1 mw=5000 *'
is "and are unbound" "$(grep -c ' mw unbound ' "$P/lab/list")" 5000
check "bound once more" dd if="$T/bind" of="$b" bs=1M status=none
check "one command ends the domain" put "$P/lab/ctl" destroy
check "it is gone" test ! -e "$P/lab"
finish
