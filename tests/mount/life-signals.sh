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
	kill -s $signal "$daemon"
	wait "$daemon"
	is "SIG$signal: its status" $? 0
	daemon=
	is "SIG$signal: the mount is gone" "$(connection)" ''
	exec 3<&- 4<&-
	start
done
finish
