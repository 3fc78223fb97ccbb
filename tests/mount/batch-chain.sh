#!/bin/sh
# SPDX-License-Identifier: MIT
# On a device that has chains, binds and invalidates of a batch over one queue
# pair do not wait for each other, and yet end as if they did.
. "$(dirname "$0")/fault.sh"

count=260 # more than go into one chain
mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/qp/q" "$P/lab/qp/p"
put "$P/lab/mr/r/ctl" reg 8K local_write mw_bind
for qp in q p; do
	put "$P/lab/qp/$qp/ctl" connect "$(cat "$P/lab/qp/$qp/local")"
done
b=$P/lab/batch
{
	seq -f 'mkdir mw/a%.0f' $count
	seq -f 'mkdir mw/b%.0f' $count
	seq -f 'mw/b%.0f type 2' $count
} >"$b"

# bound KIND: how many windows of a or b are
bound() {
	cat "$P/lab/mw/$1"*/status | grep -c '^bound'
}
# chain VERB...: for windows a, then b, 1 to n
lines_of() {
	kind=$1
	shift
	seq -f "mw/$kind%.0f $*" $count
}

# The 256th is posted before the first is over, the next not.
for kind in a b; do
	over=
	[ "$kind" = a ] || over=qp=q
	fault hold mw_bind
	lines_of "$kind" bind r 0 4K remote_read $over >"$T/script"
	feed "$b" <"$T/script" &
	writer=$!
	fault held 256
	is "$kind: no key is shown before its bind is over" "$(bound "$kind")" 0
	fault release
	wait $writer
	is "$kind: the write is over well" $? 0
	is "$kind: all are bound" "$(bound "$kind")" $count
	fault hold mw_invalidate
	lines_of "$kind" invalidate >"$T/script"
	feed "$b" <"$T/script" &
	writer=$!
	fault held 256
	is "$kind: no key ends before its invalidate is over" \
	    "$(bound "$kind")" $count
	fault release
	wait $writer
	is "$kind: and so is this one" $? 0
	is "$kind: none is bound" "$(bound "$kind")" 0
	is "$kind: nobody has its turn" \
	    "$(cat "$P/lab/mw/$kind"*/status | grep -c busy)" 0
done

# The first that fails ends it, whatever stands before and behind it.
for kind in a b; do
	over=
	[ "$kind" = a ] || over=qp=q
	fault fail mw_bind 100 EIO async
	{
		echo '# one'
		lines_of "$kind" bind r 0 4K remote_read $over
	} >"$T/script"
	fails EIO feed "$b" <"$T/script"
	says "$P/lab/error" 'EIO: line 101: a test made mw_bind fail'
	like "$kind: it is shown" "$(sed -n 2p "$P/lab/error")" \
	    "mw/${kind}100 bind r 0 4K remote_read*"
	says "$P/lab/mw/${kind}100/error" 'EIO: a test made mw_bind fail'
	is "$kind: those before it are bound" "$(bound "$kind")" 99
	like "$kind: the last of them" "$(cat "$P/lab/mw/${kind}99/status")" \
	    'bound *'
	is "$kind: errors has it once" \
	    "$(grep -c "mw/${kind}[0-9]*/ctl EIO" "$M/errors")" 1
	is "$kind: nobody has its turn" \
	    "$(cat "$P/lab/mw/$kind"*/status | grep -c busy)" 0
	is "$kind: no other has an error" \
	    "$(cat "$P/lab/mw/$kind"*/error | grep -c '^E')" 1
	fails EINVAL lines "$b" \
	    "mw/${kind}100 bind r 0 4K remote_read $over\nmw/${kind}101 bind r 0 16K remote_read $over\nmw/${kind}102 bind r 0 4K remote_read $over\n"
	says "$P/lab/error" 'EINVAL: line 2: offset 0 and length 16384 *'
	is "$kind: as by a rule" "$(bound "$kind")" 100
	seq -f "mw/$kind%.0f invalidate" 100 | feed "$b"
	is "$kind: none is bound" "$(bound "$kind")" 0
