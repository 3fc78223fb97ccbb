#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines of a batch that say the same, or nearly, of many objects: each is done
# for its own object, as things are by then, and told with its own words.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab"
B=$P/lab/batch
{
	for r in r s; do
		echo "mkdir mr/$r"
		echo "mr/$r reg 64K local_write mw_bind"
	done
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "mkdir mw/w$i"
	done
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "mw/w$i bind r 0 4K remote_read"
	done
} | feed "$B"
bound() {
	sed 's/ rkey.*//; s/ made.*//' "$P/lab/mw/$1/status" | cut -d ' ' -f 1-6
}
for i in 1 5 9; do
	is "w$i" "$(bound w$i)" \
	    "bound type=1 mr=r offset=0 length=4096 rights=remote_read"
done

# A blank, a quote, another word: the same command or not.  r has windows (M6).
fails EBUSY feed "$B" <<'END'
mw/w1 bind  r 0 4K remote_read
mw/w2 bind 'r' 0 4K remote_read
mw/w3 bind s 0 4K remote_read
mw/w4 bind r 0 8K remote_read
mw/w5 bind r 0 4K remote_write
mw/w6 bind r 4K 4K remote_read
mw/w7 invalidate
mw/w8 bind r 0 4K remote_read
mw/w9 bind r 0 4K
mr/r dereg
END
in_line() {
	is "then $1" "$(bound "$1")" "$2"
}
R="bound type=1 mr=r offset=0 length=4096 rights=remote_read"
in_line w1 "$R"
in_line w2 "$R"
in_line w3 "bound type=1 mr=s offset=0 length=4096 rights=remote_read"
in_line w4 "bound type=1 mr=r offset=0 length=8192 rights=remote_read"
in_line w5 "bound type=1 mr=r offset=0 length=4096 rights=remote_write"
in_line w6 "bound type=1 mr=r offset=4096 length=4096 rights=remote_read"
like "then w7" "$(cat "$P/lab/mw/w7/status")" 'unbound *'
in_line w8 "$R"
in_line w9 "$R"

# The same line means another region, or none, by the time it comes.
feed "$B" <<'END'
mw/w1 invalidate
mw/w1 bind r 0 4K remote_read
mw/w1 invalidate
mv mr/r mr/old
mv mr/s mr/r
mw/w2 invalidate
mw/w2 bind r 0 4K remote_read
END
in_line w2 "$R"
is "it is the other region" "$(readlink "$P/lab/mw/w2/mr")" ../../mr/r
is "which has both" "$(wc -l <"$P/lab/mr/r/windows")" 2
fails ENOENT feed "$B" <<'END'
mw/w3 invalidate
mv mr/r mr/older
mw/w3 bind r 0 4K remote_read
END
is "the words of the line" "$(sed -n 2,3p "$P/lab/error")" \
    "mw/w3 bind r 0 4K remote_read
           ^"
is "and of the object" "$(sed -n 2,3p "$P/lab/mw/w3/error")" \
    "bind r 0 4K remote_read
     ^"
# What is wrong stays wrong.
for i in 1 2 3; do
	fails EINVAL put "$B" "mw/w3 bind old 0 4K remote_raed"
	like "told anew ($i)" "$(cat "$P/lab/mw/w3/error")" '*no such right*'
done
# A key where a tag or an offset should be is not shown.
rkey=$(cat "$P/lab/mw/w4/rkey")
fails EINVAL put "$P/lab/mw/w4/ctl" "bind old 0 4K tag=$rkey"
like "a key as a tag" "$(sed -n 2p "$P/lab/mw/w4/error")" \
    'bind old 0 4K *\*\*\**'
fails EINVAL put "$B" "mw/w4 bind old $rkey 4"
like "a key as an offset" "$(sed -n 2p "$P/lab/mw/w4/error")" \
    'bind old \*\*\* 4'
! grep -qi "$rkey" "$P/lab/error" "$P/lab/mw/w4/error" "$M/errors"
report $? "no text has it"
finish
