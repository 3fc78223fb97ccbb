#!/bin/sh
# SPDX-License-Identifier: MIT
# As an administrator would: a peer's access is refused, and explain, asked with
# what the peer sent, names the cause.
. "$(dirname "$0")/explain.sh"

peers
a=$A/qp/q
mkdir "$B/mw/w" "$B/mr/s"
w=$B/mw/w
s=$B/mr/s
put "$s/ctl" reg 8K local_write remote_read
bind() {
	put "$w/ctl" bind r 4096 4096 remote_write
	key=$(cat "$w/rkey")
	addr=$(($(cat "$w/addr")))
}
head -c 64K /dev/urandom | feed "$A/mr/r/data"
head -c 64K /dev/zero | tr '\0' x | feed "$B/mr/r/data"
cp "$B/mr/r/data" "$T/before"
causes=0

# denied ERRNO STATUS OP ADDR LENGTH KEY: that the peer sees
denied() {
	refuses "$a" "$1" "* $2: *" "$3" r 0 "$5" "$4" "$6"
}

# cause WHAT REFUSAL OBJECT [HINT]: what explain says to the question $question;
# patterns
cause() {
	text=$(ask "$E" "$question")
	like "$1: the reason" "$(line 1 "$text")" "refused $2"
	like "$1: the object" "$(line 2 "$text")" "$3"
	[ -z "${4-}" ] ||
	    like "$1: a hint" "$(line 3 "$text")" "$4"
	causes=$((causes + 1))
}

# because WHAT OP ADDR LENGTH KEY REFUSAL OBJECT [HINT]: refused by the key,
# and explained
because() {
	denied EACCES rem_access_err "$2" "$3" "$4" "$5"
	question="$2 $3 $4 $5 qp=b/q"
	cause "$1" "A1: $6" "$7" "${8-}"
	like "and what has become of it" "$text" \
	    '*note: qp/q is in state err now, and answers nothing (A5)*'
	again
}

bind
old=$key
bind
because 'the key of before' write "$addr" 8 "$old" \
    'the key is dead, and there is a newer one' \
    "dead $far/mw/w * how=rebind by=0 newer=yes"
because 'the window lacks the right' read "$addr" 8 "$key" \
    'the window lacks remote_read' "live $far/mw/w *"
because 'the region lacks it' write "$(cat "$s/addr")" 8 "$(cat "$s/rkey")" \
    'the region lacks remote_write' "live $far/mr/s *"
because 'too long' read "$(($(cat "$s/addr") + 8144))" 64 "$(cat "$s/rkey")" \
    '64 bytes from 0x*, the region ends 16 bytes earlier' "live $far/mr/s *"
because 'a byte before' read "$(($(cat "$s/addr") - 1))" 8 "$(cat "$s/rkey")" \
    '8 bytes from 0x*, the region begins 1 byte later' "live $far/mr/s *"
because 'an offset for an address' read 16 8 "$(cat "$s/rkey")" \
    '8 bytes from 0x0000000000000010, the region begins * bytes later' \
    "live $far/mr/s *" \
    "hint: offset; * it is $(printf '0x%016x' $(($(cat "$s/addr") + 16)))"
because 'the bytes of the key reversed' write "$addr" 8 "$(reversed "$key")" \
    'nothing has this key' 'unknown key: *' \
    "hint: byte order; *the rkey of $far/mw/w"
because 'another tag' write "$addr" 8 "$(other_tag "$key" "$old")" \
    'nothing has this key' 'unknown key: *' "hint: another tag; *the rkey of $far/mw/w"
put "$w/ctl" invalidate
because 'invalidated' write "$addr" 8 "$key" 'the key is dead' \
    "dead $far/mw/w * how=invalidated by=0"
bind
rmdir "$w"
because 'the window is gone' write "$addr" 8 "$key" 'the key is dead' \
    "dead $far/mw/w * how=destroyed by=0 gone=yes"
mkdir "$w"
old=$(cat "$s/rkey")
at=$(cat "$s/addr")
put "$s/ctl" rereg local_write remote_read
because 'registered anew' read "$at" 8 "$old" \
    'the key is dead, and there is a newer one' \
    "dead $far/mr/s * how=rereg by=0 newer=yes"
old=$(cat "$s/rkey")
put "$s/ctl" dereg
because 'deregistered' read "$at" 8 "$old" 'the key is dead' \
    "dead $far/mr/s * how=dereg by=0"

mkdir "$E/pd/c" "$E/pd/c/mr/x"
put "$E/pd/c/mr/x/ctl" reg 4K "$all"
because 'of another domain' write "$(cat "$E/pd/c/mr/x/addr")" 8 \
    "$(cat "$E/pd/c/mr/x/rkey")" \
    'the key is of domain c, the queue pair of domain b (P1)' \
    "live ${E#"$M"/}/pd/c/mr/x *"

