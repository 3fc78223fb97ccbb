#!/bin/sh
# SPDX-License-Identifier: MIT
# Many regions: each is mapped and locked as long as the kernel gives mappings
# (M1), and has bytes of its own that only its key opens.
#
#	RDMAFS_TEST_REGIONS	how many (50000; 1000 under valgrind and the like,
#				and on other devices)
. "$(dirname "$0")/lib.sh"

few=1000
case $DEV${RDMAFS_WRAP:-}$(nm -D "$RDMAFS" 2>/dev/null) in
*valgrind*|*__asan_*|*__tsan_*|*__ubsan_*) ;;
soft*)	few=50000 ;;
esac
count=${RDMAFS_TEST_REGIONS:-$few}
python=/usr/bin/python3
[ -x $python ] || skip "no python3"
[ "$(cat "$D/attr/max_mr")" -gt "$count" ] || skip "$DEV has too few regions"
need=$((count * 16 / 1024 + 256))
[ "$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)" -gt $need ] ||
    skip "there are not $need MiB of memory"
mkdir "$P/lab"

# locked: bytes that the daemon has locked
locked() {
	awk '/^VmLck/ { print $2 * 1024 }' "/proc/$(cat "$T/pid")/status"
}

# each STEP: for each region; what is wrong is printed.  They are made in a
# batch where there is one.
cat >"$T/each.py" <<'END'
import hashlib, os, sys

step, pd, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.chdir(pd)

def put(path, data):
    fd = os.open(path, os.O_WRONLY)
    os.write(fd, data)
    os.close(fd)

def get(path, size):
    fd = os.open(path, os.O_RDONLY)
    data = os.read(fd, size)
    os.close(fd)
    return data

def pattern(i):
    return hashlib.sha256(b"%d" % i).digest() * 128

def make():
    reg = "reg 4K local_write remote_read\n"
    if os.path.exists("batch"):
        with open("batch", "w") as f:
            for i in range(count):
                f.write(f"mkdir mr/r{i}\nmr/r{i} {reg}")
        return
    for i in range(count):
        os.mkdir(f"mr/r{i}")
        put(f"mr/r{i}/ctl", reg.encode())

def write():
    for i in range(count):
        put(f"mr/r{i}/data", pattern(i))

def read():
    for i in range(count):
        if get(f"mr/r{i}/data", 8192) != pattern(i):
            print(f"r{i} has not its own bytes")

def rmdir():
    for i in range(count):
        os.rmdir(f"mr/r{i}")

globals()[step]()
END
each() {
	$python "$T/each.py" "$1" "$P/lab" "$count" 2>&1 | head -n 5
}

before=$(locked)
is "$count regions are made" "$(each make)" ""
is "status says that each is pinned" \
    "$(grep -c '^mr/.* pinned=4096 ' "$P/lab/list")" "$count"
is "metrics say so" "$(metric "rdmafs_pinned_bytes{device=\"$DEV\"}")" \
    $((count * 4096))
if [ "${DEV#soft}" != "$DEV" ] && [ -z "${RDMAFS_WRAP:-}" ]; then
	is "and the kernel that they are locked" "$(($(locked) - before))" \
	    $((count * 4096))
fi
is "each is written" "$(each write)" ""
is "each has its own bytes" "$(each read)" ""

# A peer, who has each one's key, reads a few of them.
mkdir "$P/lab/qp/q" "$P/lab/qp/q/mem/m"
put "$P/lab/qp/q/ctl" connect "$(cat "$P/lab/qp/q/local")"
wrong=0
i=0
while [ $i -lt "$count" ]; do
	r=$P/lab/mr/r$i
	put "$P/lab/qp/q/mem/m/ctl" \
	    map "$(cat "$r/addr")" 4K "$(cat "$r/rkey")"
	cmp -s "$P/lab/qp/q/mem/m/data" "$r/data" || wrong=$((wrong + 1))
	i=$((i + 1 + count / 50))
done
is "a peer reads of each what it has" $wrong 0

is "half of them go one by one" "$(count=$((count / 2)); each rmdir)" ""
check "the others with their domain" put "$P/lab/ctl" destroy
tries=0
while [ "$(locked)" -gt "$before" ] && [ $tries -lt 1000 ]; do
	sleep 0.02
	tries=$((tries + 1))
done
is "nothing is locked then" "$(locked)" "$before"
finish
