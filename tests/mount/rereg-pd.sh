#!/bin/sh
# SPDX-License-Identifier: MIT
# rereg pd=NAME moves a region to another domain: its path, its keys and what
# may use it are new, its data and open descriptors are not.
. "$(dirname "$0")/lib.sh"

mkdir "$P/one" "$P/two" "$P/one/mr/r" "$P/two/mw/w" "$P/one/mw/w"
put "$P/one/mr/r/ctl" reg 8K local_write mw_bind remote_read
put "$P/one/mr/r/data" 'what was there'
keys=$(cat "$P/one/mr/r/lkey" "$P/one/mr/r/rkey")
chmod 640 "$P/one/mr/r/data"
exec 3<"$P/one/mr/r/data" 4<"$P/one/mr/r/status" 5<>"$P/one/mr/r/ctl"
ino=$(stat -c %i "$P/one/mr/r")
check "it moves" put "$P/one/mr/r/ctl" rereg pd=two
check "it is gone here" test ! -e "$P/one/mr/r"
is "and not listed" "$(ls "$P/one/mr")" clone
r=$P/two/mr/r
check "it is there" test -d "$r"
is "and listed" "$(ls "$P/two/mr")" 'clone
r'
is "it is the same" "$(stat -c %i "$r")" "$ino"
is "with its modes" "$(stat -c %a "$r/data")" 640
like "as it was" "$(cat "$r/status")" \
    'active length=8192 rights=local_read,local_write,remote_read,mw_bind *'
is "with its data" "$(head -c 14 "$r/data")" 'what was there'
is "an open descriptor reads it" "$(head -c 14 <&3)" 'what was there'
like "and its status" "$(cat <&4)" 'active length=8192 *'
check "other keys" test "$(cat "$r/lkey" "$r/rkey")" != "$keys"
check "an open ctl goes along" sh -c 'echo rights -remote_read >&5'
is "to where it is" "$(cat "$r/rights")" 'local_read local_write mw_bind'
exec 3<&- 4<&- 5>&-
like "the domains count" "$(cat "$P/one/status")" 'active mr=0 *'
like "so" "$(cat "$P/two/status")" 'active mr=1 *'
check "a window of the new domain" put "$P/two/mw/w/ctl" bind r
is "is bound" "$(readlink "$P/two/mw/w/mr")" ../../mr/r
fails ENOENT put "$P/one/mw/w/ctl" bind r
put "$P/two/mw/w/ctl" invalidate

sed -n '/ renamed /s/^[^ ]* [^ ]* //p' "$P/two/events" >"$T/told"
is "the domain where it has come hears of it" "$(cat "$T/told")" \
    "renamed $DEV/pd/one/mr/r to=pd/two/mr/r by=0"
check "back, with rights" put "$r/ctl" rereg remote_read,local_write pd=one
is "which are there at once" "$(cat "$P/one/mr/r/rights")" \
    'local_read local_write remote_read'
is "the data, too" "$(head -c 14 "$P/one/mr/r/data")" 'what was there'
check "to where it is, it is rereg" put "$P/one/mr/r/ctl" rereg pd=one +mw_bind
is "with its rights" "$(cat "$P/one/mr/r/rights")" \
    'local_read local_write remote_read mw_bind'
check "the empty domain goes" put "$P/two/ctl" destroy
check "and the other" put "$P/one/ctl" destroy
gone "$P/one"
finish
