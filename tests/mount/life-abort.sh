#!/bin/sh
# SPDX-License-Identifier: MIT
# umount -l with files open, and an abort of the connection: the daemon ends
# well, once the last file is closed or at once; who waits is let go.
. "$(dirname "$0")/lib.sh"

fusectl=/sys/fs/fuse/connections

# A reader of events, who waits
begin() {
	mkdir "$P/lab" "$P/lab/mr/a"
	put "$P/lab/mr/a/ctl" reg 64K
	cat <>"$M/events" >"$T/events" 2>&1 &
	reader=$!
	until grep -q request_wait_answer "/proc/$reader/wchan"; do
		sleep 0.02
	done
}
# ended WHAT: the daemon has, well
ended() {
	wait "$daemon"
	is "$1: the daemon ends with status 0" $? 0
	daemon=
}

begin
exec 3<"$P/lab/status"
check "umount -l" umount -l "$M"
like "a file that is open is served on" "$(cat <&3)" "active *"
kill -0 "$daemon"
report $? "and so is who waits"
exec 3<&-
kill "$reader"
wait "$reader" 2>/dev/null
ended "umount -l"

start
begin
mountpoint -q $fusectl || mount -t fusectl fusectl $fusectl
exec 3<"$P/lab/status"
echo 1 >"$fusectl/$(connection)/abort"
wait "$reader"
is "an abort ends who waits" $? 1
ended "abort"
cat <&3 >"$T/out" 2>&1
is "a file that is open cannot be read any more" $? 1
exec 3<&-
check "what is left can be unmounted" umount "$M"
start
finish
