#!/bin/sh
# SPDX-License-Identifier: MIT
# A bind that is under way over a queue pair when that is reset or destroyed
# ends well, and its window is unbound before the queue pair goes (W10).
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w" "$P/lab/qp/q"
q=$P/lab/qp/q
w=$P/lab/mw/w
put "$P/lab/mr/r/ctl" reg 4K local_write mw_bind
put "$w/ctl" type 2

# ends WHAT COMMAND...: while a bind is held.
ends() {
	how=$1
	shift
	put "$q/ctl" connect "$(cat "$q/local")"
	fault hold mw_bind
	put "$w/ctl" bind r 0 4K remote_write qp=q &
	bind=$!
	fault held 1
	"$@" &
	end=$!
	waits $end
	fault release
	wait $bind
	is "the bind ends well" $? 0
	wait $end
	is "$how too" $? 0
	like "the window is unbound" "$(cat "$w/status")" 'unbound type=2 *'
}

ends "reset" writes "$q/ctl" reset
like "no window is bound over it" "$(cat "$q/status")" 'reset * windows=0 *'
ends "rmdir" rmdir "$q"
check "it is gone" test ! -e "$q"
mkdir "$q"
ends "destroy" writes "$q/ctl" destroy
check "it is gone" test ! -e "$q"
rmdir "$P/lab/mr/r"
is "the region has no window" $? 0
finish
