#!/bin/sh
# SPDX-License-Identifier: MIT
# The first line of a batch that fails ends it: those before it stay done, those
# behind it and later writes do not run, and error has its number.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
r=$P/lab/mr/r
b=$P/lab/batch
fails EBUSY lines "$b" '# one\nmr/r reg 4K remote_read\n\nmr/r reg 8K\nmr/r dereg\n'
is "error has the number, the line and a caret" "$(cat "$P/lab/error")" \
    "EBUSY: line 4: $(sed -n '1s/EBUSY: //p' "$r/error")
mr/r reg 8K
     ^"
is "the object has it, too" "$(sed -n 2,3p "$r/error")" "reg 8K
^"
is "the line before stays done" "$(cat "$r/length")" 4096
is "errors has it once" "$(grep -c EBUSY "$M/errors")" 1
like "with the object's path" "$(tail -n 1 "$M/errors")" \
    "* $DEV/pd/lab/mr/r/ctl EBUSY: *"

# What is wrong is not looked for before its turn.
fails EINVAL lines "$b" 'mr/r dereg\nmr/r reg 4Q\nmkdir mw/no\n'
says "$P/lab/error" "EINVAL: line 2: LENGTH: not a size"
says "$r/error" "EINVAL: LENGTH: not a size"
like "the line before has run" "$(cat "$r/status")" 'unregistered *'
check "the one behind it has not" test ! -e "$P/lab/mw/no"

# refused LINE TEXT: with one line before it and one behind
refused() {
	lines "$b" "mr/r reg 4K mw_bind\n$1\nmr/r dereg\n" 2>/dev/null
	like "$1" "$(head -n 1 "$P/lab/error")" "$2"
	like "$1: is where it ends" "$(cat "$r/status")" 'active *'
	put "$r/ctl" dereg
}
refused 'mw/w fly' 'EINVAL: line 2: unknown verb; there are: type bind *'
refused 'mw/w' 'EINVAL: line 2: a verb is missing behind the path'
refused 'mw/none bind r' 'ENOENT: line 2: there is no object of this path'
refused 'mx/w bind r' 'ENOENT: line 2: there is no such directory on the path'
refused 'mw bind r' 'ENOENT: line 2: what has this path takes no commands: *'
refused 'mw/w/ctl bind r' 'ENOTDIR: line 2: ctl is a file: *'
refused 'mw/clone bind r' 'ENOTDIR: line 2: clone is a file: *'
refused 'status/x bind r' 'ENOTDIR: line 2: status is a file: *'
refused '/mw/w bind r' 'EINVAL: line 2: a path is names *'
refused 'mw//w bind r' 'EINVAL: line 2: a path *'
refused 'mw/ bind r' 'EINVAL: line 2: a path *'
refused './mw/w bind r' 'ENOENT: line 2: there is no such directory *'
refused 'mw/../mw/w bind r' 'ENOENT: line 2: *'
refused "$(printf '%0300d' 1) bind r" 'ENAMETOOLONG: line 2: *'
refused "mw/$(printf '%0256d' 1) bind r" 'ENAMETOOLONG: line 2: *'
refused 'mkdir' 'EINVAL: line 2: PATH is missing: mkdir PATH'
refused 'mkdir mw/w' 'EEXIST: line 2: w exists'
refused 'mkdir x' 'EPERM: line 2: nothing can be made here'
refused 'mkdir mw/w/x' 'EPERM: line 2: nothing can be made here'
refused 'mkdir mw/a+b' 'EINVAL: line 2: a name is letters*'
refused 'mkdir mw/batch' 'EINVAL: line 2: batch is the name of a fixed file'
refused 'rmdir mw/none' 'ENOENT: line 2: there is no such object'
refused 'rmdir mw' 'EPERM: line 2: mw is a fixed part of the tree'
refused 'mv mw/w' 'EINVAL: line 2: TO is missing: mv PATH TO'
refused 'mv mw/w qp/w' 'EOPNOTSUPP: line 2: an object stays in its directory'
refused 'mv mw/w mw/.w' 'EINVAL: line 2: a name is letters*'
refused "mw/w bind 'r" 'EINVAL: line 2: a quote is not closed'
refused 'mw/w bind r \007' 'EINVAL: line 2: byte 13 is the control character *'
refused 'mw/w bind r 0 8K' 'EINVAL: line 2: offset 0 and length 8192 do not *'
refused "# $(printf '%04094d' 1)" 'EMSGSIZE: line 2: a line of over 4095 bytes'
check "mv of a thing to itself does nothing" put "$b" mv mw/w mw/w

exec 3>"$b"
python3 - >"$T/log" 2>&1 <<'END'
import errno
def write(text):
    try:
        return os.write(3, text)
    except OSError as e:
        return errno.errorcode[e.errno]
import os
print(write(b"mkdir mw/a\nmkdir m"), write(b"w/b\n\n"), write(b"mw/a bind"))
print(write(b" none\nmkdir mw/c\n"), write(b"mkdir mw/d\n"), write(b"x"))
END
exec 3>&-
is "later writes fail with its errno" "$(tr '\n' ' ' <"$T/log")" \
    "18 5 9 ENOENT ENOENT ENOENT "
says "$P/lab/error" "ENOENT: line 4: there is no region of this name"
is "only what stands before it is done" \
    "$(cut -d ' ' -f 1 "$P/lab/list" | grep mw | tr '\n' ' ')" \
    'mw/w mw/a mw/b '
printf 'mkdir mw/e' >"$b"
tries=0
until grep -q closed "$P/lab/error" || [ $tries -gt 500 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
says "$P/lab/error" \
    "EINVAL: line 1: closed before its newline came: it has not run"
like "errors has it, too" "$(tail -n 1 "$M/errors")" \
    "* $DEV/pd/lab/batch EINVAL: line 1: closed before its newline came: *"
check "it has not run" test ! -e "$P/lab/mw/e"
put "$b" mkdir mw/f
printf '  # that is no command' >"$b"
put "$b" mkdir mw/g
is "a comment is nothing that has not run" "$(cat "$P/lab/error")" ok

put "$r/ctl" reg 4K
mkdir "$P/lab/qp/q"
put "$b" qp/q write r 0 1 0x12345678 0xabcdef01 2>/dev/null
is "keys are masked" "$(tail -n 2 "$P/lab/error")" \
    "qp/q write r 0 1 0x12345678 ***
     ^"
put "$b" qp/nobody write r 0 1 0x12345678 0xabcdef01 2>/dev/null
is "of a path that leads nowhere, too" "$(grep -c abcdef "$P/lab/error")" 0
put "$b" qx/nobody write r 0 1 0x12345678 0xabcdef01 2>/dev/null
is "and from the first step on" \
    "$(grep -Ec 'abcdef|12345678' "$P/lab/error")" 0
put "$b" 0xabcdef01 write 2>/dev/null
is "a key where a path should be, too" "$(grep -c abcdef "$P/lab/error")" 0
put "$b" rmdir mw/0xabcdef01 2>/dev/null
is "a key as a name in a path" "$(grep -c abcdef "$P/lab/error")" 0
put "$b" mv mw/w mw/2882400001/x 2>/dev/null
is "in decimal, too" "$(grep -c 2882400001 "$P/lab/error")" 0

# Its domain goes while it is open.
exec 3>"$b"
put "$P/lab/ctl" destroy
fails ENODEV bash -c 'echo mw/w invalidate >&3'
fails ENODEV bash -c 'echo mkdir mw/x >&3'
exec 3>&-
finish
