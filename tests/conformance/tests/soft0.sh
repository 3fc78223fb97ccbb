#!/bin/sh
# SPDX-License-Identifier: MIT
# A soft device keeps every rule, and nothing of the suite stays in it.
. "$(dirname "$0")/../../mount/lib.sh"

sh "$RDMAFS_CONFORM" -m "$M" "$DEV" >"$T/lines" 2>"$T/err"
is "status" $? 0
is "nothing on standard error" "$(cat "$T/err")" ""
grep -v ' kept: ' "$T/lines" >"$T/rest"
is "every line but the last says kept" "$(cat "$T/rest")" \
    "36 kept, 0 broken, 0 not offered"
[ "$failed" -eq 0 ] || show "$T/lines"
sh "$RDMAFS_CONFORM" -l | cut -d ' ' -f 1 >"$T/rules"
cut -d ' ' -f 1 "$T/lines" | head -n 36 | cmp -s - "$T/rules"
report $? "there is a line for each rule, in order"
is "nothing is left" "$(ls "$P")" clone
is "no key and no address is shown" \
    "$(grep -E '0x[0-9a-f]{8}' "$T/lines")" ""
finish
