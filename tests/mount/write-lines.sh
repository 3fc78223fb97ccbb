#!/bin/sh
# SPDX-License-Identifier: MIT
# A write holds whole lines, each a command, run in order; blank lines and
# comments are no-ops; at its end no newline is needed.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
check "two lines in one write" lines "$r/ctl" 'rights mw_bind\nreg 4K\n'
like "have run in order" "$(cat "$r/status")" \
    "active length=4096 rights=local_read,mw_bind *"
check "three with blanks, tabs and comments" lines "$r/ctl" \
    '\n# a comment; and it'"'"'s free\n  \t\n\tdereg \n  # more\nreg\t8K\n\n'
is "have run" "$(cat "$r/length")" 8192
check "no newline is needed" lines "$r/ctl" dereg
like "it has run" "$(cat "$r/status")" "unregistered *"
check "nor in the last of several" lines "$r/ctl" 'reg 4K\ndereg\nreg 12K'
is "all have run" "$(cat "$r/length")" 12288
check "a comment only" lines "$r/ctl" '# nothing'
check "newlines only" lines "$r/ctl" '\n\n\n'
check "a blank only" lines "$r/ctl" ' '
is "error is ok then" "$(cat "$r/error")" ok
(
	echo dereg
	echo reg 4K
	echo rights none
) >"$r/ctl"
report $? "lines in writes of their own"
is "they have run" "$(cat "$r/length") $(cat "$r/rights")" "4096 local_read"
finish
