#!/bin/sh
# SPDX-License-Identifier: MIT
# Of several lines the one that was refused has its number in error.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/a"
a=$P/lab/mr/a

# send: one write(2) of the lines
send() {
	dd of="$a/ctl" bs=64K status=none
}

printf 'rights none\nrights foo\n' | send 2>/dev/null
is "a word that is wrong" "$(sed 's/;.*//' "$a/error")" \
    "EINVAL: line 2: no such right
rights foo
       ^"
printf 'rights remote_read\n\n# x\ndereg\nrights none\n' | send 2>/dev/null
is "a command that fails" "$(cat "$a/error")" \
    "ENODATA: line 4: not registered
dereg
^"
is "the lines before it stay done" "$(cat "$a/rights")" 'local_read remote_read'
printf 'rights none\nfrob\n' | send 2>/dev/null
is "words are checked before any line runs" "$(cat "$a/rights")" \
    'local_read remote_read'
printf 'dereg\n' | send 2>/dev/null
is "one line has no number" "$(sed -n 1p "$a/error")" 'ENODATA: not registered'
finish
