#!/bin/sh
# SPDX-License-Identifier: MIT
# kernel/ lists the objects of all processes, as rdma(8) does, and knows the
# daemon's own among them; keys are for root.
. "$(dirname "$0")/rdma.sh"

K=$D/kernel
here=$(cd "$(dirname "$0")" && pwd)

# Objects of the daemon, of a C program and of a Python one, whose name is meant
# to mislead.
fill lab
mkdir "$P/lab/qp/q"
put "$P/lab/mr/b/ctl" rereg remote_read
ibv_rc_pingpong -d "$DEV" -g 1 >"$T/pingpong" 2>&1 &
pingpong=$!
mkfifo "$T/in"
python3 -c '
import runpy, sys
open("/proc/self/comm", "w").write("a pid=1 own=yes")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
' "$here/../peer.py" "$DEV" <"$T/in" >"$T/peer" 2>&1 &
peer=$!
exec 5>"$T/in"
until grep -q qpn= "$T/peer" &&
    rdma resource show qp | grep -q "state INIT .* pid $pingpong "; do
	kill -0 $peer $pingpong || break
	sleep 0.1
done

# The lines of a file as rdma's objects, and both in one order.
cat >"$T/same.py" <<'END'
import json, sys
kind, ours, theirs = sys.argv[1:]
words = {'pd': 'pdn users ctxn', 'mr': 'mrn mrlen pdn lkey rkey',
         'qp': 'lqpn type state rqpn port pdn', 'cq': 'cqn cqe users ctxn',
         'ctx': 'ctxn', 'srq': 'srqn type pdn cqn ctxn'}[kind].split()
words += ['pid', 'comm']

def of_line(line):
    got = dict(word.split('=', 1) for word in line.split())
    got['pid'] = got.get('thread', got.get('pid'))
    got['mrlen'] = got.get('length')
    for key in 'lkey', 'rkey':
        if kind == 'mr':
            got[key] = f'{int(got.get(key, "0"), 16):x}'
    if 'comm' in got:
        got['comm'] = got['comm'].replace('\\s', ' ').replace('\\\\', '\\')
        if 'pid' not in line:
            got['comm'] = got['comm'][1:-1]
    return [got.get(word) for word in words]

def of_rdma(got):
    for word in 'type', 'state':
        if word in got:
            got[word] = got[word].lower()
    return [str(got[word]) if word in got else None for word in words]

with open(ours, encoding='utf-8') as file:
    a = sorted(map(of_line, file), key=str)
with open(theirs, encoding='utf-8') as file:
    b = sorted(map(of_rdma, json.load(file)), key=str)
print(len(a), 'objects:', words)
for o in a + b if a != b else []:
    print('rdmafs' if o in a else '', 'rdma' if o in b else '', o)
sys.exit(a != b)
END

for kind in pd mr qp cq ctx srq; do
	cat "$K/$kind" >"$T/$kind"
	rdma -d -j resource show $kind >"$T/$kind.json"
	check "$kind is what rdma says" \
	    python3 "$T/same.py" $kind "$T/$kind" "$T/$kind.json"
	[ "$(stat -c %s "$K/$kind")" -ge "$(wc -c <"$T/$kind")" ]
	report $? "$kind is no longer than its size"
	is "$kind read in pieces" "$(dd if="$K/$kind" bs=7 status=none)" \
	    "$(cat "$T/$kind")"
done

# line KIND PATTERN: the only one
line() {
	is "one $1 with $2" "$(grep -c "$2" "$T/$1")" 1
	like "is $3" "$(grep "$2" "$T/$1")" "$3"
}

line ctx "pid=$daemon " "ctxn=[0-9]* pid=$daemon comm=* own=yes"
line ctx "pid=$pingpong " "ctxn=[0-9]* pid=$pingpong comm=ibv_rc_pingpong"
line qp "lqpn=$(cat "$P/lab/qp/q/num") " \
    "lqpn=* type=rc state=reset rqpn=0 pdn=* pid=$daemon thread=* own=yes path=pd/lab/qp/q"
line qp "pid=$pingpong " "* type=rc state=init * comm=ibv_rc_pingpong"
line mr "path=pd/lab/mr/b" \
    "mrn=* length=8192 pdn=* pid=$daemon * own=yes path=pd/lab/mr/b lkey=$(cat "$P/lab/mr/b/lkey") rkey=$(cat "$P/lab/mr/b/rkey")"
line pd "path=" "pdn=* users=* ctxn=* pid=$daemon * own=yes path=pd/lab"
line qp "comm=.ib_core" "lqpn=1 type=gsi state=rts port=1 comm=\[ib_core\]"
is "a name is one word" "$(sed -n "s/.* pid=$peer //p" "$T/ctx")" \
    'comm=a\spid=1\sown=yes'
is "own are the daemon's and no others" \
    "$(cat "$T/pd" "$T/mr" "$T/qp" "$T/cq" "$T/ctx" | grep ' own=yes' |
	grep -vc " pid=$daemon ")" 0
is "all of the daemon's are" \
    "$(cat "$T/pd" "$T/mr" "$T/qp" "$T/cq" "$T/ctx" |
	grep " pid=$daemon " | grep -vc ' own=yes')" 0

# What is for root, and for those who reach it.
as_user 2001 cat "$K/mr" >"$T/user"
is "others see as many regions" "$(wc -l <"$T/user")" "$(wc -l <"$T/mr")"
is "without keys" "$(grep -c 'key=\|iova=' "$T/user")" 0
is "but the path" "$(grep -c ' own=yes path=pd/lab/mr/b$' "$T/user")" 1
chmod 700 "$P/lab"
as_user 2001 cat "$K/mr" "$K/pd" "$K/qp" >"$T/user"
is "not a path that they cannot go" "$(grep -c path= "$T/user")" 0
is "though they see that it is the daemon's" \
    "$(grep -c "length=8192 .* pid=$daemon .* own=yes$" "$T/user")" 1
check "root sees it still" grep -q path=pd/lab/mr/b "$K/mr"

kill $pingpong
wait $pingpong 2>/dev/null
is "what ends is gone" "$(cat "$K"/* | grep -c " pid=$pingpong ")" 0
echo quit >&5
exec 5>&-
wait $peer
put "$P/lab/ctl" destroy
is "no paths are left" "$(cat "$K"/* | grep -c path=)" 0
finish
