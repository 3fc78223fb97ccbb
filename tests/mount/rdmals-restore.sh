#!/bin/sh
# SPDX-License-Identifier: MIT
# rdmals --restore prints a script that makes the same objects on a fresh
# mount: list and each ctl are equal.
. "$(dirname "$0")/rdmals.sh"

M2=$T/second

# fresh: a second daemon, without objects, on $M2
fresh() {
	# shellcheck disable=SC2086 # words
	"$RDMAFS" ${RDMAFS_OPTS:---soft 2} "$M2"
}

# state MOUNT: all of it but what each mount has of its own
state() {
	sed 's/ made=.*//; s/ num=[0-9]*//; s/ rereg=emulated//' "$1/list"
	sed 's/ .*//' "$1/list" | while read -r path; do
		[ "${path#*/}" != "$path" ] || continue
		echo "$path"
		sed 's/qpn=[0-9]* psn=[0-9]*//' "$1/$path/ctl"
	done
	find "$1" -name '[0-9]' -prune -o -printf '%P %m %U %G\n' | sort
}

# restored WHAT [WORD...]: its script runs on a fresh mount
restored() {
	what=$1
	shift
	ls_ --restore "$@"
	is "$what: status" $? 0 || show "$T/err"
	cp "$T/got" "$T/script"
	fresh
	check "$what: the script runs" sh "$T/script" "$M2" || show "$T/script"
}

mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mr/0" "$P/lab/mr/A-b_c.d" "$P/lab/mr/new" \
    "$P/lab/mr/kept" "$P/lab/mr/iova" "$P/lab/mw/w" "$P/lab/mw/whole" \
    "$P/lab/mw/kept" "$P/lab/mw/rm-rf" "$P/lab/qp/q" "$P/lab/qp/uc" \
    "$P/lab/qp/q/mem/far" "$P/empty" "$P/1"
put "$P/lab/mr/a/ctl" reg 64K local_write remote_read remote_write mw_bind
put "$P/lab/mr/0/ctl" reg 5000
put "$P/lab/mr/A-b_c.d/ctl" reg 4K local_write mw_bind
put "$P/lab/mr/kept/ctl" rights remote_read
put "$P/lab/mr/iova/ctl" reg 4K remote_read iova=0x10000000
put "$P/lab/mw/w/ctl" bind a 4096 100 remote_read,remote_write
put "$P/lab/mw/whole/ctl" bind A-b_c.d remote_write
put "$P/lab/mw/kept/ctl" rights remote_read
put "$P/lab/qp/q/ctl" rights remote_read mw_bind
put "$P/lab/qp/uc/ctl" type uc
chown 1000:1001 "$P/lab" "$P/lab/mr" "$P/lab/mr/a"
chmod 0750 "$P/lab" "$P/lab/mw/w"
chgrp 1001 "$P/lab/mw/w"
chmod g+r "$P/lab/mw/w/rkey"
chmod 0600 "$P/lab/mr/0/rights"
chgrp 1001 "$D/pd"
chmod 1775 "$D/pd"
state "$M" >"$T/want"
restored "all"
state "$M2" >"$T/have"
check "the two mounts are equal" diff "$T/want" "$T/have"
is "modes are set where they differ" "$(grep -c '^chmod' "$T/script")" 5
is "nothing was left out" "$(grep -c "^# $DEV" "$T/script")" 0
umount "$M2"

# A mount whose name wants quoting, and what cannot be repeated.
put "$P/lab/qp/q/ctl" "connect $(cat "$P/lab/qp/q/local")"
put "$P/lab/qp/q/mem/far/ctl" map 0x1000 4096 0x12345
python3 - "$P/lab/mr/new/ctl" <<'END'
import os, sys
fd = os.memfd_create("m")
os.truncate(fd, 8192)
ctl = os.open(sys.argv[1], os.O_WRONLY)
os.write(ctl, b"reg fd=%d local_write" % fd)
END
is "a region of a descriptor" "$(cut -d ' ' -f 1 "$P/lab/mr/new/status")" active
M2="$T/sec ond's"
restored "with what cannot be repeated"
is "the region is there" "$(cut -d ' ' -f 1,2 "$M2/$DEV/pd/lab/mr/new/status")" \
    "unregistered rights=local_read,local_write"
check "the descriptor is a comment" grep -q \
    "^# $DEV/pd/lab/mr/new: .*reg fd=N length=8192" "$T/script"
check "so is the connection" grep -q "^# $DEV/pd/lab/qp/q: .*connect qpn=" \
    "$T/script"
