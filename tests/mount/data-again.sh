#!/bin/sh
# SPDX-License-Identifier: MIT
# Regions that are registered anew while their old data is open, one quickly after
# the other: each has the bytes of its own registration, whoever opens it.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip "no python3"
cat >"$T/again.py" <<'END'
import mmap, os, sys
pd = sys.argv[1]
NAMES = [f"r{i}" for i in range(8)]

def put(path, text):
    fd = os.open(path, os.O_WRONLY)
    os.write(fd, text.encode())
    os.close(fd)

def first(fd):
    return os.pread(fd, 8, 0).rstrip(b"\0").decode()

def read(name):
    fd = os.open(f"{pd}/mr/{name}/data", os.O_RDONLY)
    text = first(fd)
    os.close(fd)
    return text

def say(what, got, want):
    print("same" if got == want else f"{got} not {want}", what, flush=True)

for name in NAMES:
    os.mkdir(f"{pd}/mr/{name}")
    put(f"{pd}/mr/{name}/ctl", "reg 4K local_write\n")
old = [os.open(f"{pd}/mr/{name}/data", os.O_RDWR) for name in NAMES]
for fd, name in zip(old, NAMES):
    os.pwrite(fd, b"OLD" + name.encode(), 0)
for name in NAMES:
    put(f"{pd}/mr/{name}/ctl", "dereg\n")
    put(f"{pd}/mr/{name}/ctl", "reg 4K local_write\n")
for fd, name in zip(old, NAMES):
    try:
        os.pwrite(fd, b"LATE" + name.encode(), 0)
    except OSError:
        pass    # without passthrough
say("new memory is empty", [read(name) for name in NAMES], [""] * len(NAMES))
for name in NAMES:
    fd = os.open(f"{pd}/mr/{name}/data", os.O_WRONLY)
    os.write(fd, b"NEW" + name.encode())
    os.close(fd)
want = ["NEW" + name for name in NAMES]
say("and has what is written to it", [read(name) for name in NAMES], want)
late = []
for fd in old:
    try:
        late.append(first(fd).startswith("NEW"))
    except OSError:
        late.append(False)
say("which the old ones do not see", late, [False] * len(NAMES))
for fd in old:
    os.close(fd)
say("also when these are closed", [read(name) for name in NAMES], want)
END
mkdir "$P/lab"
check "all is tried" python3 "$T/again.py" "$P/lab"
cp "$T/out" "$T/again"
show "$T/again"
is "all of it is so" "$(grep -c ^same "$T/again")" 4
finish
