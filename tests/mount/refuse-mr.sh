#!/bin/sh
# SPDX-License-Identifier: MIT
# What a region's ctl refuses, with the reason and the word to blame.
. "$(dirname "$0")/refuse.sh"

mkdir "$P/lab" "$P/lab/mr/a"
ctl=$P/lab/mr/a/ctl

is "at first there is nothing" "$(cat "$P/lab/mr/a/error")" ok
refused "$ctl" EINVAL 'unknown verb; there are: reg *' frob 0
refused "$ctl" EINVAL 'LENGTH is missing: reg LENGTH *' reg 4
refused "$ctl" EINVAL '*length is zero*' 'reg 0' 4
refused "$ctl" EINVAL 'LENGTH: not a size *' 'reg 64Q' 4
refused "$ctl" EINVAL 'LENGTH: not a size *' 'reg -1' 4
refused "$ctl" EINVAL 'LENGTH: not a size *' 'reg 1e3' 4
refused "$ctl" EINVAL '*out of range*' 'reg 18446744073709551616' 4
case $DEV in
# Soft-RoCE claims to have no limit.
rxe*)	refused "$ctl" ENOMEM 'need 9223372036854775808 bytes*' \
	    'reg 9223372036854775808' ;;
*)	refused "$ctl" EINVAL '*over this device*' 'reg 9223372036854775808' 4 ;;
esac
refused "$ctl" EINVAL 'no such right; there are: *' 'reg 4K remote_writ' 8
refused "$ctl" EINVAL '*needs local_write (M2)' 'reg 4K remote_write' 7
refused "$ctl" EINVAL '*iova*(M5)' 'reg 4K iova=1' 7
refused "$ctl" EINVAL 'no such option; *' 'reg 4K foo=1' 8
refused "$ctl" EINVAL '+ and - *' 'reg 4K +remote_read' 7
refused "$ctl" EINVAL '3 is not the size of a huge page *' 'reg 4K huge=3' 7
refused "$ctl" EINVAL 'descriptor 77 is not open *' 'reg fd=77' 4
refused "$ctl" EINVAL 'a word too many*' 'destroy now' 8
refused "$ctl" EINVAL '*through clone' keep 0
refused "$ctl" ENODATA 'not registered' dereg 0
refused "$ctl" ENODATA 'not registered' 'rereg none' 0
refused "$P/lab/mr/a/rights" EINVAL 'no such right; *' foo 0
refused "$P/lab/mr/a/rights" EINVAL '*no right (M3)' 0x1000 0
check "a command that is well" put "$ctl" reg 4K mw_bind
is "leaves nothing" "$(cat "$P/lab/mr/a/error")" ok
refused "$ctl" EBUSY 'registered already, 4096 bytes; *' 'reg 4K' 0
finish
