#!/bin/sh
# SPDX-License-Identifier: MIT
# batch of a domain and of a device: lines for the objects below, mkdir, rmdir
# and mv, whatever writes them and wherever it cuts.
. "$(dirname "$0")/lib.sh"

cat >"$T/script" <<'END'
# a domain is built
mkdir mr/buf
	mr/buf  reg 64K local_write remote_read mw_bind

mkdir mw/one
mkdir mw/two
mw/one bind buf 0 4K remote_read
mw/two bind buf 4K 8K remote_write
mv mw/two mw/three
mw/one invalidate
mkdir qp/q
rmdir qp/q
END

# cat_to FILE SCRIPT
# shellcheck disable=SC2317 # called by check
cat_to() {
	cat "$2" >"$1"
}

# built HOW: the script has done its work in $P/lab, which goes
built() {
	is "$1: what there is" "$(cut -d ' ' -f 1 "$P/lab/list" | tr '\n' ' ')" \
	    'mr/buf mw/one mw/three '
	like "$1: one" "$(cat "$P/lab/mw/one/status")" 'unbound type=1 *'
	like "$1: three" "$(cat "$P/lab/mw/three/status")" \
	    'bound type=1 mr=buf offset=4096 length=8192 rights=remote_write *'
	is "$1: error" "$(cat "$P/lab/error")" ok
	check "$1: it goes" put "$P/lab/ctl" destroy
}

mkdir "$P/lab"
check "cat" cat_to "$P/lab/batch" "$T/script"
built cat
mkdir "$P/lab"
check "cp" cp "$T/script" "$P/lab/batch"
built cp
for bs in 1 2 7 64 4096 1M; do
	mkdir "$P/lab"
	check "dd bs=$bs" dd if="$T/script" of="$P/lab/batch" bs=$bs \
	    conv=notrunc status=none
	built "dd bs=$bs"
done
{ echo mkdir pd/lab; awk '
	NF == 0 || /^#/		{ print; next }
	$1 == "mv"		{ print $1, "pd/lab/" $2, "pd/lab/" $3; next }
	/^(mk|rm)dir/		{ print $1, "pd/lab/" $2; next }
				{ print "pd/lab/" $1, substr($0, index($0, $2)) }
' "$T/script"; } >"$T/device"
check "of a device" dd if="$T/device" of="$D/batch" bs=13 status=none
built "of a device"

mkdir "$P/lab"
before=$(metric 'rdmafs_commands_total{verb="reg"}')
check "of the device, too" cat_to "$P/lab/batch" "$T/script"
is "commands are counted" \
    "$(($(metric 'rdmafs_commands_total{verb="reg"}') - before))" 1
like "events are told" "$(tail -n 3 "$P/lab/events" | head -n 1)" \
    '* invalidated */pd/lab/mw/one how=invalidated by=0'
check "a domain is destroyed from above" put "$D/batch" pd/lab destroy
check "it is gone" test ! -e "$P/lab"

mkdir "$P/lab"
is "it reads as its verbs" "$(cat "$P/lab/batch")" \
    "# PATH VERB ARG...  (as written to PATH/ctl)
# mkdir PATH  (makes an object)
# rmdir PATH  (destroys one)
# mv PATH TO  (a new name in its directory)"
is "its size" "$(stat -c %s "$P/lab/batch" "$D/batch" | tr '\n' ' ')" '0 0 '
is "its mode" "$(stat -c %a "$P/lab/batch" "$D/batch" | tr '\n' ' ')" '600 600 '
fails EINVAL mkdir "$P/batch"

exec 3<>"$P/lab/batch"
echo 'mkdir mw/w' >&3
is "the answer to a write" "$(cat <&3)" ok
printf 'mkdir mw/v\nmw/w inva' >&3
is "and to one that is not finished" "$(cat <&3)" ok
like "half a line has not run" "$(cat "$P/lab/mw/w/error")" ok
echo 'lidate' >&3 2>/dev/null
is "the answer when it is, and fails" "$(cat <&3)" \
    "ENODATA: line 3: not bound
mw/w invalidate
     ^"
exec 3>&-
check "a word in quotes" put "$P/lab/batch" "mkdir 'mw/q'"
check "is that word" test -d "$P/lab/mw/q"
finish
