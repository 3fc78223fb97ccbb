#!/bin/sh
# SPDX-License-Identifier: MIT
# status of a queue pair and of a mapping, in words, and their lines in list.
. "$(dirname "$0")/peers.sh"

# now OBJECT WORDS: without what begins at owner=
now() {
	is "${1#"$M"/} is $2" "$(sed 's/ owner=.*//' "$1/status")" "$2"
}

peers
q=$A/qp/q
all=local_read,remote_read,remote_write,remote_atomic,mw_bind
rest="num=$(cat "$q/num") rights=$all"
now "$q" "rts type=rc $rest windows=0 mem=0"
like "owner, group and age are last" "$(cat "$q/status")" \
    "* mem=0 owner=$(id -u) group=$(id -g) made=[1-9]*"
mkdir "$q/mem/m"
now "$q" "rts type=rc $rest windows=0 mem=1"
now "$q/mem/m" unmapped
put "$q/mem/m/ctl" map 0x1000 8K 0x1234
now "$q/mem/m" 'mapped length=8192'
check "list has it" grep -q "^qp/q qp $(cat "$q/status")\$" "$A/list"
check "and its mapping" grep -q \
    "^qp/q/mem/m mem $(cat "$q/mem/m/status")\$" "$A/list"
check "the device's, too" grep -q "^pd/a/qp/q/mem/m mem " "$D/list"
like "the domain counts it" "$(cat "$A/status")" 'active mr=1 mw=0 qp=1 *'
before=$(stat -c %Y.%y "$q/status" | tr -d ' ')
put "$q/ctl" reset
check "mtime tells of a reset" \
    test "$(stat -c %Y.%y "$q/status" | tr -d ' ')" != "$before"
rest="num=$(cat "$q/num") rights=$all"
now "$q" "reset type=rc $rest windows=0 mem=1"
now "$q/mem/m" 'dead length=8192'
is "one line" "$(wc -l <"$q/status")" 1
finish
