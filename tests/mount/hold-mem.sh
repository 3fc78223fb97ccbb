#!/bin/sh
# SPDX-License-Identifier: MIT
# Who reads or writes a mapping whose transfer takes its time can be killed; the
# transfer completes, and the queue pair's end waits for it.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/qp/q" "$P/lab/qp/q/mem/m"
q=$P/lab/qp/q
m=$q/mem/m
put "$P/lab/mr/r/ctl" reg 1M local_write remote_write remote_read
put "$q/ctl" connect "$(cat "$q/local")"
put "$m/ctl" map "$(cat "$P/lab/mr/r/addr")" 1M "$(cat "$P/lab/mr/r/rkey")"
fault hold qp_post
dd if="$m/data" of="$T/copy" bs=1M 2>/dev/null &
reader=$!
fault held 1
writes "$m/data" hello &
writer=$!
waits $reader
waits $writer
check "the mapping can be looked at" timeout $soon cat "$m/status" "$m/length"
check "so can the queue pair" timeout $soon cat "$q/status"
check "a domain can be made" timeout $soon mkdir "$P/other"
kill -KILL $reader
ends $reader
writes "$q/ctl" reset &
resetter=$!
waits $resetter
is "a reset waits" "$(cat "$q/state")" rts
fault release
wait $writer
is "the write ends well" $? 0
wait $resetter
is "then the reset" $? 0
is "it is there" "$(head -c 5 "$P/lab/mr/r/data")" hello
check "wc has the read" grep -q 'rdma_read success' "$q/wc"
like "the mapping is dead" "$(cat "$m/status")" 'dead *'

put "$q/ctl" connect "$(cat "$q/local")"
put "$m/ctl" map "$(cat "$P/lab/mr/r/addr")" 1M "$(cat "$P/lab/mr/r/rkey")"
fault hold qp_post
dd if="$m/data" of="$T/copy" bs=1M 2>/dev/null &
reader=$!
fault held 1
check "a mapping goes while it is read" timeout $soon rmdir "$m"
fault release
wait $reader
check "its queue pair, too" rmdir "$q"
finish
