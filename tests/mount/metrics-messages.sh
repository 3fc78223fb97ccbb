#!/bin/sh
# SPDX-License-Identifier: MIT
# Messages of the kernel's are counted exactly, by their opcodes; so are
# notifications.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip "no python3"
mkdir "$P/lab"
cat >"$T/count.py" <<'X'
import os, re, select, sys
mount, pd = sys.argv[1:]
metrics = os.open(mount + "/metrics", os.O_RDONLY)
def counts():
    text, at = b"", 0
    while part := os.pread(metrics, 1 << 17, at):
        text, at = text + part, at + len(part)
    found = re.findall(
        r'^rdmafs_fuse_(?:messages|notifications)_total{\w+="(\w+)"} (\d+)$',
        text.decode(), re.M)
    return {name: int(n) for name, n in found}
def rise(name, act):
    before = counts()
    act()
    return counts().get(name, 0) - before.get(name, 0)
def expect(what, name, act, want):
    own = rise(name, lambda: None)
    got = rise(name, act) - own
    print("same" if got == want else f"{got} not {want}", what, name, flush=True)

version = os.open(mount + "/version", os.O_RDONLY)
ctl = os.open(pd + "/lab/ctl", os.O_WRONLY)
def each(n, act):
    return lambda: [act(i) for i in range(n)] and None
expect("preads", "READ", each(7, lambda i: os.pread(version, 100, 0)), 7)
expect("writes", "WRITE", each(5, lambda i: os.write(ctl, b"# no-op\n")), 5)
expect("no open", "OPEN", each(5, lambda i: os.write(ctl, b"# no-op\n")), 0)
expect("mkdirs", "MKDIR", each(3, lambda i: os.mkdir(f"{pd}/lab/mw/w{i}")), 3)
expect("rmdirs", "RMDIR", each(3, lambda i: os.rmdir(f"{pd}/lab/mw/w{i}")), 3)
kept = []
expect("opens", "OPEN",
    each(9, lambda i: kept.append(os.open(mount + "/version", os.O_RDONLY))), 9)
before = counts()["RELEASE"]
for fd in kept:
    os.close(fd)
while (got := counts()["RELEASE"] - before) < len(kept):
    pass    # the kernel sends them when it likes
print("same" if got == len(kept) else got, "closed files RELEASE", flush=True)

status = os.open(pd + "/lab/status", os.O_RDONLY)
os.read(status, 1000)
poll = select.poll()
poll.register(status, select.POLLIN)
if (child := os.fork()) == 0:
    poll.poll()
    os._exit(0)
while "poll" not in open(f"/proc/{child}/wchan").read():
    pass    # not before it waits
os.mkdir(pd + "/lab/mw/w")
os.waitpid(child, 0)
print("done", flush=True)
X
check "the counting ends" python3 "$T/count.py" "$M" "$P"
show "$T/out"
is "nothing was counted wrongly" "$(grep -vc '^same' "$T/out")" 1
is "all was counted" "$(grep -c '^same' "$T/out")" 7
is "one who polls is told once" \
    "$(metric 'rdmafs_fuse_notifications_total{kind="POLL"}')" 1
is "one session was begun" \
    "$(metric 'rdmafs_fuse_messages_total{opcode="INIT"}')" 1
is "nothing without a name has come" \
    "$(metric 'rdmafs_fuse_messages_total{opcode="OTHER"}')" 0
finish
