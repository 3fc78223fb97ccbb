# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# peers.sh for scripts about explain.  $E is the device of $B.
. "$(dirname "$0")/peers.sh"

# shellcheck disable=SC2034 # for the scripts
E=${B%/pd/*}
# shellcheck disable=SC2034
far=${B#"$M"/}

# ask DEVICE LINE...: the answer to these lines, written as one; of user $uid, if
# that is set.
ask() {
	device=$1
	shift
	# shellcheck disable=SC2016 # it is the other's
	printf '%s\n' "$@" | ${uid:+setpriv "--reuid=$uid" "--regid=$uid" \
	    --clear-groups --inh-caps=-all} sh -c 'exec 3<>"$1" || exit
		dd bs=64K iflag=fullblock status=none >&3
		cat <&3' sh "$device/explain" 2>"$T/ask"
}

# opens PATH: its key, as ask() wants it
opens() {
	echo "key $(cat "$1/rkey")"
}

# line N TEXT: the Nth line of it
line() {
	printf '%s\n' "$2" | sed -n "${1}p"
}

# other_tag KEY [OLD]: KEY with a tag that it has not had; OLD is the key of
# before, because tags may come in sequence or in any order
other_tag() {
	other=$(($1 ^ 128))
	[ "$other" -ne $((${2:-0})) ] || other=$(($1 ^ 64))
	echo "$other"
}

# reversed KEY: its four bytes the other way round
reversed() {
	printf '%08x\n' "$(($1))" | sed 's/\(..\)\(..\)\(..\)\(..\)/0x\4\3\2\1/'
}

# shellcheck disable=SC2034
unknown='unknown key: neither in use, nor among the last 65536 that died, or it is not yours to know'
