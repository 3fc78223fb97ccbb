# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# lib.sh for scripts about what is refused and how it is told.
. "$(dirname "$0")/lib.sh"

# refused FILE ERRNO REASON COMMAND [CARET]: the reason is a pattern; CARET is
# the column, from 0, of the word to blame.
refused() {
	object=${1%/*}
	fails "$2" put "$1" "$4"
	like "'$4' says $2: $3" "$(sed -n 1p "$object/error")" "$2: $3"
	[ $# -eq 5 ] || return
	is "and where" "$(sed -n 3p "$object/error")" "$(printf '%*s^' "$5" '')"
}
