#!/bin/sh
# SPDX-License-Identifier: MIT
# poll(2): a status is readable from a change until it is read, events and wc
# when a line has come, all other files always.
. "$(dirname "$0")/peers.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w" "$P/lab/qp/q"
put "$P/lab/qp/q/ctl" connect "$(cat "$P/lab/qp/q/local")"
cat >"$T/poll.py" <<'EOT'
import os, select, subprocess, sys

os.chdir(sys.argv[1])
failed = 0

def check(what, ok):
    global failed
    failed += not ok
    print("%s %s" % ("ok" if ok else "not ok", what))

class File:
    def __init__(self, name, flags=os.O_RDONLY):
        self.name = name
        self.fd = os.open(name, flags)
        self.poll = select.poll()
        self.poll.register(self.fd, select.POLLIN | select.POLLOUT)
    def now(self):
        return self.poll.poll(0) != []
    def quiet(self, why):
        check("%s is not readable: %s" % (self.name, why), not self.now())
    def comes(self, why, *command):
        """Waits, and only then runs the command."""
        child = subprocess.Popen(["sh", "-c", 'sleep 0.2; ' + command[0]])
        got = self.poll.poll(30000)
        child.wait()
        check("%s is readable: %s" % (self.name, why),
              got != [] and got[0][1] & select.POLLIN)
    def read(self):
        return os.read(self.fd, 4096)
    def again(self):
        os.lseek(self.fd, 0, 0)
        return self.read()

mw, mr, pd, dev = (File(n + "/status") for n in
                   ("lab/mw/w", "lab/mr/r", "lab", ".."))
root = File("../../status")
for f in mw, mr, pd, dev, root:
    f.quiet("nothing has changed since it was opened")
mr.comes("a registration", "echo reg 64K mw_bind >lab/mr/r/ctl")
check("still, until it is read", mr.now())
check("it says so", b"active length=65536" in mr.again())
mw.comes("a bind", "echo bind r >lab/mw/w/ctl")
check("of it the region's windows speak too", mr.now())
check("what is read", mw.again().startswith(b"bound "))
mw.quiet("it has been read")
check("the region", b" windows=1 " in mr.again())
mr.quiet("it has been read")
mw.comes("an invalidation", "echo invalidate >lab/mw/w/ctl")
pd.read()
pd.comes("another window", "mkdir lab/mw/v")
dev.again()
dev.comes("a device counts them", "mkdir lab/mw/u")
check("and says so", b" mw=3 " in dev.again())

events = File("lab/mw/w/events", os.O_RDWR)
events.quiet("nothing has happened")
mw.again()
events.comes("a bind", "echo bind r >lab/mw/w/ctl")
check("still, until it is read", events.now())
check("the line", b" bound " in events.read())
events.quiet("the line is read")
wc = File("lab/qp/q/wc", os.O_RDWR)
wc.quiet("nothing has completed")
wc.comes("a completion", "echo write r 0 0 0 0 >lab/qp/q/ctl")
check("the line", b" rdma_write " in wc.read())
wc.quiet("the line is read")
for name in "lab/mw/w/rights", "lab/list", "lab/mw/w/ctl", "lab/events":
    check(name + " is always ready", File(name).now())
end = File("lab/mw/w/status")
end.comes("the end of the object", "rmdir lab/mw/w")
check("events too", events.now())
check("which ends", b" destroyed " in events.read() and events.read() == b"")

# Half of a crowd polls what goes; nobody is forgotten.
crowd = [File("lab/mw/v/status") for i in range(200)]
for f in crowd[::2]:
    f.now()
    os.close(f.fd)
crowd = crowd[1::2]
poll = select.epoll()
for f in crowd:
    poll.register(f.fd, select.POLLIN | select.EPOLLET)
poll.poll(0)
subprocess.call("echo rights remote_read >lab/mw/v/ctl", shell=True)
left = {f.fd for f in crowd}
while left:
    got = poll.poll(30, 1000)
    if not got:
        break
    left -= {fd for fd, what in got}
check("100 with epoll are woken", not left)
sys.exit(failed)
EOT
check "what poll says" python3 "$T/poll.py" "$P"
show "$T/out"
finish
