#!/bin/sh
# SPDX-License-Identifier: MIT
# SIGTERM, SIGINT and SIGHUP end the daemon and its mount, with objects in it
# and files that are open.

# A shell starts what is in the background with SIGINT ignored.
RDMAFS_WRAP="env --default-signal=INT ${RDMAFS_WRAP:-}"
. "$(dirname "$0")/lib.sh"

for signal in TERM INT HUP; do
	mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mw/w"
	put "$P/lab/mr/a/ctl" reg 64K mw_bind
	put "$P/lab/mw/w/ctl" bind a
	exec 3<"$P/lab/status" 4<>"$P/lab/mr/clone"
	umount "$M" 2>"$T/busy"
	is "umount is refused while files are open" $? 32
	cat <>"$M/events" >"$T/events" &
	reader=$!
	# Not before it waits, in its read and not in what comes before that.
	waited=0
	while [ $waited -lt 5 ]; do
		sleep 0.02
		waited=$((waited + 1))
		grep -q request_wait_answer "/proc/$reader/wchan" || waited=0
	done
	kill -s $signal "$daemon"
	wait "$daemon"
	is "SIG$signal: its status" $? 0
	daemon=
	wait $reader
	is "SIG$signal: who waits for events has an end of file" $? 0
	is "SIG$signal: the mount is gone" "$(connection)" ''
	exec 3<&- 4<&-
	start
done
finish
