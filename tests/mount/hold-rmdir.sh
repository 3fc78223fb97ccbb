#!/bin/sh
# SPDX-License-Identifier: MIT
# rmdir and mv do not wait for a registration.
. "$(dirname "$0")/fault.sh"

hold_reg
fails EBUSY timeout $soon rmdir "$P/lab/mr/held"
says "$P/lab/mr/held/error" 'EBUSY: reg is under way'
fails EBUSY timeout $soon mv -T "$P/lab/mr/held" "$P/lab/mr/fresh"
says "$P/lab/mr/held/error" 'EBUSY: reg is under way'
fails EBUSY timeout $soon rmdir "$P/lab"
says "$P/lab/error" 'EBUSY: 1 object is in this domain: mr/held'
fault release
wait "$writer"
is "the registration ends well" $? 0
check "then it can be renamed" mv "$P/lab/mr/held" "$P/lab/mr/fresh"
check "and removed" rmdir "$P/lab/mr/fresh"
finish
