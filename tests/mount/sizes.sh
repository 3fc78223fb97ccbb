#!/bin/sh
# SPDX-License-Identifier: MIT
# st_size is the true length of what a read would give; of what may be huge an
# upper bound; 0 where there is no text.
. "$(dirname "$0")/lib.sh"

# true_sizes WHEN: of every file
true_sizes() {
	check "sizes of all files $1" python3 - "$M" <<'EOF'
import os, sys
bad = 0
for top, dirs, files in os.walk(sys.argv[1]):
    if top.endswith("/gid"):
        files = ["0"]
    for name in files:
        f = os.path.join(top, name)
        if os.path.islink(f):
            continue
        # It grows while it is read, or takes a stream: what trusts sizes is
        # to see nothing.
        if name in ("events", "batch"):
            if os.stat(f).st_size != 0:
                sys.exit(f"{f}: st_size is not 0")
            continue
        size = os.stat(f).st_size
        text = b""
        try:
            d = os.open(f, os.O_RDONLY)
            while more := os.read(d, 1 << 16):
                text += more
            os.close(d)
        except OSError:
            pass
        bound = name in ("list", "windows", "errors", "translation",
            "metrics") or top.endswith("/kernel")
        if size < len(text) or (size > len(text) and not bound):
            bad = 1
            print(f"{f}: st_size {size}, but {len(text)} bytes")
sys.exit(bad)
EOF
}

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mr/s" "$P/lab/mw/w" "$P/lab/mw/v" \
    "$P/lab/qp/q" "$P/lab/qp/q/mem/m"
true_sizes "of fresh objects"
put "$P/lab/mr/r/ctl" reg 8192 local_write remote_read mw_bind
put "$P/lab/mw/w/ctl" bind r 0 4096 remote_write
put "$P/lab/mr/s/ctl" nonsense 2>"$T/err"
put "$P/lab/mw/v/rights" remote_read
put "$P/lab/qp/q/ctl" connect "$(cat "$P/lab/qp/q/local")"
put "$P/lab/qp/q/ctl" write r 0 0 0 0
put "$P/lab/qp/q/mem/m/ctl" map "$(cat "$P/lab/mr/r/addr")" 4K \
    "$(cat "$P/lab/mr/r/rkey")"
true_sizes "of a region, a window and a queue pair in use"
is "st_size of data is the length" "$(stat -c %s "$P/lab/mr/r/data")" 8192
is "without a value it is 0" "$(stat -c %s "$P/lab/mr/s/rkey")" 0
is "of clone it is 0" "$(stat -c %s "$P/clone")" 0
put "$P/lab/mw/w/ctl" invalidate
put "$P/lab/mr/r/ctl" dereg
put "$P/lab/qp/q/ctl" reset
true_sizes "after their end"
exec 3<"$P/lab/mr/s/status"
put "$P/lab/mr/s/ctl" reg 4K
is "fstat of an open file is of now" "$(stat -L -c %s /proc/self/fd/3)" \
    "$(wc -c <"$P/lab/mr/s/status")"
exec 3<&-
finish
