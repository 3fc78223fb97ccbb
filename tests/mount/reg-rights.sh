#!/bin/sh
# SPDX-License-Identifier: MIT
# Every right alone and in pairs at reg, against rules M2 to M4.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
r=$P/lab/mr/r
lacks=" $(grep -o 'lacks=[^ ]*' "$D/status" | sed 's/lacks=//; s/,/ /g') "
# verdict RIGHT...: what the rules say
verdict() {
	case " $* " in
	*' local_write '*) ;;
	*' remote_write '*|*' remote_atomic '*)
		echo EINVAL
		return ;;
	esac
	for right; do
		case $right:$lacks in
		flush_*:*' flush '*|on_demand:*' on_demand '*|\
		zero_based:*' zero_based '*)
			echo EOPNOTSUPP
			return ;;
		esac
	done
	echo ok
}
set -- local_read local_write remote_read remote_write remote_atomic mw_bind \
    zero_based on_demand hugetlb relaxed_ordering flush_global flush_persistent
for one; do
	shift
	for two in "" "$@"; do
		pair="$one${two:+ $two}"
		# shellcheck disable=SC2086 # one or two
		want=$(verdict $pair)
		exec 3<>"$r/ctl"
		echo "reg 4096 $pair" >&3 2>/dev/null
		read -r got <&3
		exec 3<&-
		# A device that has it asks for memory that the daemon has not.
		case $pair:$got in
		*flush_persistent*:EINVAL*" needs persistent memory")
			continue ;;
		esac
		is "$pair" "${got%%:*}" "$want"
		[ "$want" = ok ] || continue
		for right in $pair; do
			grep -qw "$right" "$r/rights"
			report $? "has $right" >"$T/out" || cat "$T/out"
		done
		echo dereg >"$r/ctl"
	done
done
check "reg none" put "$r/ctl" reg 4096 none
is "is local_read" "$(cat "$r/rights")" local_read
finish
