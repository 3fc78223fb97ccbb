#!/bin/sh
# SPDX-License-Identifier: MIT
# Each line of a batch may do what its opener could do by hand, no more: modes of
# directories on the path and of ctl, and the sticky bit.
. "$(dirname "$0")/lib.sh"

chmod 1777 "$P"
as_user 2001 mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mw/w"
as_user 2001 put "$P/lab/mr/a/ctl" reg 8K mw_bind
as_user 2002 mkdir "$P/other" "$P/other/mw/x"
# Both users may write the device's batch.
chgrp 3000 "$D" "$P/lab/mw" "$P/lab/mr" "$P/lab/mw/w"
chmod 660 "$D/batch"
chmod 775 "$P/lab/mw"
# member UID COMMAND...: of the group, too; a program, or put
# shellcheck disable=SC2317 # called by fails and check
member() (
	as="setpriv --reuid=$1 --regid=$1 --groups=3000 --inh-caps=-all"
	shift
	"$@"
)
# says_device PATTERN
says_device() {
	like "$1" "$(head -n 1 "$D/error")" "$1"
}

fails EACCES as_user 2002 put "$P/lab/batch" mw/w bind a
fails EACCES member 2002 put "$D/batch" pd/lab/mw/w bind a
says_device 'EACCES: line 1: you may not write the ctl of this object'
fails EACCES member 2002 put "$D/batch" pd/lab/mr/a dereg
fails EACCES member 2002 put "$D/batch" pd/lab destroy
check "his own he may" member 2002 put "$D/batch" pd/other/mw/x rights remote_read
check "the owner may" member 2001 put "$D/batch" pd/lab/mw/w bind a
check "and of his domain's" as_user 2001 put "$P/lab/batch" mw/w invalidate
# A ctl that the group may write, and a region that it may not use.
chmod 660 "$P/lab/mw/w/ctl"
fails EACCES member 2002 put "$D/batch" pd/lab/mw/w bind a
like "the region is asked as well" "$(head -n 1 "$P/lab/mw/w/error")" \
    'EACCES: you may not read the data of this region*'
check "what it may" member 2002 put "$D/batch" pd/lab/mw/w rights remote_read

# Directories on the path.
chmod 700 "$P/lab"
fails EACCES member 2002 put "$D/batch" pd/lab/mw/w rights none
says_device 'EACCES: line 1: you may not search a directory of the path'
fails EACCES member 2002 put "$D/batch" mkdir pd/lab/mw/v
chmod 755 "$P/lab"
chmod 700 "$P/lab/mw/w"
fails EACCES member 2002 put "$D/batch" pd/lab/mw/w rights none
chmod 755 "$P/lab/mw/w"
chmod 770 "$P/lab/mw"
check "again" member 2002 put "$D/batch" pd/lab/mw/w rights none

# What was allowed is asked again when modes change, on an open descriptor.
mkfifo "$T/go"
# shellcheck disable=SC2016 # it is the other shell's
setpriv --reuid=2002 --regid=2002 --groups=3000 --inh-caps=-all sh -c '
	exec 3>"$1"
	echo pd/lab/mw/w rights remote_read >&3
	echo first
	read -r go
	echo pd/lab/mw/w rights none >&3
	' sh "$D/batch" <"$T/go" >"$T/log" 2>&1 &
pid=$!
exec 4<>"$T/go"
tries=0
until [ -s "$T/log" ] || [ $tries -gt 500 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
chmod 700 "$P/lab"
echo go >&4
exec 4>&-
wait $pid
is "a first line may" "$(head -n 1 "$T/log")" first
says_device 'EACCES: line 2: you may not search a directory of the path'
like "a mode that has changed counts" "$(cat "$P/lab/mw/w/rights")" remote_read
chmod 755 "$P/lab"

# mkdir, rmdir, mv.
check "the group may make" member 2002 put "$D/batch" mkdir pd/lab/mw/his
is "it is his" "$(stat -c '%u %a' "$P/lab/mw/his")" '2002 755'
# shellcheck disable=SC2016 # it is the other shell's
check "with his umask" setpriv --reuid=2002 --regid=2002 --groups=3000 sh -c \
    'umask 027; exec 3>"$1"; umask 0; echo mkdir pd/lab/mw/his2 >&3' sh "$D/batch"
is "as it was at open" "$(stat -c '%u %a' "$P/lab/mw/his2")" '2002 750'
fails EACCES member 2002 put "$D/batch" mkdir pd/lab/mr/b
says_device 'EACCES: line 1: you may not write the directory of the path'
fails EEXIST member 2002 put "$D/batch" mkdir pd/lab/mr/a
fails EACCES member 2002 put "$D/batch" rmdir pd/lab/mr/a
fails EACCES member 2002 put "$D/batch" mv pd/lab/mr/a pd/lab/mr/b
fails EPERM member 2002 put "$D/batch" rmdir pd/lab
says_device "EPERM: line 1: it is another's, in a directory whose sticky bit *"
fails EPERM member 2002 put "$D/batch" mv pd/lab pd/mine
fails EPERM member 2002 put "$D/batch" mv pd/other pd/lab
check "without the bit it is the directory's" \
    member 2002 put "$D/batch" mv pd/lab/mw/w pd/lab/mw/v
chmod 1770 "$P/lab/mw"
fails EPERM member 2002 put "$D/batch" rmdir pd/lab/mw/v
check "his own he may take" member 2002 put "$D/batch" rmdir pd/lab/mw/his
check "its owner may take all" as_user 2001 put "$P/lab/batch" rmdir mw/his2
check "the same by hand" as_user 2001 rmdir "$P/lab/mw/v"
finish
