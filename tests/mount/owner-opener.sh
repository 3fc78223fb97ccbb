#!/bin/sh
# SPDX-License-Identifier: MIT
# A descriptor acts for who opened it, whoever writes to it.
. "$(dirname "$0")/lib.sh"

command -v perl >/dev/null || skip "no perl"
chmod 1777 "$P"
as_user 2001 mkdir "$P/lab" "$P/lab/mw/w"
mkdir "$P/lab/mr/roots"
put "$P/lab/mr/roots/ctl" reg 8K local_write mw_bind
window=$P/lab/mw/w

# opened_by UID FILE LINE: opened by UID, written by root
# shellcheck disable=SC2016,SC2317 # it is perl, and is called
opened_by() {
	perl -e '
		my ($uid, $file, $line) = @ARGV;
		$) = "$uid $uid"; $> = $uid;
		open(my $f, ">", $file) or die "$!\n";
		$> = 0; $) = "0 0";
		defined syswrite($f, "$line\n") or die "$!\n"' "$@"
}

fails EACCES as_user 2001 put "$window/ctl" bind roots
says "$window/error" 'EACCES: '
fails EACCES opened_by 2001 "$window/ctl" 'bind roots'
check "opened by root, root writes" opened_by 0 "$window/ctl" 'bind roots'
put "$window/ctl" invalidate

# shellcheck disable=SC2016 # it is the shell's
check "opened by root, a user writes" sh -c '
	exec setpriv --reuid=2001 --regid=2001 --clear-groups \
	    sh -c "echo bind roots >&3" 3>"$1"' sh "$window/ctl"
like "it is bound" "$(cat "$window/status")" 'bound *'
like "the log has the writer" "$(as_user 2001 cat "$M/errors")" \
    '*uid=2001 *mw/w/ctl EACCES*'
is "not more than his" "$(as_user 2001 grep -c . "$M/errors")" 1
check "clear errors is the opener's too" opened_by 2001 "$M/ctl" 'clear errors'
is "they are gone" "$(as_user 2001 cat "$M/errors")" ''
finish
