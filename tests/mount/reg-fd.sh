#!/bin/sh
# SPDX-License-Identifier: MIT
# reg fd=N takes descriptor N out of the writing process: a file on tmpfs from
# the shell, a memfd from Python.  Both see the same bytes.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
shm=$(mktemp /dev/shm/rdmafs.XXXXXX) || skip "no /dev/shm"
truncate -s 8192 "$shm"
exec 5<>"$shm"
rm "$shm"
echo hello >&5
# The shell's own echo: fd=5 is of the process that writes.
(echo reg fd=5 local_write remote_write mw_bind >"$r/ctl")
report $? "reg fd=5"
is "its length is the file's" "$(cat "$r/length")" 8192
is "data is the file" "$(head -n 1 "$r/data")" hello
echo there >"$r/data"
is "both ways" "$(head -n 1 /dev/fd/5)" there
put "$P/lab/mw/w/ctl" bind r 4096 4096 remote_write
report $? "a window can be bound"
put "$P/lab/mw/w/ctl" invalidate
like "ctl tells it as a comment" "$(head -n 1 "$r/ctl")" "#*fd=N*"
put "$r/ctl" dereg
is "after dereg the owner's bytes are there" "$(head -n 1 /dev/fd/5)" there
(echo reg fd=5 offset=4K length=100 >"$r/ctl")
report $? "a part of it"
is "has its length" "$(cat "$r/length")" 100
put "$r/ctl" dereg
for range in "offset=8K" "offset=4K length=4097" "length=0" "length=8193" \
    "offset=0xffffffffffffffff length=2" "length=-1"; do
	(echo "reg fd=5 $range" >"$r/ctl") 2>"$T/err"
	report $((! $?)) "$range is refused"
	says "$r/error" "EINVAL: "
done
exec 5<&-

python3 - "$r" <<'EOF'
import os, sys
f = os.memfd_create("memory")
os.write(f, b"python" + bytes(4090))
with open(sys.argv[1] + "/ctl", "w") as ctl:
    ctl.write(f"reg fd={f} local_write\n")
d = os.open(sys.argv[1] + "/data", os.O_RDWR)
assert os.pread(d, 6, 0) == b"python"
os.pwrite(d, b"P", 0)
assert os.pread(f, 6, 0) == b"Python"
EOF
report $? "a memfd of Python's"
is "it outlives its owner" "$(head -c 6 "$r/data")" Python
finish
