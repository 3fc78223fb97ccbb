#!/bin/sh
# SPDX-License-Identifier: MIT
# Who names a queue pair in a bind must be one who may write its ctl; who names
# a region in a data command must be one who may read its data to send from it,
# and write it for the rest.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab"
chmod 777 "$P/lab/mr" "$P/lab/mw" "$P/lab/qp"
as_user 2001 mkdir "$P/lab/mr/a" "$P/lab/qp/q"
as_user 2002 mkdir "$P/lab/mw/w" "$P/lab/mr/own" "$P/lab/qp/p"
a=$P/lab/mr/a
q=$P/lab/qp/q
p=$P/lab/qp/p
as_user 2001 put "$a/ctl" reg 8K local_write mw_bind
as_user 2002 put "$P/lab/mr/own/ctl" reg 8K \
    local_write mw_bind remote_read remote_write remote_atomic
as_user 2001 put "$q/ctl" connect "$(cat "$q/local")"
as_user 2002 put "$p/ctl" connect "$(cat "$p/local")"
chgrp 2002 "$a" "$q"

fails EACCES as_user 2002 cat "$q/wc"
fails EACCES as_user 2002 put "$q/ctl" reset
fails EACCES as_user 2002 mkdir "$q/mem/m"
if grep -qw 2 "$D/attr/mw_types"; then
	as_user 2002 put "$P/lab/mw/w/ctl" type 2
	fails EACCES as_user 2002 put "$P/lab/mw/w/ctl" bind own qp=q
	says "$P/lab/mw/w/error" 'EACCES: you may not '
	check "over one's own" as_user 2002 put "$P/lab/mw/w/ctl" bind own qp=p
	as_user 2002 put "$P/lab/mw/w/ctl" invalidate
	chmod g+w "$q/ctl"
	check "over one whose ctl one may write" \
	    as_user 2002 put "$P/lab/mw/w/ctl" bind own qp=q
	as_user 2002 put "$P/lab/mw/w/ctl" invalidate
	chmod 700 "$q"
	fails EACCES as_user 2002 put "$P/lab/mw/w/ctl" bind own qp=q
fi

at="$(cat "$P/lab/mr/own/addr") $(cat "$P/lab/mr/own/rkey")"
# may COMMAND, maynot COMMAND: over his queue pair
may() {
	check "may $1" as_user 2002 put "$p/ctl" "$1"
}

maynot() {
	fails EACCES as_user 2002 put "$p/ctl" "$1"
	says "$p/error" 'EACCES: you may not '
}

reads="write a 0 8 $at"
writes="read a 0 8 $at"
maynot "$reads"
maynot "$writes"
maynot 'send a 0 8'
maynot 'recv a 0 8'
maynot "fetch_add a 0 $at 1"
maynot "cmp_swap a 0 $at 1 2"
chmod g+r "$a/data"
may "$reads"
maynot "$writes"
maynot 'recv a 0 8'
may 'recv own 0 8'
may 'send a 0 8'
maynot "fetch_add a 0 $at 1"
maynot "cmp_swap a 0 $at 1 2"
chmod g=w "$a/data"
maynot "$reads"
maynot 'send a 0 8'
may "$writes"
may "fetch_add a 0 $at 1"
may "cmp_swap a 0 $at 1 2"
may 'recv a 0 8'
may 'send own 0 8'
chmod g=rw "$a/data"
chmod 700 "$a"
maynot "$reads"
maynot "$writes"
is "what was refused did not go over it" "$(cat "$p/state")" rts
finish
