#!/bin/sh
# SPDX-License-Identifier: MIT
# The usual ways to write a command: each runs it, and all but the shells'
# own echo name the reason of an error.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
echo 'reg 4K' >"$T/good"
printf 'reg 4K\nreg 8K\n' >"$T/bad"
# way NAME: function NAME writes file $1 to ctl
way() {
	command -v "${2:-sh}" >/dev/null || return
	"$1" "$T/good" >"$T/out" 2>&1
	report $? "$1 runs a command" || show "$T/out"
	put "$r/ctl" dereg || report 1 "it has run"
	"$1" "$T/bad" >"$T/out" 2>&1
	report $((! $?)) "$1 fails" || show "$T/out"
	says "$r/error" "EBUSY: "
	is "its first line has run" "$(cat "$r/length")" 4096
	put "$r/ctl" dereg
}
# shellcheck disable=SC2016,SC2317 # another shell's, and way calls them
{
dash_echo() { dash -c 'printf "%s\n" "$(cat "$1")" >"$2"' - "$1" "$r/ctl"; }
bash_echo() { bash -c 'echo "$(<"$1")" >"$2"' - "$1" "$r/ctl"; }
bash_printf() { bash -c 'printf "%s\n" "$(<"$1")" >"$2"' - "$1" "$r/ctl"; }
bin_echo() { /bin/echo "$(cat "$1")" >"$r/ctl"; }
bin_printf() { /usr/bin/printf '%s\n' "$(cat "$1")" >"$r/ctl"; }
cat_() { cat "$1" >"$r/ctl"; }
cat_append() { cat "$1" >>"$r/ctl"; }
cp_() { cp "$1" "$r/ctl"; }
tee_() { tee "$r/ctl" <"$1"; }
dd_() { dd if="$1" of="$r/ctl"; }
here() { cat >"$r/ctl" <<EOF
$(cat "$1")
EOF
}
awk_() { awk 1 "$1" >"$r/ctl"; }
sed_() { sed '' "$1" >"$r/ctl"; }
box_sh() { busybox sh -c 'echo "$(cat "$1")" >"$2"' - "$1" "$r/ctl"; }
box_cat() { busybox cat "$1" >"$r/ctl"; }
box_cp() { busybox cp "$1" "$r/ctl"; }
box_dd() { busybox dd if="$1" of="$r/ctl" conv=notrunc; }
box_tee() { busybox tee "$r/ctl" <"$1"; }
}

for name in bin_echo bin_printf cat_ cat_append cp_ tee_ dd_ here awk_ sed_; do
	way $name
done
way dash_echo dash
way bash_echo bash
way bash_printf bash
for name in box_sh box_cat box_cp box_dd box_tee; do
	way $name busybox
done
(echo nonsense >"$r/ctl") 2>"$T/err"
report $((! $?)) "dash's echo fails, too"
finish
