#!/bin/sh
# SPDX-License-Identifier: MIT
# reg, dereg and destroy of a region: what was registered is gone with its
# keys, and what is still open of its memory reads zeros.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
put "$r/ctl" reg 8K local_write remote_read mw_bind
echo secret >"$r/data"
key=$(cat "$r/rkey")
fails EBUSY put "$r/ctl" reg 4K
put "$P/lab/mw/w/ctl" bind r
fails EBUSY put "$r/ctl" dereg
says "$r/error" "EBUSY: 1 window is bound to this region: mw/w"
fails EBUSY rmdir "$r"
is "nothing has changed" "$(cat "$r/rkey")" "$key"
put "$P/lab/mw/w/ctl" invalidate
exec 3<"$r/data"
check "dereg" put "$r/ctl" dereg
like "is unregistered" "$(cat "$r/status")" "unregistered *"
fails ENODATA cat "$r/rkey"
is "the open data has not a byte of it" \
    "$(cat <&3 2>/dev/null | tr -d '\0')" ""
exec 3<&-
fails ENODATA put "$r/ctl" dereg
check "it can be registered anew" put "$r/ctl" reg 8K remote_read mw_bind
check "with another key" test "$(cat "$r/rkey")" != "$key"
is "and fresh zeros" "$(tr -d '\0' <"$r/data")" ""
put "$P/lab/mw/w/ctl" bind r
check "destroy" put "$r/ctl" destroy
check "is done when the write returns" test ! -e "$r"
like "its window is unbound and stays" "$(cat "$P/lab/mw/w/status")" \
    "unbound *"
mkdir "$r"
put "$r/ctl" reg 4K mw_bind
put "$P/lab/mw/w/ctl" bind r
check "a domain goes with all that is in it" put "$P/lab/ctl" destroy
check "at once" test ! -e "$P/lab"
is "nothing is left" "$(cat "$D/list")" ""
finish
