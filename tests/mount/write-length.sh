#!/bin/sh
# SPDX-License-Identifier: MIT
# A write returns its full length or an error, never a short count, and errors
# are write's, never close's.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
r=$P/lab/mr/r
python3 - "$r" >"$T/log" 2>&1 <<'EOF'
import errno, os, sys
def write(file, text, flags=0):
    f = os.open(sys.argv[1] + "/" + file, os.O_WRONLY | flags)
    try:
        n = os.write(f, text)
    except OSError as e:
        n = errno.errorcode[e.errno]
    os.close(f)
    print(n, end=" ")
write("ctl", b"reg 4K local_write")
write("ctl", b"dereg\nreg 8K\n")
write("ctl", b"# a\n" * 16384)
write("ctl", b"reg 4K\n")
write("ctl", b"dereg\nreg 4K\nreg 4K\n")
write("ctl", b"fly\n")
write("rights", b"remote_read,local_write", os.O_TRUNC)
write("rights", b"none", os.O_APPEND)
write("ctl", b"")
write("data", b"x" * 4096)
write("data", b"x" * 5000)
f = os.open(sys.argv[1] + "/ctl", os.O_WRONLY)
print(os.writev(f, [b"der", b"eg", b"\n"]), os.pwrite(f, b"reg 4K\n", 12345))
EOF
is "full lengths or errors" "$(cat "$T/log")" \
    "18 13 65536 EBUSY EBUSY EINVAL 23 4 0 4096 4096 6 7"
is "the last one has run" "$(cat "$r/length")" 4096
finish
