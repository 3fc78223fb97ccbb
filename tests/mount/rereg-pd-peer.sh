#!/bin/sh
# SPDX-License-Identifier: MIT
# A peer's key of a region that has moved to another domain is dead, and the new
# one opens it over that domain's queue pairs only (P1).
. "$(dirname "$0")/peers.sh"

peers
a=$A/qp/q
other=${B%/*}/other
mkdir "$other" "$other/qp/q" "$A/qp/p"
join "$A/qp/p" "$other/qp/q"
old=$(at "$B/mr/r")
put "$B/mr/r/data" before
check "it opens" put "$a/ctl" read r 0 6 "$old"
check "it moves" put "$B/mr/r/ctl" rereg pd=other
refuses "$a" EACCES '* rem_access_err: *' read r 0 6 "$old"
new=$(at "$other/mr/r")
check "over its domain's" put "$A/qp/p/ctl" read r 100 6 "$new"
is "with its data" "$(bytes "$A/mr/r/data" 100 6)" before
again
refuses "$a" EACCES '* rem_access_err: *(P1)' read r 0 6 "$new"
finish
