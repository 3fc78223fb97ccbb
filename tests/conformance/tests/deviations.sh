#!/bin/sh
# SPDX-License-Identifier: MIT
# KNOWN DEVIATIONS of the manual page has what the program knows: number, rules
# and kernels.  D8 breaks nothing that is tried unasked.
here=$(dirname "$0")
T=$(mktemp -d) || exit
trap 'rm -rf "$T"' EXIT

sed -n '/^deviations()/,/^}/s/^	\(D[0-9]\)/\1/p' "$here/../head.sh" |
    sort >"$T/program"
# ".It D5", then sentences that end in ": A4, A7", then ".Pq 6.12, 7.3 ."
sed -n '/^\.Sh KNOWN/,/^\.El/p' "$here/../../../docs/rdmafs-conform.1" | awk '
	/^\.It /	{ number = $2; sub(/^\\&/, "", number) }
	/: [A-Z]/	{ rules = $0; sub(/.*: /, "", rules)
			  gsub(/,/, "", rules) }
	/^\.Pq /	{ gsub(/^\.Pq | \.$|,/, "")
			  n = split(rules, each, " ")
			  for (i = 1; i <= n; i++)
				print number, each[i], $0 }
' | sort >"$T/manual"
[ -s "$T/program" ] || { echo "the program knows none"; exit 1; }
diff -u --label rdmafs-conform.1 --label head.sh "$T/manual" "$T/program"
