#!/bin/sh
# SPDX-License-Identifier: MIT
# clone, hold and failure: what a limit refuses is not made, and nothing that did
# not come to be is counted.
. "$(dirname "$0")/fault.sh"

mkdir "$P/lab"
put "$D/limits" default mw=1
usage() {
	cat "$D/usage"
}
exec 3<>"$P/lab/mw/clone"
is "a clone counts" "$(usage)" "0 pd=1 mr=0 mw=1 qp=0 bytes=0"
# shellcheck disable=SC2016 # it is perl
fails EDQUOT perl -e 'open(my $f, "+<", $ARGV[0]) or die "$!\n"' \
    "$P/lab/mw/clone"
says "$P/lab/error" "EDQUOT: uid 0 has 1 of 1 windows on $DEV"
read -r name <&3
exec 3<&-
gone "$P/lab/mw/$name"
is "until it goes" "$(usage)" "0 pd=1 mr=0 mw=0 qp=0 bytes=0"

# fails_once CALL COMMAND...: nothing has changed
fails_once() {
	call=$1
	shift
	before=$(usage)
	fault fail "$call" 1 EIO
	fails EIO "$@"
	is "$call that fails counts nothing" "$(usage)" "$before"
	check "it succeeds now" "$@"
}
mkdir "$P/lab/mr/r"
fails_once pd_alloc mkdir "$P/other"
fails_once qp_create mkdir "$P/lab/qp/q"
fails_once mr_reg put "$P/lab/mr/r/ctl" reg 64K
fails_once mr_dereg put "$P/lab/mr/r/ctl" dereg
fails_once qp_destroy rmdir "$P/lab/qp/q"
fails_once pd_free rmdir "$P/other"

put "$D/limits" default bytes=64K
mkdir "$P/lab/mr/held"
fault hold mr_reg
put "$P/lab/mr/held/ctl" reg 40K &
writer=$!
fault held 1
is "one under way counts" "$(usage)" "0 pd=1 mr=2 mw=0 qp=0 bytes=40960"
fails EDQUOT put "$P/lab/mr/r/ctl" reg 40K
chown 2001 "$P/lab/mr/held"
is "and moves" "$(usage)" "0 pd=1 mr=1 mw=0 qp=0 bytes=0
2001 pd=0 mr=1 mw=0 qp=0 bytes=40960"
fault release
wait $writer
report $? "it ends well"
put "$P/lab/ctl" destroy
is "nothing is left" "$(usage)" ""
finish
