#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh selftest.sh [-k RELEASE]: do boot.sh and hosts.sh keep what they promise?
# Prints TAP.

set -u

here=$(cd "$(dirname "$0")" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$work/tmp"
export TMPDIR="$work/tmp"

boot() {
	sh "$here/boot.sh" "$@"
}

count=0
failed=0
check() {
	what=$1
	shift
	count=$((count + 1))
	if "$@"; then
		echo "ok $count - $what"
	else
		echo "not ok $count - $what"
		failed=$((failed + 1))
	fi
}

# has FILE PATTERN
has() {
	grep -Eq -- "$2" "$work/$1" && return
	echo "# no \"$2\" in $1:"
	sed 's/^/# /' "$work/$1"
	return 1
}

# status_is GUEST WANTED
status_is() {
	[ "$(cat "$work/$1.status")" = "$2" ] && return
	echo "# status $(cat "$work/$1.status"), not $2:"
	sed 's/^/# /' "$work/$1.err"
	return 1
}

# start GUEST ARG...: boot.sh in the background, all that it says in files.
start() {
	guest=$1
	shift
	{
		boot "$@" >"$work/$guest.out" 2>"$work/$guest.err"
		echo $? >"$work/$guest.status"
	} &
}

# Without a boot first, so that a machine without the packages is told here.
mkdir "$work/lacking"
cp "$here/boot.sh" "$work/lacking"
echo no-such-package >"$work/lacking/packages"
RDMAFS_VM_REQUIRED=0 sh "$work/lacking/boot.sh" -- true 2>"$work/skip.err"
check "77 without its packages" [ $? -eq 77 ]
check "says what is missing" has skip.err no-such-package
RDMAFS_VM_REQUIRED=1 sh "$work/lacking/boot.sh" -- true 2>/dev/null
check "1 if it has to run" [ $? -eq 1 ]

# A qemu that dies the first time.
mkdir "$work/bin"
cat >"$work/bin/qemu-system-x86_64" <<END
#!/bin/sh
[ -e "$work/died" ] || { : >"$work/died"; exit 1; }
PATH='$PATH' exec qemu-system-x86_64 "\$@"
END
chmod +x "$work/bin/qemu-system-x86_64"
PATH="$work/bin:$PATH" boot "$@" -- true 2>"$work/first.err"
status=$?
if [ $status -eq 77 ]; then
	echo "1..$count # SKIP $(cat "$work/first.err")"
	exit 77
fi
check "status 0" [ $status -eq 0 ]
check "a boot that fails is tried again" has first.err 'try 1'

# Two at once.  A guest does not see the host's /tmp, so the scripts go as
# arguments, and with them a proof that those arrive whole.
# shellcheck disable=SC2016 # for the guest to expand
look='
echo "directory $(pwd)"
echo "home $HOME, user $(id -u), tmp $(stat -f -c %T /tmp)"
printf "variable <%s>, other <%s>\n" "$RDMAFS_SELFTEST" "${OTHER-unset}"
printf "argument <%s>\n" "$1"
echo "from the guest" >"$RDMAFS_RESULTS/file"
ibv_devinfo -v -d rxe0
rdma link
ip addr show lo
exec 3<>/dev/fuse && echo "fuse opens"
mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 none /mnt
grep " /mnt fuse " /proc/mounts
for directory in /proc /sys /dev /dev/pts /dev/shm /run /tmp; do
	mountpoint $directory
done
echo "to stderr by name" >/dev/stderr
sleep 1000 &
exit 7'
# shellcheck disable=SC2016 # likewise
much='
for i in 1 2 3; do
	seq 100000
	echo "a message of the kernel" >/dev/kmsg
	printf "no newline here: \\\\ %d" $i >&2
done'
argument="a 'quoted'  \\n \$HOME
word"
export RDMAFS_SELFTEST="$argument" OTHER=set
start look "$@" -r "$work/results" -- sh -c "$look" sh "$argument"
start much "$@" -- sh -c "$much"
wait

check "status 7" status_is look 7
check "working directory" has look.out "^directory $(pwd -P)$"
check "root, with a /tmp of its own" has look.out \
    '^home /root, user 0, tmp tmpfs$'
check "arguments and RDMAFS_ variables, nothing else" [ "$(
	grep -A 1 -E '^(argument|variable) ' "$work/look.out")" = \
    "variable <$argument>, other <unset>
argument <$argument>" ]
check "results come back" [ "$(cat "$work/results/file")" = "from the guest" ]
check "kernel log in the results" has results/kernel.log 'Linux version'
check "rxe0 is active" has look.out 'state:[[:space:]]*PORT_ACTIVE'
check "rxe0 has an IPv4 GID" has look.out 'GID\[.*::ffff:10\.99\.0\.1'
check "rdma link shows it" has look.out 'link rxe0/1 state ACTIVE'
check "lo is up" has look.out 'inet 127\.0\.0\.1/8'
check "/dev/fuse opens" has look.out '^fuse opens$'
check "FUSE mounts" has look.out ' /mnt fuse '
for directory in /proc /sys /dev /dev/pts /dev/shm /run /tmp; do
	check "$directory is mounted" has look.out \
	    "^$directory is a mountpoint$"
done
check "/dev/stderr can be opened" has look.out '^to stderr by name$'

check "status 0 of two at once" status_is much 0
sh -c "$much" >"$work/much.here" 2>&1
check "output is whole and unmixed" cmp "$work/much.out" "$work/much.here"

# Guests that come to a bad end.
start slow "$@" -t 40 -- sh -c 'echo waiting; sleep 1000'
start crash "$@" -- sh -c 'echo c >/proc/sysrq-trigger'
wait
check "99 when time is up" status_is slow 99
check "output up to then" has slow.out '^waiting$'
check "stacks of what hangs" has slow.err 'sysrq: Show Blocked State'
check "99 when the kernel dies" status_is crash 99
check "last lines of the kernel" has crash.err 'Kernel panic'
log=$(sed -n 's/.*last lines of \(.*\):$/\1/p' "$work/crash.err")
check "the log is kept" [ -s "$log" ]
rm -f "$TMPDIR"/rdmafs-vm-kernel-log.*

# Two hosts, with scripts that need no rdmafs.
mkdir -p "$work/two/hosts"
for file in boot.sh init kernel.sh packages hosts.sh; do
	cp "$here/$file" "$work/two"
done
script() {
	{ echo '#!/bin/sh'; cat; } >"$work/two/hosts/$1.sh"
}
script meet <<'END'
: >"$RDMAFS_EXCHANGE/$RDMAFS_SIDE"
until [ -e "$RDMAFS_EXCHANGE/a" ] && [ -e "$RDMAFS_EXCHANGE/b" ]; do
	sleep 0.1
done
[ "$(nproc)" = 1 ] || exit
busybox ping -c 1 10.99.0.1 && busybox ping -c 1 10.99.0.2
END
script odd <<'END'
[ "$RDMAFS_SIDE" = a ] || exit 3
echo "said by a"
END
script skip <<'END'
[ "$RDMAFS_SIDE" = a ] || exit 0
echo "SKIP: not here"
exit 77
END
script dies <<'END'
echo "said by $RDMAFS_SIDE"
[ "$RDMAFS_SIDE" = a ] || echo c >/proc/sysrq-trigger
until [ -e "$RDMAFS_RESULTS/b.gone" ]; do
	sleep 0.1
done
END
RDMAFS_VM_KERNEL="${2:-6.1}" RDMAFS=/bin/true RDMAFS_RESULTS="$work/left" \
    sh "$work/two/hosts.sh" meet odd skip dies >"$work/two.out" 2>&1
check "1 if a script fails" [ $? -eq 1 ]
check "both sides, one CPU each, a network" has two.out '^ok - meet$'
check "a script fails on one side" has two.out '^not ok - odd$'
check "its output is there" has two.out '^# a: said by a$'
check "and the sides' status" has two.out 'odd: status of a: 0; of b: 3$'
check "a script is skipped" has two.out '^ok - skip # SKIP not here$'
check "a kernel dies" has two.out '^not ok - dies$'
check "the other side is told" has two.out 'dies: status of a: 0; of b: none'
check "what it said before" has two.out '^# b: said by b$'
check "its last lines" has two.out '^# b: .*Kernel panic'
check "the logs of both kernels" [ -s "$work/left/hosts/kernel-10.99.0.1.log" \
    -a -s "$work/left/hosts/kernel-10.99.0.2.log" ]

# Ended from outside; by then the output must have come.
sh "$here/boot.sh" "$@" -- sh -c 'echo ready; sleep 1000' \
    >"$work/ended.out" 2>"$work/ended.err" &
guest=$!
until grep -q ready "$work/ended.out" || ! kill -0 $guest 2>/dev/null; do
	sleep 0.1
done
check "output comes at once" has ended.out ready
kill $guest
wait $guest
check "TERM ends it" [ $? -eq 143 ]
check "no process is left" [ -z "$(
	grep -l "$TMPDIR/[r]dmafs-vm" /proc/[0-9]*/cmdline 2>/dev/null)" ]
check "no file is left" [ -z "$(ls "$TMPDIR")" ]

echo "1..$count"
[ $failed -eq 0 ]
