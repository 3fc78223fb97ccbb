#!/bin/bash
# SPDX-License-Identifier: MIT
#
# transcript.sh PAGE: runs the transcripts of a page and compares what they
# print; docs/hacking.md tells what a transcript is.  By bash, because what the
# shell itself says is shown as bash says it.  Runs in the root of the sources.

page=$1
source=$PWD
# shellcheck disable=SC2034 # for lib.sh
RDMAFS_OPTS='--soft 1'
. "$source/tests/mount/lib.sh"

# rdmafs /rdma in a transcript is the daemon under test, in the background.
# shellcheck disable=SC2317 # called by what is evaluated
rdmafs() {
	"$RDMAFS" "$@"
}

# shellcheck disable=SC2317 # called by what is evaluated
rdmals() {
	"$RDMALS" -m "$M" "$@"
}

# The blocks of the page, without mdoc's escapes; each ends in an empty line.
blocks() {
	case $page in
	*.md)	awk '/^```/ { if (inside) print ""; inside = !inside; next }
		     inside' "$page" ;;
	*)	awk '/^\.Bd / { inside = 1; next }
		     /^\.Ed/ { if (inside) print ""; inside = 0 }
		     inside' "$page" |
		    sed 's/\\&//; s/\\(aq/'\''/g; s/\\(ha/^/g; s/\\(ti/~/g
			s/\\e/\\/g' ;;
	esac
}

# pattern: a wanted line into a shell pattern for it, in $pattern.  ... stands
# for anything in a line, and for any lines where it stands alone.
pattern() {
	local rest=$1 part

	pattern=
	while [[ $rest == *...* ]]; do
		part=${rest%%...*}
		printf -v part %q "$part"
		[ "$part" != "''" ] || part=
		pattern+="$part*"
		rest=${rest#*...}
	done
	printf -v part %q "$rest"
	[ "$part" != "''" ] || part=
	pattern+=$part
}

# compare WANTED GOT: the numbers of the lines from which on the two arrays
# want and got are to be alike.
compare() {
	local w=$1 g=$2

	while [ "$w" -lt ${#want[@]} ]; do
		if [ "${want[w]}" = ... ]; then
			for (( ; g <= ${#got[@]}; g++)); do
				compare $((w + 1)) "$g" && return
			done
			return 1
		fi
		[ "$g" -lt ${#got[@]} ] || return
		pattern "${want[w]}"
		# shellcheck disable=SC2053 # it is a pattern
		eval "[[ \${got[g]} == $pattern ]]" || return
		w=$((w + 1))
		g=$((g + 1))
	done
	[ "$g" -eq ${#got[@]} ]
}

# mounted COMMAND: with the paths of this test, in $mounted.
mounted() {
	local rest=$1

	mounted=
	rest=${rest//\/usr\/local\/share\/rdmafs/$source\/fs}
	while [[ $rest =~ ^(.*)/rdma([^a-z].*|)$ ]]; do
		mounted=$M${BASH_REMATCH[2]}$mounted
		rest=${BASH_REMATCH[1]}
	done
	mounted=$rest$mounted
}

# run COMMAND: what it prints must be like want.  Not in a subshell: it may
# change the directory or open a descriptor.
run() {
	local i

	mounted "$1"
	eval "$mounted" >"$T/raw" 2>&1
	mapfile -t got <"$T/raw"
	for i in "${!got[@]}"; do
		got[i]=${got[i]//"$M"//rdma}
		[[ ! ${got[i]} =~ ^[^\ ]*[a-z][^\ ]*:\ line\ [0-9]+:\ (.*)$ ]] ||
		    got[i]="bash: ${BASH_REMATCH[1]}"
	done
	compare 0 0
	report $? "$1" && return
	say got
	printf '#  %s\n' "${got[@]}"
	say want
	printf '#  %s\n' "${want[@]}"
}

# The command whose output has been read so far, if there is one.
run_last() {
	[ -z "$command" ] || run "$command"
	command=
	want=()
}

# begin COMMAND: the first of a block, which is a transcript if it has a
# prompt.  One that mounts finds nothing mounted, others find it mounted.
begin() {
	case $prompt in
	'# '|'$ ')	;;
	*)		prompt=none
			return ;;
	esac
	case $1 in
	rdmafs*' /rdma')	[ -z "$(connection)" ] || unmount ;;
	*)			[ -n "$(connection)" ] || start ;;
	esac
}

command=
want=()
prompt=
while IFS= read -r line <&9; do
	if [ -z "$line" ]; then
		run_last
		prompt=
		continue
	fi
	if [ -z "$prompt" ]; then
		prompt=${line:0:2}
		begin "${line:2}"
	fi
	[ "$prompt" != none ] || continue
	if [ "${line:0:2}" = "$prompt" ]; then
		run_last
		command=${line:2}
	else
		want+=("$line")
	fi
done 9< <(blocks)
run_last

cd / || exit
exec 3>&- 5>&-
[ $checks -gt 0 ] || report 1 "$page has a transcript"
finish
