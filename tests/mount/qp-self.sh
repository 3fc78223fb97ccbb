#!/bin/sh
# SPDX-License-Identifier: MIT
# A queue pair that is connected to itself, and two of one device.
. "$(dirname "$0")/peers.sh"

mkdir "$A" "$A/mr/r" "$A/mr/s" "$A/qp/q"
q=$A/qp/q
put "$A/mr/r/ctl" reg 64K local_write
put "$A/mr/s/ctl" reg 64K "$all"
check "it is connected to itself" join "$q" "$q"
is "remote is local" "$(cat "$q/remote")" "$(cat "$q/local")"
put "$A/mr/r/data" 'my own words'
check "a write" put "$q/ctl" write r 0 12 "$(at "$A/mr/s" 4000)"
is "is there" "$(bytes "$A/mr/s/data" 4000 12)" 'my own words'
check "a read" put "$q/ctl" read r 32768 12 "$(at "$A/mr/s" 4000)"
is "is here" "$(bytes "$A/mr/r/data" 32768 12)" 'my own words'
put "$q/ctl" recv s 0 100
check "a send" put "$q/ctl" send r 3 3 imm=9
is "is received" "$(bytes "$A/mr/s/data" 0 3)" own
is "wc has both ends" "$(sed 's/^[0-9]* [0-9.]* //' "$q/wc" | sort)" \
    "$(printf '%s\n' 'rdma_read success bytes=12' 'rdma_write success bytes=12' \
    'recv success bytes=3 imm=9' 'send success bytes=3' | sort)"
mkdir "$q/mem/m"
# shellcheck disable=SC2046 # two words
set -- $(at "$A/mr/s")
put "$q/mem/m/ctl" map "$1" 64K "$2"
check "a mapping" cmp "$q/mem/m/data" "$A/mr/s/data"

mkdir "$A/qp/x" "$A/qp/y"
join "$A/qp/x" "$A/qp/y"
check "two of one domain" put "$A/qp/x/ctl" write r 0 12 "$(at "$A/mr/s" 100)"
is "is there" "$(bytes "$A/mr/s/data" 100 12)" 'my own words'
mkdir "$P/c" "$P/c/qp/z"
put "$A/qp/y/ctl" reset
put "$A/qp/x/ctl" reset
join "$A/qp/x" "$P/c/qp/z"
refuses "$A/qp/x" EACCES 'rdma_write: rem_access_err*' \
    write r 0 12 "$(at "$A/mr/s" 200)"
is "a key of a domain that is not the peer's opens nothing (P1)" \
    "$(bytes "$A/mr/s/data" 200 12 | tr -d '\0')" ''
finish
