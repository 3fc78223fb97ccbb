#!/bin/sh
# SPDX-License-Identifier: MIT
# THE TREE of rdmafs.5 and `rdmafs --tree` are the same: each directory, each
# file with its mode, each verb with its grammar.  Runs in the root of the
# sources.

set -u
T=$(mktemp -d) || exit
trap 'rm -rf "$T"' EXIT

"$RDMAFS" --tree >"$T/tree"

# .Ss is a directory, .It Pa a file and its mode, .It Ic a verb of that file.
awk '
	/^\.Sh /	{ inside = $0 == ".Sh THE TREE" }
	!inside		{ next }
	/^\.Ss /	{ dir = $2; print dir }
	/^\.It Pa /	{ file = dir $3
			  sub(/^\.It Pa [^ ]+ Pq /, "")
			  print file " " $0 }
	/^\.It Ic /	{ sub(/^\.It Ic /, "")
			  gsub(/"/, "")
			  print file " : " $0 }
' docs/rdmafs.5 >"$T/manual"

[ -s "$T/tree" ] || { echo "rdmafs --tree prints nothing"; exit 1; }
sort "$T/tree" >"$T/tree.sorted"
sort "$T/manual" >"$T/manual.sorted"
diff -u --label rdmafs.5 --label 'rdmafs --tree' \
    "$T/manual.sorted" "$T/tree.sorted"
