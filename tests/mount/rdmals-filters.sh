#!/bin/sh
# SPDX-License-Identifier: MIT
# rdmals shows what is asked for by kind, word, number and path.
. "$(dirname "$0")/rdmals.sh"

mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mr/b" "$P/lab/mw/in" "$P/lab/mw/out" \
    "$P/lab/qp/q" "$P/lab/qp/q/mem/far" "$P/lab/mr/new" "$P/other"
put "$P/lab/mr/a/ctl" reg 64K local_write mw_bind
put "$P/lab/mr/b/ctl" reg 4K remote_read
put "$P/lab/mw/in/ctl" bind a 4K 4K remote_write,remote_read
put "$P/lab/mw/out/ctl" bind a 0 100 remote_read
chown 1000 "$P/other"
L=$DEV/pd/lab
shown 0 "$L/mr/a $L/mr/b $L/mr/new" "a kind" mr
shown 0 "$L/mr/a $L/mr/b $L/mr/new $L/qp/q" "two kinds" qp mr
shown 0 "$L/mw/in" "a right among several" mw rights=remote_write
shown 0 "$L/mw/in" "two rights" mw rights=remote_write,remote_read
shown 0 "$L/mw/in $L/mw/out" "one that both have" mw rights=remote_read
shown 0 "$L/mr/a" "a size with K" length=64K
shown 0 "$L/mr/a" "larger" 'length>4K'
shown 0 "$L/mr/a $L/mr/b $L/mw/in" "larger than a few bytes" 'length>0x64'
shown 0 "$L/mw/out" "smaller" 'length<4096'
shown 0 "$DEV/pd/other" "an owner's number" owner=1000
ls_ owner=root mr
check "an owner's name" grep -q "$L/mr/a " "$T/got"
shown 0 "$L/mr/new" "a state" state=unregistered
shown 0 "$L/mw/out" "a name" mw name=out
shown 0 "$L $DEV/pd/other" "a device" pd device="$DEV"
shown 0 "$L/qp/q $L/qp/q/mem/far" "a domain and two kinds" domain=lab qp mem
shown 0 "$DEV/pd/other" "domains that nobody uses" pd mr=0 mw=0 qp=0
shown 0 "$L/mw/in $L/mw/out" "windows of a region" mw mr=a
shown 0 "$DEV/pd/other" "a path" "$DEV/pd/other"
shown 0 "$L/mr/b" "the path of an object" "$L/mr/b"
shown 0 "$L/qp/q $L/qp/q/mem/far" "and of one with objects" "$L/qp/q"
shown 0 "$L/mw/in $L/mw/out" "a directory" "$L/mw"
shown 0 "$L $DEV/pd/other" "that of the domains" pd "$DEV/pd"
shown 0 "$L/mr/a" "a path and a filter" "$L" 'length>4K' mr
shown 0 "$L/mr/a $L/mr/b" "two paths" "$L/mr/a" "$L/mr/b"
shown 0 "$L/mr/b" "a full path" "$P/lab/mr/b"
shown 0 "$L/mr/a" "through a link" "$P/lab/mw/in/mr"
cd "$P/lab" || exit
shown 0 "$L/mr/b" "a path from here" mr/b
cd /
"$RDMALS" -m "$M" >"$T/got"
is "all of it" "$(sed 1d "$T/got" | wc -l)" "$(wc -l <"$M/list")"

# What is not found, and what is wrong.
shown 1 "" "nothing" mw rights=remote_atomic
like "and why" "$(cat "$T/err")" "rdmals: $M: nothing matches"
shown 1 "" "a key that is none" onwer=0
like "is told" "$(head -n 1 "$T/err")" \
    "rdmals: $M: nothing that was read has a onwer"
shown 1 "" "no such path" "$DEV/pd/none"
like "is told, too" "$(cat "$T/err")" \
    "rdmals: $M/$DEV/pd/none: No such file or directory"
shown 1 "" "a path elsewhere" /etc
like "is told where" "$(cat "$T/err")" "rdmals: /etc: not below $M"
shown 2 "" "no such user" owner=nobody-of-that-name
like "is named" "$(cat "$T/err")" "*there is no user of this name"
shown 2 "" "no number" 'length>big'
like "is usage" "$(cat "$T/err")" "rdmals: length>big: not a size*"
shown 2 "" "no key" =3
shown 2 "" "an option that is none" --nothing
shown 2 "" "a colour that is none" --color=blue
shown 2 "" "two ways to show" -j --tree
shown 2 "" "restoring as JSON" --restore -j
R=$T/nothing
shown 1 "" "no mount"
like "is named, too" "$(cat "$T/err")" \
    "rdmals: $T/nothing/list: No such file or directory"
check "the version" "$RDMALS" --version
like "has a number" "$(cat "$T/out")" "rdmals [0-9]*"
check "the help" "$RDMALS" --help
"$RDMALS" -m "$M" >/dev/full 2>"$T/err"
is "a full disk: status" $? 1
like "is told as well" "$(cat "$T/err")" "*No space left on device"

# Nobody sees more than the tree shows him, and no one a key.
chmod 755 "$T"
chmod 700 "$P/lab"
as_user 1000 "$RDMALS" -m "$M" >"$T/got" 2>"$T/err"
is "what is out of reach is not shown" "$(grep -c "$L/" "$T/got")" 0
check "what is in reach is" grep -q " $DEV/pd/other " "$T/got"
as_user 1000 "$RDMALS" -m "$M" "$L/mr/a" >"$T/got" 2>"$T/err"
is "a path out of reach: status" $? 1
like "the message" "$(cat "$T/err")" "rdmals: $M/$L/mr/a: Permission denied"
for way in '' -j --tree --restore; do
	# shellcheck disable=SC2086 # an option or none
	ls_ $way
	is "no key with '$way'" "$(grep -ciF -e "$(cat "$P/lab/mr/a/lkey")" \
	    -e "$(cat "$P/lab/mw/in/rkey")" "$T/got")" 0
done
finish
