#!/bin/sh
# SPDX-License-Identifier: MIT
# kernel/ has six files that anybody reads; of a soft device the kernel knows
# nothing.
. "$(dirname "$0")/lib.sh"

K=$D/kernel
is "its files" "$(cd "$K" && echo *)" "cq ctx mr pd qp srq"
mkdir "$P/lab" "$P/lab/qp/q"
for kind in pd mr qp cq ctx srq; do
	check "$kind can be read" cat "$K/$kind"
	check "$kind by others" as_user 2001 cat "$K/$kind"
	fails EACCES put "$K/$kind" clear
	case $(cat "$D/status") in
	*" kind=soft "*)
		is "$kind is empty" "$(cat "$K/$kind")" ""
		is "$kind has no size" "$(stat -c %s "$K/$kind")" 0 ;;
	esac
done
fails EPERM rm "$K/pd"
fails EPERM mkdir "$K/mine"
fails EINVAL mkdir "$P/kernel"
finish