check "and the mapping" grep -q "^# $DEV/pd/lab/qp/q/mem/far: .*map ADDR 4096" \
    "$T/script"
is "which has no key" "$(grep -c 12345 "$T/script")" 0
sh "$T/script" "$M2" >"$T/out" 2>&1
is "a second time: status" $? 1
like "why" "$(cat "$T/out")" "mkdir:*$DEV/pd/lab*File exists"
umount "$M2"
M2=$T/second

if ! grep -q 'lacks=[^ ]*mw_type_2' "$D/status"; then
	put "$P/lab/mw/rm-rf/ctl" type 2
	put "$P/lab/mw/rm-rf/ctl" bind a 0 8 remote_read qp=q
	restored "a type 2 window"
	is "it is there unbound" \
	    "$(cut -d ' ' -f 1-3 "$M2/$DEV/pd/lab/mw/rm-rf/status")" \
	    "unbound type=2 rights=remote_read"
	check "its bind is a comment" grep -q \
	    "^# its queue pair must be connected first: put .*'bind a 0 8 remote_read qp=q'" \
	    "$T/script"
	umount "$M2"
fi

# Some of it: what it is in is made, and what it needs is not taken for granted.
restored "a window alone" mw name=w
is "its domain is made" "$(sed 's/ .*//' "$M2/$DEV/list" | tr '\n' ' ')" \
    "pd/lab pd/lab/mw/w "
check "its bind is a comment" grep -q \
    "^# its region is not among what was asked for: put .*'bind a 4096 100" \
    "$T/script"
umount "$M2"
restored "a mapping alone" mem
is "its queue pair is made" "$(sed 's/ .*//' "$M2/$DEV/list" | tr '\n' ' ')" \
    "pd/lab pd/lab/qp/q pd/lab/qp/q/mem/far "
umount "$M2"
restored "one domain's" "$DEV/pd/lab" mr mw
is "regions and windows" "$(grep -c '' "$M2/$DEV/pd/lab/list")" 10
is "bound" "$(cut -d ' ' -f 1-4 "$M2/$DEV/pd/lab/mw/w/status")" \
    "bound type=1 mr=a offset=4096"
umount "$M2"

# What a command is refused, the script says; what cannot be read, rdmals.
ls_ --restore "$DEV/pd/1"
sed "s|^mkdir '$DEV/pd/1'|&; put '$DEV/pd/1' 'nothing at all'|" "$T/got" \
    >"$T/script"
fresh
sh "$T/script" "$M2" >"$T/refused" 2>&1
is "a refused command: status" $? 1
check "the reason" grep -q "^EINVAL: unknown verb" "$T/refused"
umount "$M2"
as_user 1001 "$RDMALS" -m "$M" --restore "$DEV/pd/1" >"$T/got" 2>"$T/err"
is "another's objects: status" $? 1
like "are told" "$(cat "$T/err")" "rdmals: $M/$DEV/pd/1/ctl: Permission denied"
check "and missing" grep -q "^# $DEV/pd/1 is missing: its ctl cannot be read" \
    "$T/got"
is "the script makes nothing then" "$(grep -c '^mkdir' "$T/got")" 0

# A user's own objects, by that user.
chmod 1777 "$D/pd"
as_user 1001 mkdir "$P/mine" "$P/mine/mr/r"
as_user 1001 put "$P/mine/mr/r/ctl" reg 4K
as_user 1001 chmod 0500 "$P/mine"
as_user 1001 "$RDMALS" -m "$M" --restore owner=1001 mr pd >"$T/script"
fresh
chmod 1777 "$M2/$DEV/pd"
check "a user's own script" as_user 1001 sh "$T/script" "$M2"
is "makes what was his" "$(cut -d ' ' -f 1-2 "$M2/$DEV/pd/mine/mr/r/status")" \
    "active length=4096"
is "with its mode" "$(stat -c %a "$M2/$DEV/pd/mine")" 500
umount "$M2"

# Of what he cannot read nothing is set, and nothing of a device's.
mkdir "$P/mine/mw/w"
as_user 1001 "$RDMALS" -m "$M" --restore >"$T/script" 2>"$T/err"
is "another's window is missing" \
    "$(grep -c "^# $DEV/pd/mine/mw/w is missing" "$T/script")" 1
is "and not given away" "$(grep -c "^ch.*mine/mw/w" "$T/script")" 0
is "nor is a device's directory" "$(grep -c "^ch.*'$DEV/pd'" "$T/script")" 0
fresh
chmod 1777 "$M2/$DEV/pd"
check "so the script runs" as_user 1001 sh "$T/script" "$M2"
umount "$M2"
finish
