#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh list.sh [OBJECTS]: what a list of many objects costs (1000000 windows, which
# take some minutes to make, and 1 GB).  Prints ratios, each of one run:
#
#	list	time for a line of all of them, over that of a line of 1,000
#	other	commands on a window while another process reads the list over
#		and over, over those while none does
#
# RDMAFS is the daemon, build/fs/rdmafs unless it is set.

. "$(dirname "$0")/lib.sh"

objects=${1:-1000000}
python3 - "$work/m/soft0/pd" "$objects" <<'END'
import os, statistics, subprocess, sys, time

pd, objects = sys.argv[1], int(sys.argv[2])
ROUNDS = 5

def make(name, count):
    for d in ("", "/mr/r"):
        os.mkdir(f"{pd}/{name}{d}")
    with open(f"{pd}/{name}/mr/r/ctl", "w") as f:
        f.write("reg 4K mw_bind\n")
    for i in range(count):
        os.mkdir(f"{pd}/{name}/mw/w{i}")

def line(name):
    """Seconds for a line of its list."""
    lines, begin = 0, time.perf_counter()
    with open(f"{pd}/{name}/list", "rb", buffering=0) as f:
        while piece := f.read(131072):
            lines += piece.count(b"\n")
    return (time.perf_counter() - begin) / lines

def commands(seconds=2):
    """Binds and invalidations of one window in a second."""
    n, end = 0, time.perf_counter() + seconds
    fd = os.open(f"{pd}/few/mw/w0/ctl", os.O_WRONLY)
    while time.perf_counter() < end:
        os.write(fd, b"bind r\n")
        os.write(fd, b"invalidate\n")
        n += 2
    os.close(fd)
    return n / seconds

make("few", 1000)
make("many", objects)
pairs = [(line("few"), line("many")) for i in range(ROUNDS)]
print("list   %.2f" % statistics.median(many / few for few, many in pairs))
rates = []
for i in range(ROUNDS):
    alone = commands()
    reader = subprocess.Popen([sys.executable, "-c", f"""
while True:
    with open("{pd}/many/list", "rb", buffering=0) as f:
        while f.read(131072):
            pass
"""])
    time.sleep(0.5)
    rates.append(commands() / alone)
    reader.kill()
    reader.wait()
print("other  %.2f" % statistics.median(rates))
END
