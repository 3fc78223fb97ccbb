#!/bin/sh
# SPDX-License-Identifier: MIT
# Rights of a registered region are ibv_rereg_mr: memory and length stay, keys
# are read anew; with windows bound it is EBUSY.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
put "$r/ctl" reg 4096 remote_read
echo hello >"$r/data"
check "new rights" put "$r/rights" local_write remote_write mw_bind
is "stand" "$(cat "$r/rights")" "local_read local_write remote_write mw_bind"
is "the bytes stay" "$(head -n 1 "$r/data")" hello
check "by the verb" put "$r/ctl" rereg remote_read mw_bind
is "stand, too" "$(cat "$r/rights")" "local_read remote_read mw_bind"
check "+ and -" put "$r/rights" +local_write -remote_read
is "change those in force" "$(cat "$r/rights")" "local_read local_write mw_bind"
check "rereg without words" put "$r/ctl" rereg
is "keeps them" "$(cat "$r/rights")" "local_read local_write mw_bind"
old=$(cat "$r/rkey" "$r/lkey")
put "$r/rights" +remote_read
new=$(cat "$r/rkey" "$r/lkey")
case $(cat "$r/status") in
*rereg=emulated*) check "both keys have changed" test "$old" != "$new" ;;
*)	like "keys are there" "$new" "0x????????*" ;;
esac
fails EINVAL put "$r/rights" remote_write
is "a refused change leaves the keys" "$(cat "$r/rkey" "$r/lkey")" "$new"
is "and the rights" "$(cat "$r/rights")" \
    "local_read local_write remote_read mw_bind"
put "$P/lab/mw/w/ctl" bind r
fails EBUSY put "$r/rights" none
says "$r/error" "EBUSY: 1 window is bound to this region: mw/w"
fails EBUSY put "$r/ctl" rereg none
put "$P/lab/mw/w/ctl" invalidate
check "without the window it goes" put "$r/rights" none
put "$r/ctl" dereg
fails ENODATA put "$r/ctl" rereg remote_read
finish
