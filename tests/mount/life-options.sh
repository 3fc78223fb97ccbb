#!/bin/sh
# SPDX-License-Identifier: MIT
# Options that are wrong are told, those that only print do so and end.
. "$(dirname "$0")/lib.sh"

# wrong PATTERN OPTION...
wrong() {
	want=$1
	shift
	"$RDMAFS" "$@" >"$T/out" 2>&1
	status=$?
	like "$*" "$(cat "$T/out")" "*$want*"
	check "$*: its status is not 0" test $status -ne 0
}

mkdir "$T/m"
wrong 'no mount point is given'
wrong 'one mount point' "$T/m" "$T/n"
wrong "'x'" -x "$T/m"
wrong -- --soft -1 "$T/m"
wrong '0 to 64' --soft 65 "$T/m"
wrong '--soft' --soft x "$T/m"
wrong 'device none9' -f --device none9 "$T/m"
wrong 'device none9' --device none9 "$T/m"
wrong 'options of -o' -f -o nonsense "$T/m"
is "nothing is mounted" "$(grep -c "$T/m " /proc/self/mountinfo)" 0
is "--version" "$("$RDMAFS" --version)" "$(cat "$M/version")"
like "--help" "$("$RDMAFS" --help)" 'usage: rdmafs *--device NAME*'
like "--tree has files, modes and verbs" "$("$RDMAFS" --tree)" \
    '*/<dev>/pd/<pd>/mw/<mw>/ctl : bind MR *
/<dev>/pd/<pd>/mw/<mw>/rkey 0600
*'
finish
