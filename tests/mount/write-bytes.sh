#!/bin/sh
# SPDX-License-Identifier: MIT
# NUL and control bytes other than tab and newline are EINVAL; nothing runs.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
r=$P/lab/mr/r
for byte in 000 001 007 010 013 014 015 033 037 177; do
	printf %b "reg 4K\n#\\0$byte\n" >"$T/in"
	fails EINVAL feed "$r/ctl" <"$T/in"
	says "$r/error" "EINVAL: "
done
printf 'reg 4K\r\n' >"$T/in"
fails EINVAL feed "$r/ctl" <"$T/in"
printf 'reg 4K\0' >"$T/in"
fails EINVAL feed "$r/ctl" <"$T/in"
like "nothing has run" "$(cat "$r/status")" "unregistered *"
is "error has no control byte itself" \
    "$(tr -d '\n -~' <"$r/error" | wc -c)" 0
printf 'reg\t4K # no comment\n' >"$T/in"
fails EINVAL feed "$r/ctl" <"$T/in"
printf '\303\244\n' >"$T/in"
fails EINVAL feed "$r/ctl" <"$T/in"
printf '# \303\244\treg\nreg\t4K\n' >"$T/in"
check "a tab, and a comment of any letters" feed "$r/ctl" <"$T/in"
is "have run" "$(cat "$r/length")" 4096
finish
