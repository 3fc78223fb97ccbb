#!/bin/sh
# SPDX-License-Identifier: MIT
# Colours, lines and the width of a terminal: only where there is one.
. "$(dirname "$0")/rdmals.sh"
command -v python3 >/dev/null || skip "no python3"

# on_terminal COLUMNS COMMAND...: what it prints on one, without carriage returns
on_terminal() {
	python3 - "$@" <<-'END' >"$T/got"
	import fcntl, os, pty, struct, sys, termios
	pid, fd = pty.fork()
	if pid == 0:
	    size = struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0)
	    fcntl.ioctl(1, termios.TIOCSWINSZ, size)
	    os.execvp(sys.argv[2], sys.argv[2:])
	out = b""
	while True:
	    try:
	        part = os.read(fd, 65536)
	    except OSError:
	        break
	    if not part:
	        break
	    out += part
	os.waitpid(pid, 0)
	sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
	END
}

# escapes: how many lines have some
escapes() {
	grep -c "$(printf '\033')" "$T/got"
}

fake
export TERM=xterm
unset NO_COLOR
on_terminal 200 "$RDMALS" -m "$R"
is "on a terminal there are colours" "$(escapes)" 7
check "the headline is bold" grep -q "^$(printf '\033\\[1m')KIND" "$T/got"
check "what is active is green" grep -q "$(printf '\033\\[32m')active" "$T/got"
sed "s/$(printf '\033')\\[[0-9]*m//g" "$T/got" >"$T/plain"
"$RDMALS" -m "$R" >"$T/pipe"
check "otherwise it is what a pipe gets" diff "$T/pipe" "$T/plain"
is "which has none" "$(grep -c "$(printf '\033')" "$T/pipe")" 0
NO_COLOR=1 on_terminal 200 "$RDMALS" -m "$R"
is "none with NO_COLOR" "$(escapes)" 0
NO_COLOR='' on_terminal 200 "$RDMALS" -m "$R"
is "an empty one does not count" "$(escapes)" 7
TERM=dumb on_terminal 200 "$RDMALS" -m "$R"
is "none with TERM=dumb" "$(escapes)" 0
on_terminal 200 "$RDMALS" -m "$R" --color=never
is "none with --color=never" "$(escapes)" 0
NO_COLOR=1 "$RDMALS" -m "$R" --color=always >"$T/got"
is "with --color=always in a pipe, too" "$(escapes)" 7
"$RDMALS" -m "$R" --color --tree >"$T/got"
is "in a tree" "$(escapes)" 6
"$RDMALS" -m "$R" --color -j >"$T/got"
is "never in JSON" "$(escapes)" 0

for width in 200 90 80 60 30 10 1; do
	for way in '' --tree; do
		# shellcheck disable=SC2086 # an option or none
		on_terminal $width "$RDMALS" -m "$R" --color=never $way
		is "no line with '$way' is over $width columns" \
		    "$(awk -v w=$width 'length > w' "$T/got")" ""
		# shellcheck disable=SC2086 # an option or none
		on_terminal $width "$RDMALS" -m "$R" --color=always $way
		is "colours take no room" \
		    "$(sed "s/$(printf '\033')\\[[0-9]*m//g" "$T/got" |
			awk -v w=$width 'length > w')" ""
	done
done
on_terminal 90 "$RDMALS" -m "$R" --color=never
check "rights are cut first" grep -q 'local_rea+\|local_read,*[a-z_]*+' "$T/got"
check "and the age is there still" grep -q 'AGE$' "$T/got"
on_terminal 80 env LC_ALL=C.UTF-8 "$RDMALS" -m "$R" --color=never --tree mw
is "lines are drawn with UTF-8" "$(tail -n 1 "$T/got" | sed 's/mw.*//')" \
    "    └── "
on_terminal 80 env LC_ALL=C "$RDMALS" -m "$R" --color=never --tree mw
is "and not without" "$(tail -n 1 "$T/got" | sed 's/mw.*//')" '    `-- '
printf 'lqpn=17 pid=78 comm=a\033[31mb\n' >"$R/x0/kernel/qp"
on_terminal 200 "$RDMALS" -m "$R" --color=never -k
is "no command's name can send escapes" "$(escapes)" 0
finish
