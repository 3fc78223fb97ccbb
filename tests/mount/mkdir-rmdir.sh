#!/bin/sh
# SPDX-License-Identifier: MIT
# mkdir makes an object, rmdir destroys it; elsewhere nobody may make any.
. "$(dirname "$0")/lib.sh"

check "a domain is made" mkdir "$P/a"
check "a region in it" mkdir "$P/a/mr/r"
check "a window in it" mkdir "$P/a/mw/w"
check "all at once" mkdir -p "$P/b/mr/r"
like "a domain is active" "$(cat "$P/a/status")" "active mr=1 mw=1 *"
like "a region unregistered" "$(cat "$P/a/mr/r/status")" "unregistered *"
like "a window unbound" "$(cat "$P/a/mw/w/status")" "unbound *"
fails EEXIST mkdir "$P/a"
fails EEXIST mkdir "$P/a/mr/r"
for d in "$M/x" "$D/x" "$D/attr/x" "$D/port/x" "$D/port/1/x" \
    "$D/port/1/gid/x" "$P/a/x" "$P/a/mr/r/x" "$P/a/mw/w/x"; do
	fails EPERM mkdir "$d"
done
fails ENOENT mkdir "$P/none/mr/r"
fails ENOTDIR mkdir "$P/a/ctl/r"
for d in "$D" "$P" "$D/attr" "$P/a/mr" "$P/a/mw" "$D/port/1"; do
	fails EPERM rmdir "$d"
done
fails ENOTDIR rmdir "$P/a/ctl"
fails ENOENT rmdir "$P/none"
fails EBUSY rmdir "$P/a"
says "$P/a/error" "EBUSY: 2 objects are in this domain: mr/r mw/w"
check "a window is destroyed" rmdir "$P/a/mw/w"
check "a region" rmdir "$P/a/mr/r"
check "a domain" rmdir "$P/a"
check "its name is gone" test ! -e "$P/a"
check "and can be used anew" mkdir "$P/a"
is "and is empty" "$(cat "$P/a/list")" ""
finish
