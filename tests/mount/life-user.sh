#!/bin/sh
# SPDX-License-Identifier: MIT
# Without root the mount is the user's own, and the lock limit is his.
# fusermount3 wants him to have a name: he is nobody.
. "$(dirname "$0")/lib.sh"

command -v fusermount3 >/dev/null || skip "no fusermount3"
[ -e /etc/mtab ] || skip "no /etc/mtab, which fusermount3 reads to unmount"
stop
mkdir "$T/his"
chown 65534:65534 "$T/his"
chmod 755 "$T"
cp "$RDMAFS" "$T/rdmafs"	# which he may not reach where it is
as_user 65534 prlimit --memlock=1048576:1048576 "$T/rdmafs" -f --soft 1 \
    "$T/his" >>"$T/log" 2>&1 &
pid=$!
n=0
until as_user 65534 cat "$T/his/version" >/dev/null 2>&1; do
	n=$((n + 1))
	kill -0 $pid || break
	[ $n -lt 250 ] || break
	sleep 0.02
done
pd=$T/his/soft0/pd
check "he makes a domain" as_user 65534 mkdir "$pd/lab" "$pd/lab/mr/a"
is "it is his" "$(as_user 65534 stat -c %u:%g "$pd/lab")" 65534:65534
fails EACCES cat "$T/his/version"
check "a region within the limit" as_user 65534 put "$pd/lab/mr/a/ctl" reg 64K
mr=$pd/lab/mr/b
as_user 65534 mkdir "$mr"
fails ENOMEM as_user 65534 put "$mr/ctl" reg 4M
like "beyond it: need, limit and what is locked" \
    "$(as_user 65534 head -n 1 "$mr/error")" 'ENOMEM: *4194304*1048576*65536*'
fails EPERM as_user 65534 mkdir "$T/his/foo"
check "he unmounts it" as_user 65534 fusermount3 -u "$T/his"
wait $pid
is "the daemon ends with status 0" $? 0
start
finish
