#!/bin/sh
# SPDX-License-Identifier: MIT
# Who binds a window to a region must be one who may use its data: read it for
# remote_read or nothing, write it for the rest, and get there.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab"
chmod 777 "$P/lab/mr" "$P/lab/mw"
as_user 2001 mkdir "$P/lab/mr/a"
as_user 2002 mkdir "$P/lab/mw/w"
a=$P/lab/mr/a
as_user 2001 put "$a/ctl" reg 8K local_write mw_bind
chgrp 2002 "$a"

# may RIGHTS, maynot RIGHTS: bind the window
may() {
	check "$1: may" as_user 2002 put "$P/lab/mw/w/ctl" bind a 0 4K "$1"
}

maynot() {
	fails EACCES as_user 2002 put "$P/lab/mw/w/ctl" bind a 0 4K "$1"
	says "$P/lab/mw/w/error" 'EACCES: you may not '
}

maynot none
maynot remote_read
maynot remote_write
chmod g+r "$a/data"
may none
may remote_read
maynot remote_write
maynot remote_atomic
maynot remote_read,remote_write
check "no rights, then more by the rights file: not those" \
    as_user 2002 put "$P/lab/mw/w/rights" none
fails EACCES as_user 2002 put "$P/lab/mw/w/rights" remote_write
chmod g=w "$a/data"
may remote_write
may remote_atomic
maynot remote_read
maynot none
chmod g=rw "$a/data"
may remote_read,remote_write
chmod 711 "$P/lab/mr"
may remote_read
chmod 700 "$P/lab/mr"
maynot remote_read
chmod 777 "$P/lab/mr"
chmod 700 "$a"
maynot remote_read
check "root may" put "$P/lab/mw/w/ctl" bind a 0 4K remote_write
finish
