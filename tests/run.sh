#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh tests/run.sh [-q] [SUITE...]: builds rdmafs and runs its tests, or those
# of some suites (unit tree fault mount lint vm ...): plainly, then under
# valgrind and clang's sanitizers.  Installs the packages that it needs.
#
#	-q		plainly only
#	RDMAFS_BUILD	where to build (build): a directory in it for each way
#
# The last line has the sum: N passed, N failed, N skipped.

set -u
cd "$(dirname "$0")/.." || exit

quick=''
while getopts q option; do
	case $option in
	q)	quick=yes ;;
	*)	sed -n '4,11s/^# \{0,1\}//p' tests/run.sh >&2
		exit 2 ;;
	esac
done
shift $((OPTIND - 1))
asked=$*

build=${RDMAFS_BUILD:-build}
failures=$build/failures	# a name a line
passed=0
skipped=0
mkdir -p "$build"
: >"$failures"

headline() {
	printf '\n==== %s ====\n' "$*"
}

# attempt WHAT COMMAND...: a failure of what is no test is one all the same.
attempt() {
	what=$1
	log=$build/$1.log
	shift
	headline "$what"
	"$@" >"$log" 2>&1 && return
	tail -n 60 "$log"
	echo "$what" >>"$failures"
	return 1
}

# compile WAY MESON-OPTION...
compile() {
	dir=$build/$1
	shift
	again=''
	[ ! -e "$dir/build.ninja" ] || again=--reconfigure
	meson setup $again "$@" "$dir" && meson compile -C "$dir"
}

# count RESULTS LOG: meson's log has a line a test.
count() {
	grep -Ec "\"result\": \"($1)\"" "$2"
}

# add_up WAY LOG
add_up() {
	passed=$((passed + $(count 'OK|EXPECTEDFAIL' "$2")))
	skipped=$((skipped + $(count SKIP "$2")))
	grep -Ev '"result": "(OK|EXPECTEDFAIL|SKIP)"' "$2" |
	    sed -E "s|^\{\"name\": \"([^\"]*)\".*|$1: \1|" >>"$failures"
}

# choose SUITE...: meson's options for those of them, or of all, that were
# asked for.  Fails if that leaves none.
choose() {
	chosen=''
	# shellcheck disable=SC2048 # words
	for suite in ${*:-$asked}; do
		case " ${asked:-$suite} " in
		*" $suite "*)	chosen="$chosen --suite $suite" ;;
		esac
	done
	[ -n "$chosen" ] || [ -z "$*$asked" ]
}

# run WAY DIRECTORY FACTOR MESON-OPTION...: runs what was chosen, with its time
# limits multiplied.
run() {
	way=$1
	dir=$build/$2
	factor=$3
	shift 3
	headline "$way"
	rm -f "$dir/meson-logs/$way"*.json
	export RDMAFS_TIME_LIMIT=$((200 * factor))
	# shellcheck disable=SC2086 # words
	$fixed meson test -C "$dir" --no-rebuild --print-errorlogs \
	    --logbase "$way" -t "$factor" $chosen "$@"
	status=$?
	# To the name of a log meson adds that of the wrapper.
	for log in "$dir/meson-logs/$way"*.json; do
		[ ! -e "$log" ] || add_up "$way" "$log"
	done
	[ $status -eq 0 ] || grep -q "^$way: " "$failures" ||
	    echo "$way: meson test" >>"$failures"
}

under_valgrind() {
	# A thread that still runs at the end leaves memory "possibly lost".
	memcheck='valgrind -q --error-exitcode=9 --leak-check=full'
	memcheck="$memcheck --show-leak-kinds=definite"
	memcheck="$memcheck --errors-for-leak-kinds=definite"
	choose unit tree && run valgrind plain 10 --wrap "$memcheck"
	export RDMAFS_WRAP="$memcheck"
	# Ten times slower: those that between them use every kind of file and
	# verb.  The address sanitizer sees all of them.
	choose mount && run valgrind-mount plain 10 clone ctl-copy data errors \
	    events explain-key hold-second limits-users list mem-data \
	    mr-verbs mv mw-bind mw-rules mw-type2-peer owner-region poll \
	    qp-send qp-write-read rereg-pd rights-rereg rights-window \
	    wc-wait write-failing-line
	unset RDMAFS_WRAP
}

# sanitized NAME LIST SUITE...
sanitized() {
	name=$1
	list=$2
	shift 2
	choose "$@" || return 0
	export CC=clang
	attempt "build-$name" compile "$name" -Db_sanitize="$list" \
	    -Db_lundef=false && run "$name" "$name" 3
}

# Some kernels spread addresses wider than clang 14's sanitizers know.
fixed=''
! setarch -R true 2>/dev/null || fixed='setarch -R'

if attempt packages sh docs/packages.sh docs/packages tests/packages \
    tests/vm/packages && attempt build-plain compile plain; then
	choose
	run plain plain 1
	[ -n "$quick" ] || under_valgrind
fi
if [ -z "$quick" ]; then
	sanitized address address,undefined unit tree fault mount conformance
	sanitized thread thread unit fault mount
fi

failed=$(wc -l <"$failures")
headline "sum"
[ "$failed" -eq 0 ] || sed 's/^/FAILED  /' "$failures"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
