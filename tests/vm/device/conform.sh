#!/bin/sh
# SPDX-License-Identifier: MIT
# The rules that soft-RoCE breaks, as rdmafs-conform finds them, are those known
# of this kernel: no more, no fewer.  What it shows of a broken rule shows it.
. "$(dirname "$0")/rdma.sh"

kernel=$(uname -r | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
case $kernel in
6.1)	known='M6:D14 M9:D9 W4:D1 W5:D1 A1:D1 A7:D1 I3:D11 ' ;;
6.12|7.3)
	known='M9:D9 W4:D1 W5:D1 A1:D1 A4:D5 A7:D1 I3:D11 ' ;;
*)	skip "it is not known what Linux $kernel breaks" ;;
esac

sh "$(dirname "$0")/../../conformance/assemble.sh" >"$T/rdmafs-conform"

# conform RULE...: its lines are in $T/lines.  Busybox's shell is several
# programs in one: emulated, it is their start that takes the time.
conform() {
	busybox sh "$T/rdmafs-conform" -m "$M" "$DEV" "$@" >"$T/lines" 2>"$T/err"
	echo $? >"$T/status"
	show "$T/lines"
}

conform
is "status" "$(cat "$T/status")" 1
is "nothing on standard error" "$(cat "$T/err")" ""
is "what is broken, and why" \
    "$(sed -n 's/^\([A-Z][0-9]*\) broken (\(.*\)): .*/\1:\2/p' "$T/lines" |
	tr '\n' ' ')" "$known"
is "what is not offered" "$(grep ' not offered: ' "$T/lines")" ""
is "I4 waits to be asked for" "$(grep '^I4 ' "$T/lines")" \
    "I4 not run: may take this kernel down; ask for it by name"
is "nothing is left" "$(ls "$P")" clone
sed -n '/^W4 /,/^[A-Z][0-9]* /s/^	//p' "$T/lines" >"$T/commands"
check "the commands that are shown of W4 can be pasted" sh -e "$T/commands"
like "and the last has done what a window forbids" "$(tail -n 1 "$T/commands")" \
    "echo read buf *"
echo destroy >"$P/lab/ctl"

conform I4
is "status" "$(cat "$T/status")" 0
like "I4 warns" "$(cat "$T/err")" "*may take this kernel down*"
is "nothing is left" "$(ls "$P")" clone
stop
is "the kernel has nothing left" "$(counts)" "$idle"
finish
