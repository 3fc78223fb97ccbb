#!/bin/sh
# SPDX-License-Identifier: MIT
# chgrp rdma pd; chmod 1775 pd: a group is let in, and nobody removes another's
# domain.
. "$(dirname "$0")/lib.sh"

fails EACCES as_user 2001 mkdir "$P/mine"
fails EACCES as_user 2001 cat "$P/clone"
chgrp 3000 "$P"
chmod 1775 "$P"
fails EACCES as_user 2001 mkdir "$P/mine"

# member UID COMMAND...
# shellcheck disable=SC2317 # it is called
member() {
	uid=$1
	shift
	setpriv --reuid="$uid" --regid="$uid" --groups=3000 "$@"
}

check "a member makes a domain" member 2001 mkdir "$P/mine"
check "and another one" member 2002 mkdir "$P/yours"
check "it is his" test "$(stat -c %u "$P/mine")" = 2001
fails EPERM member 2002 rmdir "$P/mine"
fails EPERM member 2002 mv "$P/mine" "$P/ours"
fails EACCES member 2002 mkdir "$P/mine/mr/a"
# shellcheck disable=SC2016 # it is the shell's
check "a member uses clone" member 2001 sh -c 'exec 3<>"$1"; read -r n <&3
	test -d "${1%clone}$n"' sh "$P/clone"
check "and removes what is his" member 2001 rmdir "$P/mine"
check "root removes any" rmdir "$P/yours"
finish
