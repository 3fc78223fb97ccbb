#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh regions.sh [REGIONS]: what many regions of 4 KiB cost (1000000, which need
# some 10 GB of memory, and where the kernel passes data through; see LIMITS OF
# MEMORY in rdmafs(8)).  They are made, written and read back through data, and
# destroyed, by batch where there is one.  Prints, and ends with status 1 if a
# region has not its own bytes:
#
#	make destroy	time for each of all of them, over that of 1,000 (five
#			rounds before, the median)
#	bytes		memory of the daemon's own for each: RssAnon
#	pinned		how many are mapped and locked
#
# RDMAFS is the daemon, build/fs/rdmafs unless it is set.

. "$(dirname "$0")/lib.sh"

regions=${1:-1000000}
python3 - "$work/m/soft0/pd" "$regions" "$pid" <<'END'
import os, re, statistics, sys, time

pd, regions, pid = sys.argv[1], int(sys.argv[2]), sys.argv[3]
REG = "reg 4K local_write remote_read\n"

def put(path, data):
    fd = os.open(path, os.O_WRONLY)
    os.write(fd, data)
    os.close(fd)

def own():
    """Bytes of the daemon's own."""
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(r"RssAnon:\s+(\d+)", f.read())[1]) * 1024

def make(name, count):
    """Seconds for each."""
    os.mkdir(f"{pd}/{name}")
    os.chdir(f"{pd}/{name}")
    begin = time.perf_counter()
    if os.path.exists("batch"):
        with open("batch", "w", buffering=1 << 20) as f:
            for i in range(count):
                f.write(f"mkdir mr/r{i}\nmr/r{i} {REG}")
    else:
        for i in range(count):
            os.mkdir(f"mr/r{i}")
            put(f"mr/r{i}/ctl", REG.encode())
    return (time.perf_counter() - begin) / count

def destroy(name, count):
    os.chdir(pd)
    begin = time.perf_counter()
    put(f"{name}/ctl", b"destroy\n")
    return (time.perf_counter() - begin) / count

def pattern(i):
    return b"%015d\n" % i * 256

def wrong(count):
    """How many have not their own bytes."""
    for i in range(count):
        put(f"mr/r{i}/data", pattern(i))
    bad = 0
    for i in range(count):
        fd = os.open(f"mr/r{i}/data", os.O_RDONLY)
        bad += os.read(fd, 8192) != pattern(i)
        os.close(fd)
    return bad

def pinned():
    n = 0
    with open("list") as f:
        for line in f:
            n += " pinned=4096 " in line
    return n

few = [(make("few", 1000), destroy("few", 1000)) for i in range(5)]
before = own()
made = make("many", regions)
print("make     %.2f" % (made / statistics.median(m for m, d in few)))
print("bytes    %.0f" % ((own() - before) / regions))
print("pinned   %d of %d" % (pinned(), regions))
bad = wrong(regions)
print("wrong    %d" % bad)
print("destroy  %.2f" % (destroy("many", regions) /
    statistics.median(d for m, d in few)))
sys.exit(bad != 0)
END
