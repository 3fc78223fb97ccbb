#!/bin/sh
# SPDX-License-Identifier: MIT
# A clone whose holder is killed while its region is being registered goes once
# that is over.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab"
fault hold mr_reg
sh -c 'exec 3<>"$1"; read -r n <&3; echo "$n" >"$2"; echo reg 64K >&3' sh \
    "$P/lab/mr/clone" "$T/name" 2>/dev/null &
holder=$!
fault held 1
mr=$P/lab/mr/$(cat "$T/name")
like "the clone registers" "$(cat "$mr/status")" '* busy=reg *'
kill -KILL $holder
ends $holder
check "it is there while that goes on" cat "$mr/status"
fault release
until_true "and then no more" test ! -e "$mr"
check "the domain is empty" rmdir "$P/lab"

fault hold pd_alloc
sh -c 'exec 3<>"$1"' sh "$P/clone" 2>/dev/null &
holder=$!
fault held 1
kill -KILL $holder
ends $holder
fault release
until_true "a clone that was killed while it was made" \
    grep -q ' pd=0 ' "$D/status"
finish
