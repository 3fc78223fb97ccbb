#!/bin/sh
# SPDX-License-Identifier: MIT
# A batch waits for turns and for what takes its time, and can be interrupted:
# what has begun completes, what is behind it does not run.
. "$(dirname "$0")/fault.sh"

hold_reg
# has_lines N FILE: so many at least
# shellcheck disable=SC2317 # called by until_true
has_lines() {
	[ "$(grep -c . "$2")" -ge "$1" ]
}
echo 'mkdir mw/before
mr/held rights remote_read
mkdir mw/behind' >"$T/script"
# batch_writes FILE: becomes a process that writes the script at once and then a
# line, and exits with the errnos' sum
cat >"$T/write" <<'END'
import os, signal, sys
signal.signal(signal.SIGINT, lambda *a: None)
def write(fd, text):
    # Python would write again what was interrupted.
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    return 0 if libc.write(fd, text, len(text)) >= 0 else ctypes.get_errno()
fd = os.open(sys.argv[1], os.O_WRONLY)
print(write(fd, open(sys.argv[2], "rb").read()), write(fd, b"mkdir mw/later\n"))
END
batch_writes() {
	exec env --default-signal=INT python3 "$T/write" "$P/lab/batch" "$1"
}

(batch_writes "$T/script") >"$T/log" 2>&1 &
first=$!
until_true "the line before is done" test -d "$P/lab/mw/before"
waits $first
like "a domain with a batch that waits answers" "$(cat "$P/lab/status")" 'active *'
kill -INT $first
ends $first
is "EINTR ends the batch, and is told once" "$(cat "$T/log")" '4 125'
says "$P/lab/error" 'EINTR: line 2: interrupted before it began'
check "what is behind it does not run" test ! -e "$P/lab/mw/behind"
check "nor later" test ! -e "$P/lab/mw/later"
(batch_writes "$T/script") >"$T/log" 2>&1 &
second=$!
wait $second
like "mkdir of what exists" "$(cat "$T/log")" '17 17'

printf 'mr/held rights remote_read\nmkdir mw/behind\n' >"$T/script"
(batch_writes "$T/script") >"$T/log" 2>&1 &
third=$!
waits $third
fault release
wait "${writer:?}"
wait $third
is "what waited goes on when it is its turn" "$(cat "$T/log")" '0 0'
check "with the lines behind it" test -d "$P/lab/mw/behind"
check "and later ones" rmdir "$P/lab/mw/behind" "$P/lab/mw/later"
is "its rights" "$(cat "$P/lab/mr/held/rights")" 'local_read remote_read'

fault hold mr_rereg
printf 'mr/held rights mw_bind local_write\nmkdir mw/behind\n' >"$T/script"
(batch_writes "$T/script") >"$T/log" 2>&1 &
fourth=$!
fault held 1
waits $fourth
kill -INT $fourth
ends $fourth
is "EINTR at once" "$(cat "$T/log")" '4 125'
fault release
until_true "what has begun completes" \
    grep -q mw_bind "$P/lab/mr/held/rights"
until_true "error has its number" grep -q 'EINTR: line' "$P/lab/error"
check "what is behind it does not run" test ! -e "$P/lab/mw/behind"

# Two writers of one descriptor: the second one waits, and can be given up.
fault hold mr_rereg
cat >"$T/two" <<'END'
import os, signal, sys
fd = os.open(sys.argv[1], os.O_WRONLY)
# Only inside of what the kernel takes for the size it lets two write at once.
os.write(fd, b"# " + b"x" * 1000 + b"\n")
def child(text):
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.pwrite(fd, text, 0)
        os._exit(0)
    return pid
for text in (b"mr/held rights remote_read\nmkdir mw/x\n", b"mkdir mw/y\n", b"mkdir mw/z\n"):
    print(child(text), flush=True)
    sys.stdin.readline()
print([os.waitstatus_to_exitcode(os.wait()[1]) for i in range(3)])
END
mkfifo "$T/go"
python3 "$T/two" "$P/lab/batch" <"$T/go" >"$T/log" 2>&1 &
two=$!
exec 4>"$T/go"
fault held 1
echo >&4
until_true "a second writer" has_lines 2 "$T/log"
waits "$(sed -n 2p "$T/log")"
echo >&4
until_true "a third writer" has_lines 3 "$T/log"
waits "$(sed -n 3p "$T/log")"
kill -INT "$(sed -n 2p "$T/log")"
ends "$(sed -n 2p "$T/log")"
fault release
echo >&4
exec 4>&-
wait $two
like "one was given up" "$(tail -n 1 "$T/log")" '*-2*'
check "the first has run" test -d "$P/lab/mw/x"
check "the one that was given up has not" test ! -e "$P/lab/mw/y"
check "the third has" test -d "$P/lab/mw/z"

# Lines that are over at once: the writer is not told later, but in between.
cat >"$T/quick" <<'END'
import ctypes, os, signal, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
signal.signal(signal.SIGUSR1, lambda *a: None)
signal.siginterrupt(signal.SIGUSR1, True)
fd = os.open(sys.argv[1] + "/batch", os.O_WRONLY)
for first in range(0, 10**7, 10**5):
    # Some 20,000 lines, again and again until one write was interrupted.
    text = b"".join(b"mkdir mw/n%d\nmw/n%d destroy\n" % (i, i)
        for i in range(first, first + 20000))
    timer = threading.Timer(0.02, lambda: signal.pthread_kill(
        threading.main_thread().ident, signal.SIGUSR1))
    timer.start()
    n = libc.write(fd, text, len(text))
    err = ctypes.get_errno()
    timer.join()
    if n < 0:
        break
print(n, err, libc.write(fd, b"mkdir mw/never\n", 15))
END
is "an interrupt ends lines that are quick" \
    "$(/usr/bin/python3 "$T/quick" "$P/lab")" '-1 4 -1'
says "$P/lab/error" "EINTR: line "
check "nothing runs behind it" test ! -e "$P/lab/mw/never"
finish
