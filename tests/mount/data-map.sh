#!/bin/sh
# SPDX-License-Identifier: MIT
# data that the kernel maps: coherent both ways with what a peer does; a region's
# end is the end of what was mapped; no backing file is left open.
. "$(dirname "$0")/peers.sh"

case $(cat "$M/status") in
*data=passthrough*) ;;
*)
	mkdir "$P/lab" "$P/lab/mr/r"
	put "$P/lab/mr/r/ctl" reg 4096
	fails ENODEV /usr/bin/python3 -c "import mmap, os, sys
mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 4096)" "$P/lab/mr/r/data"
	finish
	;;
esac

peers
# map FILE: a process that holds it mapped and obeys lines on $T/to: "read OFF
# N", "write OFF TEXT", "pread OFF N"; it answers on $T/from.
mkfifo "$T/to" "$T/from"
cat >"$T/map.py" <<'EOT'
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
m = mmap.mmap(fd, os.fstat(fd).st_size)
for line in sys.stdin:
    verb, off, arg = line.split()
    off = int(off)
    if verb == "read":
        print(m[off:off + int(arg)].hex())
    elif verb == "pread":
        print(os.pread(fd, int(arg), off).hex())
    elif verb == "pwrite":
        try:
            print(os.pwrite(fd, arg.encode(), off))
        except OSError as e:
            print(e.strerror)
    else:
        m[off:off + len(arg)] = arg.encode()
        print("ok")
    sys.stdout.flush()
EOT
/usr/bin/python3 "$T/map.py" "$B/mr/r/data" <"$T/to" >"$T/from" &
mapper=$!
exec 8>"$T/to" 9<"$T/from"
# asks COMMAND: its answer is in $answer
asks() {
	echo "$*" >&8
	read -r answer <&9
}

printf hello | dd of="$A/mr/r/data" bs=5 conv=notrunc status=none
# shellcheck disable=SC2046 # two words
put "$A/qp/q/ctl" write r 0 5 $(at "$B/mr/r" 100)
asks read 100 5
is "what a peer has written is there" "$answer" 68656c6c6f
asks write 200 world
# shellcheck disable=SC2046
put "$A/qp/q/ctl" read r 1000 5 $(at "$B/mr/r" 200)
is "what is stored there a peer reads" "$(bytes "$A/mr/r/data" 1000 5)" world
is "and so does read(2)" "$(bytes "$B/mr/r/data" 200 5)" world
printf later | dd of="$B/mr/r/data" bs=1 seek=300 conv=notrunc status=none
asks read 300 5
is "write(2) is there" "$answer" 6c61746572

# Rights are the file's.
cat >"$T/refused.py" <<'EOT'
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
for what in (lambda: mmap.mmap(fd, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE),
             lambda: os.pwrite(fd, b"x", 0), lambda: os.ftruncate(fd, 0)):
    try:
        what()
        print("done")
    except OSError as e:
        print("refused")
EOT
is "open for reading it cannot be written" \
    "$(/usr/bin/python3 "$T/refused.py" "$B/mr/r/data" | sort | uniq -c |
	tr -s ' ')" ' 3 refused'

# The end.
put "$B/mr/r/ctl" dereg
asks read 100 5
is "after the end it reads zeros" "$answer" 0000000000
asks pread 200 5
is "so does its descriptor" "$answer" 0000000000
put "$B/mr/r/ctl" reg 64K "$all"
printf fresh | dd of="$B/mr/r/data" bs=5 conv=notrunc status=none
asks read 0 5
is "the next memory is another one" "$answer" 0000000000
asks pread 0 5
is "for its descriptor too" "$answer" 0000000000
asks write 0 stale
is "what is stored there nobody sees" "$(bytes "$B/mr/r/data" 0 5)" fresh
asks pwrite 0 stale
is "nor what its descriptor writes" "$(bytes "$B/mr/r/data" 0 5)" fresh
is "stat tells of the present one" "$(stat -c %s "$B/mr/r/data")" 65536
exec 8>&- 9<&-
wait "$mapper"

# Its end: what begins there is refused, what crosses it is cut.
fails EPERM dd if=/dev/zero of="$B/mr/r/data" bs=64K seek=1 count=1 \
    conv=notrunc status=none
cat >"$T/across.py" <<'EOT'
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
size = os.fstat(fd).st_size
print(os.pwrite(fd, b"across", size - 4), os.pread(fd, 6, size - 4).decode())
try:
    mmap.mmap(fd, size)
    print("mapped")
except OSError as e:
    print("refused")
EOT
mkdir "$A/mr/odd"
put "$A/mr/odd/ctl" reg 5000
is "of odd length by the daemon" \
    "$(/usr/bin/python3 "$T/across.py" "$A/mr/odd/data" | tr '\n' ' ')" \
    '4 acro refused '

# Somebody else's memory is never the kernel's.
cat >"$T/foreign.py" <<'EOT'
import mmap, os, sys
mr = sys.argv[1]
fd = os.memfd_create("mine")
os.ftruncate(fd, 8192)
os.pwrite(fd, b"mine", 0)
with open(mr + "/ctl", "w") as ctl:
    ctl.write("reg fd=%d local_write\n" % fd)
data = os.open(mr + "/data", os.O_RDWR)
print(os.pread(data, 4, 0).decode())
os.pwrite(data, b"ours", 0)
print(os.pread(fd, 4, 0).decode())
try:
    mmap.mmap(data, 8192)
    print("mapped")
except OSError as e:
    print("refused")
EOT
mkdir "$A/mr/f"
is "memory of one's own goes through the daemon" \
    "$(/usr/bin/python3 "$T/foreign.py" "$A/mr/f" | tr '\n' ' ')" \
    "mine ours refused "

# Nothing is left behind: neither descriptors nor what the kernel keeps.
mkdir "$P/many" "$P/many/mr/m"
rounds=60
[ -z "${RDMAFS_WRAP:-}" ] || rounds=20
fds() {
	set -- /proc/"$daemon"/fd/*
	echo $#
}
round() {
	put "$P/many/mr/m/ctl" reg 4096
	: <"$P/many/mr/m/data"
	put "$P/many/mr/m/ctl" dereg
}
round
before=$(fds)
i=0
while [ $i -lt $rounds ]; do
	round
	i=$((i + 1))
done
fewer() {
	[ "$(fds)" -le "$before" ]
}
n=0
until fewer || [ $n -ge 500 ]; do # a close comes a little later
	n=$((n + 1))
	sleep 0.02
done
check "no descriptor is left" fewer
finish
