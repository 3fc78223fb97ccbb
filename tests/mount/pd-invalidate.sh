#!/bin/sh
# SPDX-License-Identifier: MIT
# `invalidate` on a domain ends the key of every window in it; the windows
# stay, and can be bound again.
. "$(dirname "$0")/lib.sh"

mkdir "$P/l" "$P/l/mr/a" "$P/l/mw/v" "$P/l/mw/w" "$P/l/mw/unbound"
mkdir "$P/o" "$P/o/mr/a" "$P/o/mw/w"
for pd in l o; do
	put "$P/$pd/mr/a/ctl" reg 8K local_write mw_bind
	put "$P/$pd/mw/w/ctl" bind a 0 4K remote_write
done
put "$P/l/mw/v/ctl" bind a 0 4K remote_read

check "invalidate of a domain" put "$P/l/ctl" invalidate
for w in v w unbound; do
	like "$w is unbound" "$(cat "$P/l/mw/$w/status")" 'unbound *'
	fails ENODATA cat "$P/l/mw/$w/rkey"
done
like "no window is left at the region" "$(cat "$P/l/mr/a/status")" \
    '*windows=0 *'
like "another domain's window is bound" "$(cat "$P/o/mw/w/status")" 'bound *'
check "once more is no error" put "$P/l/ctl" invalidate
check "a window can be bound again" put "$P/l/mw/w/ctl" bind a
finish
