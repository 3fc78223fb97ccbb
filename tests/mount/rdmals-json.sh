#!/bin/sh
# SPDX-License-Identifier: MIT
# What rdmals -j writes is JSON, with numbers as numbers, and has what status
# says.
. "$(dirname "$0")/rdmals.sh"

mkdir "$P/lab" "$P/lab/mr/17" "$P/lab/mw/w" "$P/lab/qp/q" "$P/lab/qp/q/mem/0x1" \
    "$P/lab/mw/none"
put "$P/lab/mr/17/ctl" reg 64K local_write mw_bind
put "$P/lab/mw/w/ctl" bind 17 4K 4K remote_read remote_write
ls_ -j
is "status" $? 0
check "it is JSON" jq -e . "$T/got"
is "an object for each line of list" "$(jq length "$T/got")" \
    "$(wc -l <"$M/list")"
is "a line for each" "$(wc -l <"$T/got")" "$(wc -l <"$M/list")"
is "in the same order" "$(jq -r '.[].path' "$T/got" | tr '\n' ' ')" \
    "$(sed 's/ .*//' "$M/list" | tr '\n' ' ')"
# object PATH: without what differs each time
object() {
	jq -c --arg p "$DEV/$1" \
	    '.[] | select(.path == $p) | del(.made, .num, .pinned)' "$T/got"
}
is "a region" "$(object pd/lab/mr/17)" \
    '{"kind":"mr","path":"'"$DEV"'/pd/lab/mr/17","device":"'"$DEV"'","domain":"lab","state":"active","length":65536,"rights":["local_read","local_write","mw_bind"],"windows":1,"owner":0,"group":0}'
is "a window: a name of digits is a string" "$(object pd/lab/mw/w)" \
    '{"kind":"mw","path":"'"$DEV"'/pd/lab/mw/w","device":"'"$DEV"'","domain":"lab","state":"bound","type":1,"mr":"17","offset":4096,"length":4096,"rights":["remote_read","remote_write"],"owner":0,"group":0}'
is "no rights" "$(object pd/lab/mw/none | jq -c .rights)" '[]'
is "a queue pair" "$(object pd/lab/qp/q | jq -c '[.type, .windows, .mem]')" \
    '["rc",0,1]'
is "a mapping" "$(object pd/lab/qp/q/mem/0x1 | jq -r .state)" unmapped
is "a domain" "$(object pd/lab | jq -c '[.mr, .mw, .qp]')" '[1,2,1]'
is "a device" "$(jq -c --arg d "$DEV" '.[] | select(.path == $d) |
    [.kind, .domain, (.backend | type), (.made | type)]' "$T/got")" \
    '["device",null,"string","number"]'
# Each word of each status is there, by its name.
jq -r '.[] | .path as $p | .state as $s | del(.path, .device, .domain, .state) |
    to_entries[] | select(.key != "kind") | "\($p) \($s) \(.key)=\(
	if .value == [] then "none" elif (.value | type) == "array"
	then (.value | join(",")) else .value end)"' "$T/got" |
    sed 's/ backend=/ kind=/' | sort >"$T/have"
awk '{ for (i = 4; i <= NF; i++) print $1, $3, $i }' "$M/list" | sort >"$T/want"
check "all words of list" diff "$T/want" "$T/have"
ls_ -j mw state=nothing
is "nothing: status" $? 1
is "is an empty array" "$(jq -c . "$T/got")" '[]'

fake
cat >"$R/list" <<END
x0/pd/l/mr/m mr active length=18446744073709551615 rights=none pinned=9223372036854775807 windows=007 owner=0 busy=12a made=1
END
ls_ -j
is "numbers that JSON lacks are strings" \
    "$(jq -c '.[0] | [.length, .windows, .busy]' "$T/got")" \
    '["18446744073709551615","007","12a"]'
check "those it has are numbers" grep -q '"pinned": 9223372036854775807' "$T/got"
finish