done

# What fails with the wrong one first: an invalidate of what is not bound is
# looked at while the bind that is to fail is under way.
fault fail mw_bind 2 EIO async
fails EIO lines "$b" 'mw/a1 bind r 0 4K remote_read\nmw/a2 bind r 0 4K remote_read\nmw/a3 invalidate\n'
says "$P/lab/error" 'EIO: line 2: *'
put "$P/lab/mw/a1/ctl" invalidate

# A window twice, two queue pairs, two types, and what is no chain between them.
check "what cannot be chained waits" lines "$b" \
    'mw/a1 bind r 0 4K remote_read
mw/a1 bind r 4K 4K remote_read
mw/b1 bind r 0 4K remote_read qp=q
mw/b2 bind r 0 4K remote_read qp=p
mw/b1 invalidate
mw/b1 bind r 4K 4K remote_read qp=p
mw/a2 rights remote_read
mw/a2 bind r 0 4K
mkdir mw/new
mw/new bind r 0 4K remote_read
mw/b2 invalidate\n'
is "in order" "$(for w in a1 b1 b2 a2 new; do
	cut -d ' ' -f 1 "$P/lab/mw/$w/status"; done | tr '\n' ' ')" \
    'bound bound unbound bound bound '
like "the second bind of a window is the last" \
    "$(grep bind "$P/lab/mw/a1/ctl" | head -n 1)" 'bind r 4096 4096 *'
like "over the second queue pair" \
    "$(grep bind "$P/lab/mw/b1/ctl" | head -n 1)" '*qp=p'
printf 'mw/a1 invalidate\nmw/b1 inva' >"$T/one"
printf 'lidate\nmw/a2 invalidate\nmw/new invalidate\n' >"$T/two"
# shellcheck disable=SC2016 # it is for the shell that is begun
check "cut anywhere" sh -c 'exec 3>"$1"; cat "$2" >&3; cat "$3" >&3' sh \
    "$b" "$T/one" "$T/two"
is "it is the same" "$(bound '[abn]')" 0

# An invalidate that its queue pair refuses ends with the device's window, and
# those behind it all the same.
lines_of b bind r 0 4K remote_read qp=q >"$T/script"
feed "$b" <"$T/script"
fault fail mw_invalidate 7 EIO async
lines_of b invalidate >"$T/script"
check "an invalidate that is refused" feed "$b" <"$T/script"
is "ends, as do those behind it" "$(bound b)" 0

# An interrupt: those that have been posted complete, no more is.
cat >"$T/write" <<'PY'
import ctypes, os, signal, sys
signal.signal(signal.SIGINT, lambda *a: None)
libc = ctypes.CDLL(None, use_errno=True)
text = open(sys.argv[2], "rb").read()
r = libc.write(os.open(sys.argv[1], os.O_WRONLY), text, len(text))
print(0 if r >= 0 else ctypes.get_errno())
PY
lines_of a bind r 0 4K remote_read >"$T/script"
fault hold mw_bind
env --default-signal=INT python3 "$T/write" "$b" "$T/script" >"$T/log" 2>&1 &
writer=$!
fault held 256
kill -INT $writer
wait $writer
is "EINTR at once" "$(cat "$T/log")" 4
is "before they are over" "$(bound a)" 0
fault release
# shellcheck disable=SC2317 # called by until_true
all_bound() {
	[ "$(bound a)" = 256 ]
}
until_true "they complete" all_bound
says "$P/lab/error" 'EINTR: line 257: *'

# A device without memory for one more window.
seq -f 'mkdir mw/c%.0f' 9 | feed "$b"
fault fail mw_alloc 5 ENOMEM
seq -f 'mw/c%.0f bind r 0 4K remote_read' 9 >"$T/script"
fails ENOMEM feed "$b" <"$T/script"
says "$P/lab/error" 'ENOMEM: line 5: *'
is "only those before it are bound" "$(bound c)" 4
finish
