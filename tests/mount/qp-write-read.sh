#!/bin/sh
# SPDX-License-Identifier: MIT
# RDMA writes and reads between two domains move the bytes that were asked for
# and no others; wc tells of each.
. "$(dirname "$0")/peers.sh"

peers
a=$A/qp/q
head -c 64K /dev/urandom >"$T/mine"
head -c 64K /dev/urandom >"$T/theirs"
feed "$A/mr/r/data" <"$T/mine"
feed "$B/mr/r/data" <"$T/theirs"

check "a write" put "$a/ctl" write r 100 5000 "$(at "$B/mr/r" 7)"
{ bytes "$T/theirs" 0 7; bytes "$T/mine" 100 5000
  bytes "$T/theirs" 5007 60529; } >"$T/want"
check "lands there and nowhere else" cmp "$T/want" "$B/mr/r/data"
check "mine is as it was" cmp "$T/mine" "$A/mr/r/data"
is "wc" "$(last "$a")" 'rdma_write success bytes=5000'
is "the peer's says nothing" "$(cat "$B/qp/q/wc")" ''

check "a read" put "$a/ctl" read r 60000 5536 "$(at "$B/mr/r" 8192)"
{ bytes "$T/mine" 0 60000; bytes "$T/want" 8192 5536; } >"$T/mine2"
check "lands here and nowhere else" cmp "$T/mine2" "$A/mr/r/data"
check "theirs is as it was" cmp "$T/want" "$B/mr/r/data"
is "wc" "$(last "$a")" 'rdma_read success bytes=5536'

check "all of it at once" put "$a/ctl" write r 0 64K "$(at "$B/mr/r")"
check "is there" cmp "$A/mr/r/data" "$B/mr/r/data"
check "one byte" put "$a/ctl" write r 1 1 "$(at "$B/mr/r" 65535)"
is "at the end" "$(bytes "$B/mr/r/data" 65535 1 | od -An -tx1)" \
    "$(bytes "$A/mr/r/data" 1 1 | od -An -tx1)"
like "lines are numbered and dated" "$(sed -n 4p "$a/wc")" \
    '4 [1-9]*.?????? rdma_write success bytes=1'
is "four in all" "$(wc -l <"$a/wc")" 4

# A3: neither key nor address is looked at.
check "a write of nothing" put "$a/ctl" write r 0 0 0 0
is "wc" "$(last "$a")" 'rdma_write success bytes=0'
check "a read of nothing" put "$a/ctl" read r 0 0 0x123 0x99
is "wc" "$(last "$a")" 'rdma_read success bytes=0'
is "all is well" "$(cat "$a/state")" rts
finish
