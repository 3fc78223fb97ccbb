#!/bin/sh
# SPDX-License-Identifier: MIT
# '...' quotes as in rc, '' inside stands for one quote.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
check "a quoted verb and words" put "$r/ctl" "'reg' '4K' 'mw_bind' remote_read"
is "are as without" "$(cat "$r/rights")" "local_read remote_read mw_bind"
check "half a word" put "$P/lab/mw/w/ctl" "bi'nd' 'r' 0 '4096'"
put "$P/lab/mw/w/ctl" invalidate
put "$r/ctl" dereg
check "an option's value" put "$r/ctl" "reg 4K iova='0x10000'"
is "is taken" "$(cat "$r/addr")" 0x0000000000010000
put "$r/ctl" dereg
fails EINVAL put "$r/ctl" "reg '4K"
says "$r/error" "EINVAL: *quote*"
fails EINVAL put "$r/ctl" "reg 4K'"
fails ENOENT put "$P/lab/mw/w/ctl" "bind 'x'"
fails EINVAL put "$P/lab/mw/w/ctl" "bind 'it''s'"
like "a quote in quotes is one" "$(cat "$P/lab/mw/w/error")" "*it''s*"
fails EINVAL put "$r/ctl" "'# reg' 4K"
fails EINVAL put "$r/ctl" "reg ''"
fails EINVAL put "$r/ctl" "reg '4 K'"
like "nothing has run" "$(cat "$r/status")" "unregistered *"
finish
