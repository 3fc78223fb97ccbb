#!/bin/sh
# SPDX-License-Identifier: MIT
# Who waits on wc can be killed and interrupted, and with O_NONBLOCK is told
# EAGAIN; 100 who wait are in nobody's way.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/qp/q"
q=$P/lab/qp/q
put "$P/lab/mr/r/ctl" reg 4K local_write
put "$q/ctl" connect "$(cat "$q/local")"
cat <>"$q/wc" >"$T/out2" &
reader=$!
waits $reader
kill -KILL $reader
ends $reader

reads "$q/wc" &
reader=$!
waits $reader
kill -INT $reader
wait $reader
is "interrupted: EINTR" $? 4

reads_now "$q/wc"
is "O_NONBLOCK: EAGAIN" $? 11
dd if="$q/wc" iflag=nonblock bs=100 count=1 status=none
is "for reading only there is an end instead" $? 0

readers=
for _ in $(seq 100); do
	cat <>"$q/wc" >/dev/null &
	readers="$readers $!"
done
for pid in $readers; do
	waiting "$pid" || waits "$pid"
done >"$T/waits"
check "a command is done" timeout $soon dd of="$q/ctl" status=none \
    conv=notrunc <<EOT
write r 0 0 0 0
EOT
check "the mount answers" timeout $soon ls -lR "$M"
# shellcheck disable=SC2086 # pids
kill -KILL $readers
for pid in $readers; do
	over "$pid" || ends "$pid" || break
done
check "and the queue pair goes" rmdir "$q"
finish
