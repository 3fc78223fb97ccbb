#!/bin/sh
# SPDX-License-Identifier: MIT
# rdmals -H names what keeps an object from going.
. "$(dirname "$0")/rdmals.sh"

mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mr/b" "$P/lab/mw/w" "$P/lab/mw/idle" \
    "$P/lab/qp/q" "$P/lab/qp/q/mem/far" "$P/idle" "$P/a"
put "$P/lab/mr/a/ctl" reg 4K local_write mw_bind
put "$P/lab/mw/w/ctl" bind a 0 100 remote_read
L=$DEV/pd/lab
shown 0 "$L/mr/a $L/mr/b $L/mw/w $L/mw/idle $L/qp/q $L/qp/q/mem/far" \
    "a domain" --holders "$L"
shown 0 "$L/mw/w" "a region" -H "$L/mr/a"
shown 0 "$L/mw/w" "by its full path" -H "$P/lab/mr/a"
shown 0 "$L/qp/q/mem/far" "a queue pair" -H "$L/qp/q"
ls_ -H "$DEV" pd
is "a device" "$(paths)" "$L $DEV/pd/idle $DEV/pd/a"
shown 0 "$L/mw/w $L/mw/idle" "only its windows" -H "$L" mw
for path in mr/b mw/w qp/q/mem/far; do
	shown 1 "" "$path" -H "$L/$path"
	is "has none" "$(cat "$T/err")" \
	    "rdmals: $L/$path: nothing that is seen holds it"
done
shown 1 "" "an empty domain" -H "$DEV/pd/idle"
for path in "$DEV/pd" "$DEV/attr" "$L/mr" "$L/mr/a/status" .; do
	shown 2 "" "$path" -H "$path"
	is "is no object" "$(head -n 1 "$T/err")" \
	    "rdmals: --holders $path: not the path of an object"
done
shown 2 "" "two paths" -H "$L" "$DEV"
ls_ -j -H "$L/mr/a"
is "as JSON" "$(jq -r '.[].path' "$T/got")" "$L/mw/w"

# A type 2 window holds its queue pair, too.
if ! grep -q 'lacks=[^ ]*mw_type_2' "$D/status"; then
	put "$P/lab/mw/idle/ctl" type 2
	put "$P/lab/qp/q/ctl" "connect $(cat "$P/lab/qp/q/local")"
	put "$P/lab/mw/idle/ctl" bind a 0 8 remote_read qp=q
	shown 0 "$L/mw/idle $L/qp/q/mem/far" "a window over a queue pair" \
	    -H "$L/qp/q"
	shown 0 "$L/mw/w $L/mw/idle" "and on its region" -H "$L/mr/a"
	put "$P/lab/mw/idle/ctl" invalidate
fi

# More than may be seen is counted.
chmod 700 "$P/lab/mw/w" "$P/lab/qp/q"
as_user 1000 "$RDMALS" -m "$M" -H "$L" >"$T/got" 2>"$T/err"
is "another user's view" "$(paths)" "$L/mr/a $L/mr/b $L/mw/idle"
is "tells that there is more" "$(cat "$T/err")" \
    "rdmals: $L: 2 more that you may not see"
as_user 1000 "$RDMALS" -m "$M" -H "$L/mr/a" >"$T/got" 2>"$T/err"
is "all of them hidden: status" $? 1
is "and told" "$(head -n 1 "$T/err")" "rdmals: $L/mr/a: 1 more that you may not see"
ls_ -H "$L"
is "root sees all" "$(cat "$T/err")" ""
finish
