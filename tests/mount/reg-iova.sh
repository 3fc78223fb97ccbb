#!/bin/sh
# SPDX-License-Identifier: MIT
# iova= chooses the remote address; its low 12 bits are the memory's (M5).
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
check "iova= is taken" put "$r/ctl" \
    "reg 8K local_write mw_bind iova=0x7000000000"
is "addr is it" "$(cat "$r/addr")" 0x0000007000000000
is "translation begins there" "$(cut -d ' ' -f 1 "$r/translation" |
    tr '\n' ' ')" "0x0000007000000000 0x0000007000001000 "
put "$P/lab/mw/w/ctl" bind r 16 100
is "a window counts from it" "$(cat "$P/lab/mw/w/addr")" 0x0000007000000010
put "$P/lab/mw/w/ctl" invalidate
echo hello >"$r/data"
put "$r/rights" +remote_read
is "rereg keeps it" "$(cat "$r/addr")" 0x0000007000000000
is "and the bytes" "$(head -n 1 "$r/data")" hello
put "$r/ctl" dereg
check "0 is an address" put "$r/ctl" reg 4K iova=0
is "it stands" "$(cat "$r/addr")" 0x0000000000000000
put "$r/ctl" dereg
for iova in 1 0x7000000008 0xfffffffffffff000 0xffffffffffffffff -1 4Q ''; do
	fails EINVAL put "$r/ctl" "reg 8K iova=$iova"
done
fails EINVAL put "$r/ctl" reg 8K iova=0 iova=4096
fails EINVAL put "$r/ctl" reg iova=4096
like "nothing is registered" "$(cat "$r/status")" "unregistered *"
finish
