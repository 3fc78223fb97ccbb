#!/bin/sh
# SPDX-License-Identifier: MIT
# A queue pair is made, renamed and destroyed; rmdir says EBUSY while there are
# mappings, but not for windows that are bound over it.
. "$(dirname "$0")/peers.sh"

peers
q=$B/qp/q
for name in status wc mem local num .q 'a b'; do
	fails EINVAL mkdir "$B/qp/$name"
done
fails EINVAL mkdir "$q/mem/data"
fails EPERM mkdir "$q/foo"
fails EPERM rmdir "$q/mem"
fails EEXIST mkdir "$q"
num=$(cat "$q/num")
check "it is renamed" mv "$q" "$B/qp/p"
is "and is the same" "$(cat "$B/qp/p/num")" "$num"
fails EOPNOTSUPP mv "$B/qp/p" "$B/mr/p"
mv "$B/qp/p" "$q"

mkdir "$q/mem/m" "$q/mem/n"
mv "$q/mem/n" "$q/mem/o"
report $? "a mapping is renamed, too"
fails EBUSY rmdir "$q"
says "$q/error" 'EBUSY: 2 mappings go over this queue pair: mem/m mem/o'
rmdir "$q/mem/m"
fails EBUSY rmdir "$q"
says "$q/error" 'EBUSY: 1 mapping goes over this queue pair: mem/o'
check "the device is still there" test "$(cat "$q/num")" = "$num"
put "$q/mem/o/ctl" destroy
gone "$q/mem/o"
fails EBUSY rmdir "$B"
like "the domain names it" "$(cat "$B/error")" \
    'EBUSY: 2 objects are in this domain: mr/r qp/q'

mkdir "$B/mw/w"
put "$B/mw/w/ctl" type 2
put "$B/mw/w/ctl" bind r qp=q
check "with a window it goes" rmdir "$q"
like "which is unbound" "$(cat "$B/mw/w/status")" 'unbound type=2 *'
mkdir "$q" "$q/mem/m"
check "destroy takes mappings along" put "$q/ctl" destroy
gone "$q"
mkdir "$q" "$q/mem/m"
check "and so does the domain's" put "$B/ctl" destroy
gone "$B"
check "rmdir of the other" rmdir "$A/qp/q"
finish
