#!/bin/sh
# SPDX-License-Identifier: MIT
# A registration under way delays nothing else.
. "$(dirname "$0")/fault.sh"

hold_reg
like "status tells of it" "$(cat "$P/lab/mr/held/status")" \
    'unregistered * busy=reg *'
check "its rights can be read" timeout $soon cat "$P/lab/mr/held/rights"
check "its directory can be listed" timeout $soon ls -l "$P/lab/mr/held"
check "so can the one above" timeout $soon ls -lR "$P/lab"
check "and all of the tree" timeout $soon find "$M"
check "list goes over it" timeout $soon cat "$M/list"
check "ctl of it can be read" timeout $soon cat "$P/lab/mr/held/ctl"

check "a region is made in its domain" timeout $soon mkdir "$P/lab/mr/b"
check "and a window" timeout $soon mkdir "$P/lab/mw/w"
check "rights of another region are kept" timeout $soon \
    dd if=/dev/null of="$P/lab/mr/b/rights" conv=notrunc status=none
check "a command on another region" put "$P/lab/mr/b/ctl" rights remote_read
check "a command on the domain's device" cat "$D/status"
check "a region is renamed" timeout $soon mv "$P/lab/mr/b" "$P/lab/mr/c"
check "and removed" timeout $soon rmdir "$P/lab/mr/c"
check "a window is removed" timeout $soon rmdir "$P/lab/mw/w"
check "a domain is made" timeout $soon mkdir "$P/other"
check "renamed" timeout $soon mv "$P/other" "$P/another"
check "with something in it" timeout $soon mkdir "$P/another/mr/a"
check "and destroyed" put "$P/another/ctl" destroy
check "the held one's own domain is renamed" timeout $soon mv "$P/lab" "$P/lab2"

fault release
wait "$writer"
is "the registration ends well" $? 0
like "and is there" "$(cat "$P/lab2/mr/held/status")" 'active length=65536 *'
finish
