#!/bin/sh
# SPDX-License-Identifier: MIT
# The owner and the mode of every file; directories have what mkdir asked for.
. "$(dirname "$0")/lib.sh"

chmod 1777 "$P"
(umask 027 && as_user 2001 mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mw/w" \
    "$P/lab/qp/q" "$P/lab/qp/q/mem/m")

# modes DIRECTORY MODE...: of all that is in it
modes() {
	dir=$1
	shift
	is "${dir#"$M"/}" "$(cd "$dir" && find . -maxdepth 1 ! -name '*[0-9]' \
	    -printf '%m%u %f\n' | sed 's/2001/ user/; s/root/ root/' |
	    sort -k 3 | tr '\n' ',')" "$(printf '%s,' "$@")"
}

modes "$P/lab" '750 user .' '600 user batch' '600 user ctl' '400 user error' \
    '666 user events' '444 user list' '750 user mr' '750 user mw' '750 user qp' '444 user status'
modes "$P/lab/mr/a" '750 user .' '400 user addr' '600 user ctl' \
    '600 user data' '400 user error' '666 user events' '444 user length' '400 user lkey' \
    '644 user rights' '400 user rkey' '444 user status' \
    '400 root translation' '444 user windows'
modes "$P/lab/mw/w" '750 user .' '400 user addr' '600 user ctl' \
    '400 user error' '666 user events' '444 user length' \
    '644 user rights' '600 user rkey' \
    '444 user status' '444 user type'
modes "$P/lab/qp/q" '750 user .' '600 user ctl' '400 user error' \
    '666 user events' '444 user local' '750 user mem' '444 user num' '444 user remote' \
    '644 user rights' '444 user state' '444 user status' '444 user type' \
    '600 user wc'
modes "$P/lab/qp/q/mem/m" '750 user .' '400 user addr' '600 user ctl' \
    '600 user data' '400 user error' '444 user length' '400 user rkey' \
    '444 user status'
is "clone follows its directory" "$(stat -c %a "$P/lab/mr/clone")" 600
is "the group is the maker's too" "$(stat -c %g "$P/lab/mr/a/ctl")" 2001
for file in ctl:666 errors:444 list:444 status:444 version:444; do
	is "${file%:*}" "$(stat -c '%a %u' "$M/${file%:*}")" "${file#*:} 0"
done
is "the device's domains are as root says" "$(stat -c %a "$P")" 1777
finish
