#!/bin/sh
# SPDX-License-Identifier: MIT
# mkdir of a domain waits for the device and can be killed: nothing is left.
. "$(dirname "$0")/fault.sh"

fault hold pd_alloc
mkdir "$P/lab" &
maker=$!
fault held 1
check "commands elsewhere go on" timeout $soon cat "$D/status" "$M/list"
kill -KILL $maker
ends $maker
fault release
until_true "nothing is left" grep -q ' pd=0 ' "$D/status"
check "the name is free" mkdir "$P/lab"
finish
