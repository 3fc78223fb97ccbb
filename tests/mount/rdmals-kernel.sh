#!/bin/sh
# SPDX-License-Identifier: MIT
# rdmals -k shows what the kernel tells of other processes, from files of the
# same form; no command's name harms a terminal or passes for another word.
. "$(dirname "$0")/rdmals.sh"

fake
shown 0 "x0/pd/lab x0/pd/idle" "without it nothing of the kernel's" pd
ls_ -k
is "without any file: status" $? 0
is "no message" "$(cat "$T/err")" ""
is "with a column for its own" "$(awk '{ print $1 }' "$T/got" | sort -u |
    tr '\n' ' ')" "* OWN "

cat >"$R/x0/kernel/pd" <<'END'
pdn=3 users=2 ctxn=1 pid=812 comm=ibv_rc_pingpong
pdn=4 users=7 ctxn=2 pid=99 comm=rdmafs own=yes path=pd/lab
END
cat >"$R/x0/kernel/mr" <<'END'
mrn=5 length=8192 pdn=3 pid=812 comm='it''s one' lkey=0x11223344 rkey=0x11223345 iova=0x7f0000000000
mrn=6 length=4096 pdn=4 pid=77 comm='x own=yes path=pd/idle'
END
printf 'lqpn=17 type=rc state=rts pdn=4 pid=78 comm=a\033[31mb\n' \
    >"$R/x0/kernel/qp"
printf "cqn=1 pid=79 comm='tis\ncqn=2 pid=80 comm=a\\\\sb\ncqn=3 pid=81 comm=" \
    >"$R/x0/kernel/cq"
ls_ -k
is "a torn line: status" $? 1
is "its message" "$(sed "s|$R|R|" "$T/err")" \
    "rdmals: R/x0/kernel/cq: line 3 is torn"
sed '1,/pd\/idle/d; s/  *$//; s/   */  /g' "$T/got" >"$T/table"
cat >"$T/want" <<'END'
-  kernel-pd  x0/kernel/pd:3  -  -  -  -  users=2 ctxn=1  -  812  ibv_rc_pingpong
*  kernel-pd  x0/kernel/pd:4  -  -  -  -  path=pd/lab users=7 ctxn=2  -  99  rdmafs
-  kernel-mr  x0/kernel/mr:5  -  8K  -  -  pdn=3  -  812  it's one
-  kernel-mr  x0/kernel/mr:6  -  4K  -  -  pdn=4  -  77  x own=yes path=pd/idle
-  kernel-qp  x0/kernel/qp:17  -  -  -  rts  pdn=4  -  78  a\^[[31mb
-  kernel-cq  x0/kernel/cq:1  -  -  -  -  -  -  79  'tis
-  kernel-cq  x0/kernel/cq:2  -  -  -  -  -  -  80  a\sb
END
check "the table" diff "$T/want" "$T/table"
printf 'cqn=2 pid=80 comm=a\n' >"$R/x0/kernel/cq"
shown 0 "x0/kernel/pd:3 x0/kernel/pd:4" "a kind implies it" kernel-pd
shown 0 "x0/kernel/mr:5" "a filter" kernel-mr pid=812
shown 0 "x0/kernel/mr:5 x0/kernel/mr:6" "others'" kernel-mr own=no
shown 0 "x0/kernel/mr:5 x0/kernel/mr:6" "a path implies it, too" x0/kernel/mr
ls_ --tree -k x0
cat >"$T/want" <<'END'
x0 *  active pd=2 mr=1 mw=1 qp=1
|-- pd/lab *  active mr=1 mw=1 qp=1
|   |-- mr/buf *  active 4.8K local_read,mw_bind windows=1
|   |-- mw/w *  bound 100 remote_write mr/buf+96 via qp/q
|   `-- qp/q *  rts local_read windows=1 mem=0
|-- pd/idle *  active mr=0 mw=0 qp=0
|-- kernel/pd:3  users=2 ctxn=1 pid=812 ibv_rc_pingpong
|-- kernel/pd:4 *  path=pd/lab users=7 ctxn=2 pid=99 rdmafs
|-- kernel/mr:5  8K pdn=3 pid=812 it's one
|-- kernel/mr:6  4K pdn=4 pid=77 x own=yes path=pd/idle
|-- kernel/qp:17  rts pdn=4 pid=78 a\^[[31mb
`-- kernel/cq:2  pid=80 a
END
check "the tree" diff "$T/want" "$T/got"

ls_ -kj
is "as JSON: status" $? 0
check "which is valid" jq -e . "$T/got"
is "an own one" "$(jq -c '.[] | select(.own)' "$T/got")" \
    '{"kind":"kernel-pd","path":"x0/kernel/pd:4","device":"x0","id":4,"own":true,"users":7,"ctxn":2,"pid":99,"comm":"rdmafs","object":"x0/pd/lab"}'
is "no keys" "$(grep -cE 'key|iova|11223344' "$T/got")" 0
is "a bad name" "$(jq -r '.[] | select(.id == 17).comm' "$T/got")" \
    'a\^[[31mb'

# Who holds what, also when it is another process.
shown 0 "x0/pd/lab/mr/buf x0/pd/lab/mw/w x0/pd/lab/qp/q x0/kernel/mr:6 x0/kernel/qp:17" \
    "a domain's holders" -H x0/pd/lab
check "with its process" grep -q ' 78  a' "$T/got"
shown 0 "x0/pd/lab x0/pd/idle x0/kernel/pd:3 x0/kernel/mr:5 x0/kernel/mr:6 x0/kernel/qp:17 x0/kernel/cq:2" \
    "a device's holders" -H x0
finish
