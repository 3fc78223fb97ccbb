#!/bin/sh
# SPDX-License-Identifier: MIT
# awk, sed, tee and bash cut long output at 4096 or 8192 bytes in the middle of
# a line: what was cut off is refused, too, through the next newline, so that
# no half of a line ever runs.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
r=$P/lab/mr/r
# The half behind the cut is a command of its own.
{ printf '#%4095s' ''; echo 'reg 4K'; } >"$T/long"
{ yes '# line' | head -n 584; printf '# xxxxxx'; echo 'reg 4K'; } >"$T/many"
is "many is cut before reg" "$(head -c 4096 "$T/many" | tail -n 1)" '# xxxxxx'
{ printf '#%8191s' ''; echo 'reg 4K'; } >"$T/longer"
# untouched WHAT
untouched() {
	like "$1 runs no half line" "$(cat "$r/status")" "unregistered *"
}

awk 1 "$T/long" >"$r/ctl" 2>"$T/err"
untouched "awk"
awk 1 "$T/many" >"$r/ctl" 2>"$T/err"
untouched "awk, many lines"
sed '' "$T/long" >"$r/ctl" 2>"$T/err"
untouched "sed"
sed '' "$T/many" >"$r/ctl" 2>"$T/err"
untouched "sed, many lines"
tee "$r/ctl" <"$T/longer" >"$T/out" 2>"$T/err"
untouched "tee"
dd if="$T/long" of="$r/ctl" bs=4096 conv=notrunc 2>"$T/err"
untouched "dd"
if command -v bash >/dev/null; then
	# shellcheck disable=SC2016 # it is bash's
	bash -c 'echo "$(<"$1")" >"$2"' bash "$T/long" "$r/ctl" 2>"$T/err"
	untouched "bash's echo"
fi

python3 - "$r/ctl" >"$T/log" 2>&1 <<'EOF'
import errno, os, sys
f = os.open(sys.argv[1], os.O_WRONLY)
g = os.open(sys.argv[1], os.O_WRONLY)
def write(f, text):
    try:
        return os.write(f, text)
    except OSError as e:
        return errno.errorcode[e.errno]
print(write(f, b"#" * 4096), write(f, b"reg 4K"), write(f, b"dereg"))
print(write(g, b"# other\n"), write(f, b"\nreg 8K\n"), write(f, b"reg 16K\n"))
print(write(f, b"#" * 5000 + b"\n"), write(f, b"rights remote_read\n"))
EOF
is "refused through the next newline, on that open file only" \
    "$(tr '\n' ' ' <"$T/log")" \
    "EMSGSIZE EMSGSIZE EMSGSIZE 8 EMSGSIZE 8 EMSGSIZE 19 "
is "then lines run again" "$(cat "$r/length")" 16384
finish
