#!/bin/sh
# SPDX-License-Identifier: MIT
# A read at offset 0 renders the text anew; later reads of the descriptor go
# on in that text, so that small ones fit together.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
rights=$P/lab/mr/r/rights
echo remote_read >"$rights"
for f in "$P/lab/ctl" "$P/lab/mr/r/status" "$rights" "$D/status" "$M/list"; do
	cat "$f" >"$T/want"
	dd if="$f" bs=1 of="$T/got" status=none
	check "${f#"$M"} byte by byte" cmp "$T/want" "$T/got"
	dd if="$f" bs=7 of="$T/got" status=none
	check "and by sevens" cmp "$T/want" "$T/got"
	dd if="$f" bs=1 skip=5 of="$T/got" status=none
	is "and from the fifth on" "$(cat "$T/got")" "$(tail -c +6 "$T/want")"
done

python3 - "$rights" >"$T/log" <<'EOF'
import os, sys
f = os.open(sys.argv[1], os.O_RDONLY)
new = "local_read local_write remote_write\n"
print(os.read(f, 11).decode())
with open(sys.argv[1], "w") as g:
    g.write("local_write remote_write\n")
print(os.read(f, 99).decode(), end="")
print(repr(os.read(f, 99)))
print(os.pread(f, 99, 0).decode() == new)
os.lseek(f, 0, os.SEEK_SET)
print(os.read(f, 99).decode() == new)
print(os.pread(f, 6, 10).decode())
EOF
is "what was begun is read to its end, a read at 0 is of now" \
    "$(tr '\n' ' ' <"$T/log")" \
    "local_read  remote_read b'' True True  local "
finish
