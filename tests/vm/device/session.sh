#!/bin/sh
# SPDX-License-Identifier: MIT
# The session of the README, at a shell, on a verbs device.
. "$(dirname "$0")/rdma.sh"

cd "$P" || exit
check "a domain is made" mkdir lab
check "a region" mkdir lab/mr/buf
check "it is registered" sh -c \
    'echo reg 64K local_write remote_read mw_bind >lab/mr/buf/ctl'
check "bytes are written" sh -c \
    'echo hello >lab/mr/buf/data'
is "and read" "$(head -c 6 lab/mr/buf/data)" hello
is "its rights" "$(cat lab/mr/buf/rights)" \
    "local_read local_write remote_read mw_bind"
check "a window is made" mkdir lab/mw/w
check "it is bound" sh -c \
    'echo bind buf 0 4K remote_write >lab/mw/w/ctl'
like "its key" "$(cat lab/mw/w/rkey)" "0x$(printf '[0-9a-f]%.0s' 1 2 3 4 5 6 7 8)"
fails EBUSY rmdir lab/mr/buf
is "the reason" "$(head -n 1 lab/mr/buf/error)" \
    "EBUSY: 1 window is bound to this region: mw/w"
check "the key is dead" sh -c \
    'echo invalidate >lab/mw/w/ctl'
like "the window lives on" "$(cat lab/mw/w/status)" "unbound *"
check "all goes" rmdir lab/mw/w lab/mr/buf lab
cd /
finish
