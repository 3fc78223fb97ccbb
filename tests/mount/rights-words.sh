#!/bin/sh
# SPDX-License-Identifier: MIT
# What the rights file takes: a list replaces, + and - change, none, a number;
# all of it or nothing.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
r=$P/lab/mr/r/rights
# becomes TEXT RIGHTS
becomes() {
	check "$1" put "$r" "$1"
	is "is then" "$(cat "$r")" "$2"
}

is "they start as none" "$(cat "$r")" local_read
becomes remote_read "local_read remote_read"
becomes "local_write mw_bind" "local_read local_write mw_bind"
becomes "remote_read,mw_bind" "local_read remote_read mw_bind"
becomes "mw_bind, local_write ,remote_read" \
    "local_read local_write remote_read mw_bind"
becomes "+remote_write" "local_read local_write remote_read remote_write mw_bind"
becomes "-remote_read -mw_bind" "local_read local_write remote_write"
becomes "+remote_read,-remote_write" "local_read local_write remote_read"
becomes "+remote_read" "local_read local_write remote_read"
becomes "-remote_atomic" "local_read local_write remote_read"
becomes none local_read
becomes 0x5 "local_read local_write remote_read"
becomes 0xf "local_read local_write remote_read remote_write remote_atomic"
becomes 0 local_read
becomes local_read local_read
becomes 020 "local_read mw_bind"
becomes relaxed_ordering "local_read relaxed_ordering"

becomes remote_read "local_read remote_read"
for wrong in "+remote_read mw_bind" "mw_bind -remote_read" "none mw_bind" \
    "mw_bind none" "+mw_bind -mw_bind" "remote_write" "+remote_write" \
    "REMOTE_READ" "read" "remote_read mw_bin" "-local_read" "0xf mw_bind" \
    "mw_bind 1" "0x1ffffffff" "-1" "0x80000000" "+" "mw_bind +" "+0x5"; do
	fails EINVAL put "$r" "$wrong"
done
is "nothing has changed" "$(cat "$r")" "local_read remote_read"
check "the verb, too" put "${r%rights}ctl" "rights +mw_bind"
is "changes them" "$(cat "$r")" "local_read remote_read mw_bind"
fails EINVAL put "${r%rights}ctl" rights
check "what it prints, it takes" lines "$r" "$(cat "$r")"
is "and is the same" "$(cat "$r")" "local_read remote_read mw_bind"
finish
