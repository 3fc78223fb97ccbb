#!/bin/sh
# SPDX-License-Identifier: MIT
# A line has at most 4095 bytes, a write 64 KiB, and one of 4096 or more ends
# in a newline; else it is EMSGSIZE and nothing of it runs.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
r=$P/lab/mr/r
# command_of LENGTH: reg 4K, with blanks to be so long
command_of() {
	printf "%-${1}s" 'reg 4K'
}
# runs WHAT / refused WHAT: what is in $T/in, as one write
runs() {
	check "$1" feed "$r/ctl" <"$T/in"
	check "it has run" put "$r/ctl" dereg
}
refused() {
	say "$1"
	fails EMSGSIZE feed "$r/ctl" <"$T/in"
	like "it has not run" "$(cat "$r/status")" "unregistered *"
}

command_of 4095 >"$T/in"
runs "4095 bytes without a newline"
echo >>"$T/in"
runs "4096 bytes, the last a newline"
command_of 4096 >"$T/in"
refused "4096 bytes without a newline"
echo >>"$T/in"
refused "a line of 4096 bytes"
{ command_of 4095; echo; echo '#'; } >"$T/in"
runs "a long line and a short one"
{ command_of 4095; echo; printf '#'; } >"$T/in"
refused "4097 bytes without a newline at the end"
{ command_of 6; printf '\n%-4096s\n' '#'; } >"$T/in"
refused "a comment of 4096 bytes"

{ echo 'reg 4K'; yes '# seven' | head -n 9000; } | head -c 65535 >"$T/in"
echo >>"$T/in"
is "64 KiB" "$(wc -c <"$T/in")" 65536
runs "64 KiB"
echo >>"$T/in"
refused "one byte over 64 KiB"
finish
