#!/bin/sh
# SPDX-License-Identifier: MIT
# While a data command is under way status says so, what its queue pair and its
# region would lose waits or is refused, and everything else goes on.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/qp/q" "$P/lab/qp/p"
q=$P/lab/qp/q
r=$P/lab/mr/r
put "$r/ctl" reg 4K local_write remote_write
put "$r/data" 12345678
put "$q/ctl" connect "$(cat "$q/local")"
to="$(($(cat "$r/addr") + 100)) $(cat "$r/rkey")"

fault hold qp_post
put "$q/ctl" "write r 0 8 $to" &
first=$!
fault held 1
like "status tells of it" "$(timeout $soon cat "$q/status")" 'rts * busy=write *'
is "wc does not yet" "$(cat "$q/wc")" ''
fails EBUSY put "$r/ctl" dereg
says "$r/error" \
    'EBUSY: a bind or a transfer that names this region is under way (M10)'
fails EBUSY timeout $soon rmdir "$r"
check "a domain can be made" timeout $soon mkdir "$P/other"
check "a queue pair in the same" timeout $soon mkdir "$P/lab/qp/o"
check "another takes commands" put "$P/lab/qp/p/ctl" rights none
check "the tree can be listed" timeout $soon ls -lR "$M"
writes "$q/ctl" reset &
second=$!
waits $second
is "a reset waits" "$(cat "$q/state")" rts
fault release
wait $first
is "the write ends well" $? 0
wait $second
is "then the reset" $? 0
is "in this order" "$(cut -d ' ' -f 1,3- "$q/wc")" \
    '1 rdma_write success bytes=8'
is "the bytes are there" "$(dd if="$r/data" bs=1 skip=100 count=8 status=none)" \
    12345678
is "it is reset" "$(cat "$q/state")" reset

put "$q/ctl" connect "$(cat "$q/local")"
fault hold qp_post
put "$q/ctl" "write r 0 8 $to" &
first=$!
fault held 1
rmdir "$q" &
second=$!
waits $second
mv "$P/lab/qp/p" "$P/lab/qp/n" &
third=$!
check "it is still there" timeout $soon cat "$q/status"
fault release
wait $first
is "the write ends well" $? 0
wait $second
is "then rmdir" $? 0
wait $third
is "and mv of another" $? 0
check "it is gone" test ! -e "$q"
finish
