#!/bin/sh
# SPDX-License-Identifier: MIT
# rdmals --tree: each object below what it is in; what was not asked for by its
# name only.
. "$(dirname "$0")/rdmals.sh"

fake
ls_ --tree
cat >"$T/want" <<'END'
x0  active pd=2 mr=1 mw=1 qp=1
|-- pd/lab  active mr=1 mw=1 qp=1
|   |-- mr/buf  active 4.8K local_read,mw_bind windows=1
|   |-- mw/w  bound 100 remote_write mr/buf+96 via qp/q
|   `-- qp/q  rts local_read windows=1 mem=0
`-- pd/idle  active mr=0 mw=0 qp=0
END
check "all" diff "$T/want" "$T/got"
ls_ --tree mw
cat >"$T/want" <<'END'
x0
`-- pd/lab
    `-- mw/w  bound 100 remote_write mr/buf+96 via qp/q
END
check "a window with what it is in" diff "$T/want" "$T/got"
ls_ --tree x0/pd/lab/mr
cat >"$T/want" <<'END'
x0/pd/lab
`-- mr/buf  active 4.8K local_read,mw_bind windows=1
END
check "from a domain on" diff "$T/want" "$T/got"
LC_ALL=C.UTF-8 "$RDMALS" -m "$R" --tree mw >"$T/utf8"
is "no lines but ASCII in a pipe" "$(grep -c '[^ -~]' "$T/utf8")" 0

R=$M
mkdir "$P/a" "$P/a/qp/q" "$P/a/qp/q/mem/m1" "$P/a/qp/q/mem/m2" "$P/a/qp/r" "$P/b"
ls_ --tree "$DEV/pd/a" "$DEV/pd/b"
sed 's/  active.*//; s/  reset.*//; s/  unmapped.*//' "$T/got" >"$T/names"
cat >"$T/want" <<END
$DEV/pd/a
|-- qp/q
|   |-- mem/m1
|   \`-- mem/m2
\`-- qp/r
$DEV/pd/b
END
check "of a mount, two paths" diff "$T/want" "$T/names"
finish
