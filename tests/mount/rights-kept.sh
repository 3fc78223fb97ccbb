#!/bin/sh
# SPDX-License-Identifier: MIT
# Before reg or bind rights are kept and read back; words given to reg or bind
# replace them all, none given means those kept.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
w=$P/lab/mw/w
put "$r/rights" local_write mw_bind
put "$r/ctl" reg 4096
is "reg without words takes those kept" "$(cat "$r/rights")" \
    "local_read local_write mw_bind"
put "$w/rights" remote_read remote_write
is "a window keeps its own" "$(cat "$w/rights")" "remote_read remote_write"
put "$w/ctl" bind r
is "bind takes them" "$(cat "$w/rights")" "remote_read remote_write"
put "$w/ctl" invalidate
put "$w/ctl" bind r remote_read
is "words replace them all" "$(cat "$w/rights")" remote_read
put "$w/ctl" invalidate
put "$w/ctl" bind r none
is "none is a word" "$(cat "$w/rights")" none
put "$w/ctl" invalidate
put "$r/ctl" dereg
put "$r/rights" mw_bind
put "$r/ctl" reg 4096 remote_read
is "so it is with reg" "$(cat "$r/rights")" "local_read remote_read"
put "$r/ctl" dereg
put "$r/ctl" reg 4096 none
is "and none" "$(cat "$r/rights")" local_read
put "$r/ctl" dereg
for right in local_write mw_bind relaxed_ordering; do
	fails EINVAL put "$w/rights" "$right"
done
fails EINVAL put "$w/rights" zero_based
is "a window's rights stay as they were" "$(cat "$w/rights")" none
finish