bind
# shellcheck disable=SC2154 # of peers.sh
case $DEV in
soft0)	because 'outside of the window' write $((addr + 4048)) 64 "$key" \
	    '64 bytes from 0x*, the window ends 16 bytes earlier' \
	    "live $far/mw/w *"
	because 'an lkey' write "$(cat "$B/mr/r/addr")" 8 \
	    "$(cat "$B/mr/r/lkey")" \
	    "the key is a region's lkey, not its rkey" \
	    "live $far/mr/r kind=lkey *" 'hint: this is an lkey*'
	mkdir "$A/mr/x"
	put "$A/mr/x/ctl" reg 4K "$all"
	because 'of another device' write "$(cat "$A/mr/x/addr")" 8 \
	    "$(cat "$A/mr/x/rkey")" 'nothing has this key' 'unknown key: *' \
	    "hint: another device; *${A#"$M"/}/mr/x" ;;
*)	# soft-RoCE does not refuse these: D1, D9.  There is one device.
	question="write $((addr + 4048)) 64 $key qp=b/q"
	cause 'outside of the window' \
	    'A1: 64 bytes from 0x*, the window ends 16 bytes earlier' \
	    "live $far/mw/w *" 'note: this device lets it pass *'
	check "and it does" put "$a/ctl" write r 0 64 $((addr + 4048)) "$key"
	bytes "$T/before" 8144 64 |
	    dd of="$B/mr/r/data" bs=1 seek=8144 conv=notrunc status=none
	mkdir "$B/mw/zero"
	put "$B/mw/zero/ctl" type 2
	put "$B/mw/zero/ctl" bind r 4096 4096 remote_write zero_based qp=q
	question="write 12288 64 $(cat "$B/mw/zero/rkey") qp=b/q"
	cause 'behind a zero_based window' \
	    'A1: 64 bytes from 0x*3000, the window ends 8256 bytes earlier' \
	    "live $far/mw/zero *" 'note: this device lets it pass *'
	check "and it does" put "$a/ctl" write r 0 64 12288 \
	    "$(cat "$B/mw/zero/rkey")"
	bytes "$T/before" 16384 64 |
	    dd of="$B/mr/r/data" bs=1 seek=16384 conv=notrunc status=none
	put "$B/mw/zero/ctl" destroy ;;
esac

if grep -qw 2 "$D/attr/mw_types"; then
	mkdir "$B/mw/two" "$B/qp/p"
	put "$B/mw/two/ctl" type 2
	join "$B/qp/p" "$B/qp/p"
	put "$B/mw/two/ctl" bind r 0 4K remote_write qp=p
	because 'over another queue pair' write "$(cat "$B/mw/two/addr")" 8 \
	    "$(cat "$B/mw/two/rkey")" \
	    'the window is of type 2 and bound over qp/p, whose peer alone can use the key (W8)' \
	    "live $far/mw/two * qp=p *"
	put "$B/mw/two/ctl" invalidate
	put "$B/mw/two/ctl" bind r 0 4K remote_write qp=q
	key=$(cat "$B/mw/two/rkey")
	put "$B/qp/q/ctl" recv r 32768 16
	put "$a/ctl" send r 0 4 "invalidate=$key"
	until grep -q invalidated=peer "$B/mw/two/status"; do
		sleep 0.02
	done
	because 'the peer has ended it' write "$(cat "$B/mr/r/addr")" 8 "$key" \
	    'the key is dead' "dead $far/mw/two * how=peer by=peer"
	bytes "$T/before" 0 65536 | feed "$B/mr/r/data"
fi

put "$B/qp/q/rights" -remote_write
denied EREMOTEIO rem_inv_req_err write "$(cat "$B/mr/r/addr")" 8 \
    "$(cat "$B/mr/r/rkey")"
again
question="write $(cat "$B/mr/r/addr") 8 $(cat "$B/mr/r/rkey") qp=b/q"
cause 'the queue pair lacks the right' \
    'A2: qp/q lacks remote_write, whatever the key' "live $far/mr/r *"
put "$B/qp/q/rights" +remote_write

denied EACCES rem_access_err write 0x1000 8 0
state "$B/qp/q" err
put "$a/ctl" reset
put "$a/ctl" connect "$(cat "$B/qp/q/local")"
denied ETIMEDOUT retry_exc_err write "$(cat "$B/mr/r/addr")" 8 \
    "$(cat "$B/mr/r/rkey")"
cause 'the queue pair is in error' \
    'A5: qp/q is in state err and does not answer: the requester sees retry_exc_err' \
    "live $far/mr/r *"
again

# A6: nobody says no, and nothing has come.
mkdir "$A/qp/u" "$B/qp/u"
put "$A/qp/u/ctl" type uc
put "$B/qp/u/ctl" type uc
join "$A/qp/u" "$B/qp/u"
check "a write over uc succeeds" put "$A/qp/u/ctl" write r 0 8 \
    "$(cat "$B/mr/r/addr")" "$old"
question="write $(cat "$B/mr/r/addr") 8 $old qp=b/u"
cause 'over uc' 'A1: the key is dead' "dead $far/mr/s *" \
    'note: over uc it is dropped, and the requester sees success (A6)'

is "not one byte was moved (A7)" "$(cmp "$B/mr/r/data" "$T/before" 2>&1)" ''
check "what explain allows" put "$a/ctl" write r 0 8 \
    "$(cat "$B/mr/r/addr")" "$(cat "$B/mr/r/rkey")"
like "is allowed" "$(ask "$E" "write $(cat "$B/mr/r/addr") 8 $(cat "$B/mr/r/rkey") qp=b/q")" \
    "allowed
live $far/mr/r *"
check "those were more than ten causes: $causes" test $causes -gt 14
finish
