#!/bin/sh
# SPDX-License-Identifier: MIT
# The file limits: what it reads as, what it takes, and that these are the same.
. "$(dirname "$0")/lib.sh"

none='default mr=max mw=max qp=max pd=max bytes=max'
is "without limits" "$(cat "$D/limits")" "$none"
is "it is root's" "$(stat -c %a:%u "$D/limits")" 644:0
is "usage is for reading" "$(stat -c %a:%u "$D/usage")" 444:0
put "$D/limits" default mw=100
put "$D/limits" 1000 bytes=1G mr=10
put "$D/limits" 7 qp=0x10
full='default mr=max mw=100 qp=max pd=max bytes=max
7 qp=16
1000 mr=10 bytes=1073741824'
is "set, in order of uid" "$(cat "$D/limits")" "$full"
cat "$D/limits" >"$T/kept"
lines "$D/limits" 'default mw=max\n7 qp=default\n1000 mr=max bytes=default\n'
is "taken back; max is a limit of his own" "$(cat "$D/limits")" \
    "$none
1000 mr=max"
put "$D/limits" 1000 mr=default
is "a line with nothing in it goes" "$(cat "$D/limits")" "$none"
check "what it prints it takes" feed "$D/limits" <"$T/kept"
is "all of it" "$(cat "$D/limits")" "$full"
is "it says how long it is" "$(stat -c %s "$D/limits")" \
    "$(wc -c <"$T/kept")"
check "blank lines and comments are nothing" lines "$D/limits" '# x\n\n'

# refused REASON LINE...: it changes nothing
refused() {
	reason=$1
	shift
	fails EINVAL put "$D/limits" "$*"
	says "$D/error" "EINVAL: $reason"
}
refused 'no limit is given: mr= mw= qp= pd= bytes=' 1000
refused 'nothing stands behind the default' default mr=default
refused "WHO: not a user's id, nor default" root mr=1
refused "WHO: not a user's id, nor default" 4294967295 mr=1
refused "WHO: not a user's id, nor default" -1 mr=1
refused 'mr=LIMIT: not a limit: ' 1000 mr=many
refused 'mr=LIMIT: not a limit: ' 1000 mr=-1
refused 'mr=LIMIT: not a limit: ' 1000 mr=
refused 'no such option; there are: mr=LIMIT mw=LIMIT' 1000 cq=1
refused 'mr=LIMIT is given twice: ' 1000 mr=1 mr=2
refused 'a word too many: ' 1000 max
refused 'WHO is missing: ' mr=1
fails EINVAL lines "$D/limits" '7 qp=1\n7 qp=1x\n'
is "of several lines too" "$(cat "$D/limits")" "$full"
says "$D/error" 'EINVAL: line 2: qp=LIMIT: not a limit'
fails EACCES put "$D/usage" 7 qp=1
for name in limits usage; do
	fails EINVAL mkdir "$P/$name"
done
finish
