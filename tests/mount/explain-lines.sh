#!/bin/sh
# SPDX-License-Identifier: MIT
# explain as a file: opened read-write only, several lines have several answers,
# and what is asked, or refused, stands nowhere else.
RDMAFS_OPTS='-d --soft 2'
. "$(dirname "$0")/explain.sh"

peers
mkdir "$B/mw/w"
put "$B/mw/w/ctl" bind r 0 4K remote_write
key=$(cat "$B/mw/w/rkey")
addr=$(cat "$B/mw/w/addr")

f=$E/explain
is "anybody may" "$(stat -c '%a %s' "$f")" '666 0'
fails EACCES cat "$f"
fails EACCES grep -r key "$f"
fails EACCES put "$f" "key $key"
fails EACCES truncate -s 0 "$f"
is "read without a question it lists the verbs" "$(cat <>"$f")" \
    "$(sed -n '/^#/p' <>"$f")"
for verb in key write read atomic; do
	check "$verb is among them" grep -q "^# $verb " <>"$f"
done

is "several lines, several answers" \
    "$(ask "$E" "key $key" '' '# no question' "key 1" "read $addr 8 $key" |
	cut -d ' ' -f 1 | tr '\n' ,)" live,unknown,refused,live,
i=0
while [ $i -lt 300 ]; do
	echo "read $addr 8 $key"
	i=$((i + 1))
done >"$T/many"
ask "$E" "$(cat "$T/many")" >"$T/answer"
is "a long answer comes whole" "$(grep -c '^refused A1: the window ' "$T/answer")" 300
is "with nothing between" "$(grep -c '^live ' "$T/answer")" 300
is "and no more" "$(wc -l <"$T/answer")" 600
yes 'key 1' | head -n 9000 >"$T/many"
ask "$E" "$(cat "$T/many")" >"$T/answer"
like "unread answers have an end, which is told" "$(tail -n 3 "$T/answer")" \
    'EMSGSIZE: line *: the answers to one write are 262144 bytes already*'
[ "$(wc -c <"$T/answer")" -lt 270000 ]
report $? "and it is there"
is "an empty question is ok" "$(ask "$E" '#')" ok

(
	exec 3<>"$f"
	echo "key $key" >&3
	cat <&3
	echo "key 1" >&3
	cat <&3
) >"$T/answer"
is "one after the other" "$(cut -d ' ' -f 1 "$T/answer" | tr '\n' ,)" \
    live,unknown,

# A shell may write the lines one by one.
(
	exec 3<>"$f"
	for question in "key $key" "key 1"; do
		echo "$question" >&3
	done
	cat <&3
	for _ in 1 2 3 4; do
		head -n 2500 "$T/many" |
		    dd bs=64K iflag=fullblock status=none >&3
	done
	cat <&3
) >"$T/answer"
is "what was not read stands before it" \
    "$(sed 2q "$T/answer" | cut -d ' ' -f 1 | tr '\n' ,)" live,unknown,
is "up to an end, which is told" "$(sed -n 3p "$T/answer")" \
    'lost: answers before were not read'
is "and the last are there, no answer cut" \
    "$(sed 1,3d "$T/answer" | grep -c '^unknown .* know$')" 5000

status=$(cat "$E/status")
fails EINVAL mkdir "$E/pd/_"
error=$(cat "$E/error")
like "which the device's error tells" "$error" 'EINVAL: *'
text=$(ask "$E" "key $key" "read $addr 8 $key" "read $addr 8 $key qp=b/none" \
    "key $key")
is "answers stand before an error" "$(line 1 "$text" | cut -d ' ' -f 1)" live
is "of each line" "$(line 2 "$text")" \
    'refused A1: the window lacks remote_read'
is "it has its number" "$(line 4 "$text")" \
    'ENOENT: line 3: no queue pair PD/NAME of this device that you can reach'
is "and its caret" "$(line 6 "$text" | tr -d ' ')" '^'
is "what follows is not asked" "$(printf '%s\n' "$text" | wc -l)" 6
like "not one is asked if one is wrong" "$(ask "$E" "key $key" "kay $key")" \
    'EINVAL: line 2: unknown verb; there are: key write read atomic*'
for line in key 'key 1 2' 'key 0x100000000' 'key 12x' 'write 1 2' \
    'write 1 2 3 4' 'write 1 -2 3' 'read 1 2 3 pq=b/q' 'atomic x 8 3'; do
	like "$line" "$(ask "$E" "$line")" 'EINVAL: *'
done
for qp in b/ /q q b/q/q b b//q ../b/q; do
	like "no queue pair $qp" "$(ask "$E" "read 1 2 3 qp=$qp")" 'ENOENT: *'
done
is "the device's error is another's" "$(cat "$E/error")" "$error"
is "its status is as it was" "$(cat "$E/status")" "$status"
like "errors has the refusal" "$(tail -n 1 "$M/errors")" \
    "* ${E#"$M"/}/explain ENOENT: *"

ask "$E" "key ${key}5" "write $addr 8 $key qp=b/none" >/dev/null
ask "$E" "write $addr 8 $key qp=b/none" "write $addr 8 ${key}5" >/dev/null
ask "$E" "write $addr 8 $key qp=b/none" >/dev/null
ask "$E" "write $addr $key 8 8 8" >/dev/null
# hidden NUMBER
hidden() {
	is "hidden" "$(grep -il "$1" "$M/errors" "$M/error" "$M/list" \
	    "$E/error" "$E/status" "$E/list" "$B/mw/w/error" "$B/error" \
	    "$T/log" 2>/dev/null)" ''
}
hidden "${key#0x}"
hidden "${addr#0x0000}"
check "the log has the questions" grep -q 'explain: key uid=0' "$T/log"
finish
