#!/bin/sh
# SPDX-License-Identifier: MIT
# Bash completes the words of rdmafs, rdmals and rd; asked without a terminal.
. "$(dirname "$0")/lib.sh"
command -v bash >/dev/null || skip "no bash"
completions=$(cd "$(dirname "$0")/../../docs/completion" && pwd -P)

# completes WORD... : the last is at the cursor, cut at = and : as bash does;
# what it could be, sorted, in one line
completes() {
	bash -c '
		file=$1
		shift
		. "$file"
		for word; do
			while [[ $word == *=* ]]; do
				[ -z "${word%%=*}" ] || COMP_WORDS+=("${word%%=*}")
				COMP_WORDS+=(=)
				word=${word#*=}
				[ -n "$word" ] || continue 2
			done
			COMP_WORDS+=("$word")
		done
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_${COMP_WORDS[0]}
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$completions/$1" "$@" 2>&1 | sort | tr '\n' ' ' | sed 's/ $//'
}

# offers WANT WORD...
offers() {
	want=$1
	shift
	is "$(echo "$*" | sed "s|$M|M|g")|" "$(completes "$@")" "$want"
}

mkdir "$P/lab" "$P/lab/mr/buf" "$P/lab/mr/big" "$P/lab/mw/w" "$P/lab/qp/q" \
    "$P/other"

offers "--version" rdmafs --v
offers "--device --help --soft --tree --version -d -f -o" rdmafs -
offers "$(cd /sys/class/infiniband 2>/dev/null && echo *)" rdmafs --device ''
offers "$(cd /sys/class/infiniband 2>/dev/null && echo *)" rdmafs --device=
offers "ro" rdmafs -o r
mkdir "$T/mountdir"
offers "$T/mountdir" rdmafs --soft 2 "$T/mountd"

offers "--json" rdmals --j
offers "always auto never" rdmals --color=
offers "never" rdmals --color=n
offers "made= mem mem= mr mr= mw mw=" rdmals -m "$M" m
offers "rights=" rdmals ri
offers "remote_atomic remote_read remote_write" rdmals rights=remote_
offers "remote_read,remote_write" rdmals rights=remote_read,remote_w
offers "root" rdmals owner=roo
offers "rc" rdmals type=r
offers "unbound unmapped unregistered" rdmals mw state=un
offers "$DEV" rdmals -m "$M" "device=$DEV"
offers "$DEV/" rdmals -m "$M" "$DEV"
offers "$DEV/" rdmals --mount="$M" "$DEV"
offers "$DEV/pd/" rdmals -m "$M" "$DEV/"
offers "$DEV/pd/lab/ $DEV/pd/other/" rdmals -m "$M" "$DEV/pd/"
offers "$DEV/pd/lab/mr/big/ $DEV/pd/lab/mr/buf/" rdmals -m "$M" mr "$DEV/pd/lab/mr/b"
offers "$DEV/pd/lab/" rdmals -m "$M" -H "$DEV/pd/l"
offers "$DEV/pd/lab/" rdmals -m "$M" --holders="$DEV/pd/l"
offers "$T/mountdir" rdmals -m "$T/mountd"
offers "" rdmals -m "$M" nothing/like/it
offers "" rdmals no-key=x

# All that rdmals takes is offered.
if [ -n "${RDMALS:-}" ]; then
	"$RDMALS" --help | grep -o -- '^  *-[-a-zA-Z, ]*' | grep -o -- '-[-a-zA-Z]*' |
	    sort -u | tr '\n' ' ' >"$T/options"
	is "rdmals's options" "$(completes rdmals -) " "$(cat "$T/options")"
fi
"$RDMAFS" --help | grep -o -- '^  *-[-a-z]*' | grep -o -- '-[-a-z]*' |
    sort -u | tr '\n' ' ' >"$T/options"
is "rdmafs's options" "$(completes rdmafs -) " "$(cat "$T/options")"
# The daemon says which rights there are.
put "$P/lab/mr/buf/rights" no_such_right 2>/dev/null
is "all rights" "$(completes rd "$P/lab/mr/buf/rights" '')" \
    "$({ sed -n 's/.*there are: //p' "$P/lab/mr/buf/error" | tr ' ' '\n'
	 echo none; } | sort | tr '\n' ' ' | sed 's/ $//')"

# The verbs and words of a file are those that it says itself.
offers "$(sed -n 's/^# \([a-z]*\)  *.*(.*/\1/p' "$P/lab/mr/buf/ctl" | sort -u |
    tr '\n' ' ' | sed 's/ $//')" rd "$P/lab/mr/buf/ctl" ''
offers "reg rereg" rd "$P/lab/mr/buf/ctl" re
offers "cmp_swap connect" rd "$P/lab/qp/q/ctl" c
offers "big buf" rd "$P/lab/mw/w/ctl" bind ''
offers "big buf" rd "$P/lab/qp/q/ctl" write b
offers "buf" rd "$P/lab/mw/w/ctl" bind bu
offers "q" rd "$P/lab/mw/w/ctl" bind buf 0 4K qp=
offers "tag=" rd "$P/lab/mw/w/ctl" bind buf 0 4K t
offers "fd= flush_global flush_persistent" rd "$P/lab/mr/buf/ctl" reg f
offers "remote_write" rd "$P/lab/mr/buf/ctl" reg 64K remote_w
offers "iova=" rd "$P/lab/mr/buf/ctl" reg 64K i
offers "other" rd "$P/lab/mr/buf/ctl" rereg pd=o
offers "rc uc" rd "$P/lab/qp/q/ctl" type ''
offers "1 2" rd "$P/lab/mw/w/ctl" type ''
offers "gid=" rd "$P/lab/qp/q/ctl" type rc g
offers "errors" rd "$M/ctl" clear ''
offers "mw_bind" rd "$P/lab/mr/buf/rights" remote_read mw
offers "$P/lab/mr/buf/ctl" rd "$P/lab/mr/buf/ct"
offers "" rd "$P/lab/mr/buf/data" ''
offers "" rd "$P/lab/mr/none/ctl" ''
offers "" rd "$P/mr/clone" ''
cd "$P/lab/mr/buf" || exit
offers "dereg destroy" rd ctl de
offers "big buf" rd ../../mw/w/ctl bind b
cd /
is "nothing was made by it" "$(wc -l <"$P/lab/list")" 4
finish
