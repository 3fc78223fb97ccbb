#!/bin/sh
# SPDX-License-Identifier: MIT
# A device whose calls fail breaks rules: they are told apart from the others,
# with the reason and the commands, and the exit status is 1.
[ -n "${RDMAFS_FAULT_BIN:-}" ] || { echo "SKIP: no RDMAFS_FAULT_BIN"; exit 77; }
# shellcheck disable=SC2034 # for lib.sh
RDMAFS=$RDMAFS_FAULT_BIN
. "$(dirname "$0")/../../mount/lib.sh"

# fault COMMAND...: see tests/fault/rdmafs_fault.c
fault() {
	echo "$*" >"$M.fault"
	is "fault $*" "$(cat "$M.answer")" ok
}

# conform RULE...: its lines are in $T/lines
conform() {
	sh "$RDMAFS_CONFORM" -m "$M" "$DEV" "$@" >"$T/lines" 2>&1
}

conform M12 I1
is "no fault, status 0" $? 0
fault fail mw_invalidate 1 EIO
conform M12 I1
is "an invalidation that fails, status 1" $? 1
like "I1 is broken" "$(sed -n 2p "$T/lines")" "I1 broken: an invalidation *"
like "it says what and why" "$(sed -n 3p "$T/lines")" \
    "    an invalidation of a type 1 window: expected success, got EIO: *"
like "and how" "$(grep '^	echo invalidate' "$T/lines")" "	echo invalidate > mw/w/ctl"
is "the others are kept" "$(sed -n '1s/:.*//p' "$T/lines")" "M12 kept"
is "the last line has the sum" "$(tail -n 1 "$T/lines")" \
    "1 kept, 1 broken, 0 not offered"
is "nothing is left" "$(ls "$P")" clone

# The commands can be pasted: without the fault they all succeed.
grep '^	' "$T/lines" | sed 's/^	//' >"$T/commands"
check "the commands run" sh -e "$T/commands"
like "in a domain of one's own" "$(cat "$P/lab/status")" "active *"
echo destroy >"$P/lab/ctl"

fault fail mr_reg 1 EIO
conform M9
like "a step that fails is a finding" "$(cat "$T/lines")" \
    "M9 broken: *expected success, got EIO: *"
finish
