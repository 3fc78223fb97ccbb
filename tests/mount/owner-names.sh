#!/bin/sh
# SPDX-License-Identifier: MIT
# A reason names an object to who could see it, and to nobody else, whosever
# the object is that the command is on.
. "$(dirname "$0")/lib.sh"

# hides WHAT TEXT WORD
hides() {
	case $2 in
	*$3*)	report 1 "$1"; say "$2" ;;
	*)	report 0 "$1" ;;
	esac
}

chmod 777 "$P"
mkdir "$P/lab" "$P/lab/qp/a" "$P/lab/qp/b"
put "$P/lab/qp/a/ctl" connect "$(cat "$P/lab/qp/b/local")"
put "$P/lab/qp/b/ctl" connect "$(cat "$P/lab/qp/a/local")"
as_user 2001 mkdir -m 700 "$P/hers"
as_user 2001 mkdir "$P/hers/mr/hidden"
as_user 2001 put "$P/hers/mr/hidden/ctl" reg 4K remote_read
chmod 777 "$P/lab/qp/a/mem"
mem=$P/lab/qp/a/mem/m
as_user 2002 mkdir "$mem"
# His access with her key over root's queue pair.
as_user 2002 put "$mem/ctl" map "$(cat "$P/hers/mr/hidden/addr")" 4K \
    "$(cat "$P/hers/mr/hidden/rkey")"
fails EACCES as_user 2002 head -c 4 "$mem/data"
like "it is refused" "$(cat "$mem/error")" 'EACCES: rdma_read: rem_access_err: *'
hides "her region is not named to him" "$(cat "$mem/error")" hidden
like "it stands in his errors" "$(as_user 2002 tail -n 1 "$M/errors")" \
    '*rem_access_err*'
hides "without her region" "$(as_user 2002 cat "$M/errors")" hidden

put "$P/lab/qp/a/ctl" reset
put "$P/lab/qp/b/ctl" reset
put "$P/lab/qp/a/ctl" connect "$(cat "$P/lab/qp/b/local")"
put "$P/lab/qp/b/ctl" connect "$(cat "$P/lab/qp/a/local")"
mkdir "$P/lab/mr/r"
put "$P/lab/mr/r/ctl" reg 4K local_write
fails EACCES put "$P/lab/qp/a/ctl" "read r 0 4 $(
    cat "$P/hers/mr/hidden/addr" "$P/hers/mr/hidden/rkey" | tr '\n' ' ')"
like "it is to root" "$(cat "$P/lab/qp/a/error")" \
    '*: */pd/hers/mr/hidden has 4096 bytes *'

# What keeps a directory, and a region.
fails EBUSY as_user 2002 rmdir "$P/hers"
hides "what is in it is not named to him" \
    "$(as_user 2002 cat "$M/errors")" hidden
like "but counted" "$(as_user 2002 tail -n 1 "$M/errors")" \
    '*EBUSY: 1 object is in this domain:*'
fails EBUSY as_user 2001 rmdir "$P/hers"
like "it is to her" "$(cat "$P/hers/error")" \
    'EBUSY: 1 object is in this domain: mr/hidden*'
mkdir "$P/both"
chmod 777 "$P/both/mr"
chmod 700 "$P/both/mw"
as_user 2002 mkdir "$P/both/mr/his"
as_user 2002 put "$P/both/mr/his/ctl" reg 4K mw_bind
mkdir "$P/both/mw/covert"
put "$P/both/mw/covert/ctl" bind his
fails EBUSY as_user 2002 put "$P/both/mr/his/ctl" dereg
says "$P/both/mr/his/error" 'EBUSY: 1 window is bound to this region:'
hides "a window is not named to him" "$(cat "$P/both/mr/his/error")" covert
fails EBUSY put "$P/both/mr/his/ctl" dereg
like "it is to root" "$(sed -n 1p "$P/both/mr/his/error")" '*: mw/covert'
finish
