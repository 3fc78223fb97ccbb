#!/bin/sh
# SPDX-License-Identifier: MIT
# What FUSE messages things need whose names and attributes the kernel has:
# exactly, by counting a hundred of each.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip "no python3"
grep -q fuse_messages_total "$M/metrics" || skip "messages are not counted"
mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
put "$P/lab/mr/r/ctl" reg 64K local_write mw_bind
cat >"$T/messages.py" <<'X'
import os, re, subprocess, sys
mount, lab, times = sys.argv[1:]
TIMES, TRIES = int(times), 20
metrics = os.open(mount + "/metrics", os.O_RDONLY)

def take():
    text, at = b"", 0
    while part := os.pread(metrics, 1 << 17, at):
        text, at = text + part, at + len(part)
    found = re.findall(r'^rdmafs_fuse_messages_total{opcode="(\w+)"} (\d+)$',
        text.decode(), re.M)
    return {name: int(n) for name, n in found}

def quiet():
    """The kernel sends RELEASE when it likes: until no more come."""
    same, last = 0, None
    while same < 20:
        now = take().get("RELEASE", 0)
        same, last = same + 1 if now == last else 0, now

def messages(act):
    """Those of act, without those of counting."""
    takes = 1
    quiet()
    first, before = take(), take()
    act()
    after = take()
    while after.get("RELEASE", 0) - before.get("RELEASE", 0) < \
            after.get("OPEN", 0) - before.get("OPEN", 0) and takes < 1000:
        takes, after = takes + 1, take()
    own = {k: before[k] - first[k] for k in before}
    n = {k: after[k] - before.get(k, 0) - takes * own.get(k, 0) for k in after}
    return {k: v for k, v in n.items() if v != 0}

def expect(what, one, want, extra=(), times=TIMES):
    """Of one(i) exactly want, and at most one of each of extra."""
    for i in range(4):  # warm
        one(i)
    good, tries = False, 0
    # Disturbed by the turn of a second, or by a release that a busy machine
    # keeps us waiting for: once more.
    while not good and tries < TRIES:
        got = messages(lambda: [one(i) for i in range(times)])
        few = {k: v / times for k, v in got.items()
            if k not in extra or v > times}
        good, tries = few == want, tries + 1
    print("ok" if good else "not ok", what, got, flush=True)

COMMAND = {"OPEN": 1, "WRITE": 1, "RELEASE": 1}
CAT = {"OPEN": 1, "READ": 2, "RELEASE": 1}
commands = [b"bind r 0 4K remote_write\n", b"invalidate\n"]

def command(flags):
    def one(i):
        fd = os.open(lab + "/mw/w/ctl", os.O_WRONLY | flags)
        os.write(fd, commands[i % 2])
        os.close(fd)
    return one

expect("a command", command(0), COMMAND)
expect("a command with O_TRUNC", command(os.O_TRUNC), COMMAND)
expect("a command as the shell's >", command(os.O_TRUNC | os.O_CREAT), COMMAND)
expect("a command with >>", command(os.O_APPEND | os.O_CREAT), COMMAND)
kept = os.open(lab + "/mw/w/ctl", os.O_WRONLY)
expect("a kept ctl", lambda i: os.write(kept, commands[i % 2]), {"WRITE": 1})
os.write(kept, commands[0])
os.close(kept)

def cat(path):
    def one(i):
        fd = os.open(path, os.O_RDONLY)
        while os.read(fd, 1 << 17):
            pass
        os.close(fd)
    return one

for name in ("mw/w/status", "mw/w/rights", "mw/w/ctl", "mw/w/length", "mw/w/type",
        "mw/w/rkey", "mw/w/error", "mr/r/status", "mr/r/windows", "mr/r/lkey",
        "mr/r/ctl", "status", "list", "error"):
    expect("a read of " + name, cat(f"{lab}/{name}"), CAT, ["GETATTR"])
expect("cat", lambda i: subprocess.run(["cat", lab + "/mw/w/status"],
    stdout=subprocess.PIPE, check=True), CAT, ["GETATTR"], 20)
for name in ("mw/w", "mw", "mr/r", "", "mw/w/type", "mr/r/data", "mr/r/lkey",
        "mr/r/addr"):
    expect("a stat of " + name, lambda i: os.lstat(f"{lab}/{name}"), {})
X
case ${RDMAFS_WRAP:-}$DEV in
soft0)	times=100 ;;
*)	times=5 ;;	# slow
esac
check "the counting ends" python3 "$T/messages.py" "$M" "$P/lab" $times
cp "$T/out" "$T/counts"
while read -r line; do
	case $line in
	ok*)	report 0 "${line#ok }" ;;
	not*)	report 1 "${line#not ok }" ;;
	*)	say "$line" ;;
	esac
done <"$T/counts"
finish
