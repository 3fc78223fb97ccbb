# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Variables of the other parts:
# shellcheck disable=SC2034,SC2154
#
# Options, and the rules one after another.

# try RULE TEXT: prints how it went; the sums are in files, as this may be
# behind a pipe.
try() {
	rule=$1
	checks=0
	lacking=
	marks=
	findings=
	if [ "$rule" = I4 ] && [ "$kind" != soft ] && [ -z "$chosen" ]; then
		echo "I4 not run: may take this kernel down; ask for it by name"
		unrun=$((unrun + 1))
		return
	fi
	[ -z "$verbose" ] || echo "$rule: $2"
	"case_$rule"
	strike
	if [ -n "$findings" ]; then
		broken=$((broken + 1))
		head=$(echo "${marks# }" | sed 's/ /, /g')
		# On other devices than soft-RoCE nothing is known, or new.
		[ -n "$rxe" ] || head=
		printf '%s\n' "$rule broken${head:+ ($head)}: $2${findings}"
	elif [ "$checks" -eq 0 ]; then
		lacked=$((lacked + 1))
		echo "$rule not offered: ${lacking:-nothing of it can be tried}"
	else
		kept=$((kept + 1))
		echo "$rule kept: $2"
	fi
}

clean_up() {
	status=$?
	trap - EXIT
	trap '' HUP INT TERM
	[ -n "$over" ] ||
	    echo "rdmafs-conform: ended in rule $rule: $(cat "$tmp/out")" >&2
	[ -z "$lab" ] || strike
	rm -rf "$tmp"
	exit "$status"
}

tree=/rdma
verbose=
while getopts lm:v option; do
	case $option in
	l)	rules
		exit ;;
	m)	tree=$OPTARG ;;
	v)	verbose=yes ;;
	*)	usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
device=$1
shift
chosen=$*
for rule; do
	rules | grep -q "^$rule " || {
		echo "rdmafs-conform: no rule $rule; -l lists them" >&2
		exit 2
	}
done
# The working directory changes.
tree=$(cd "$tree" 2>/dev/null && pwd) || tree=
pds=$tree/$device/pd
if [ -z "$tree" ] || [ ! -d "$pds" ]; then
	echo "rdmafs-conform: no device $device in a mounted tree;" \
	    "rdmafs(8) mounts one, -m says where" >&2
	exit 2
fi

kind=$(sed -n 's/.* kind=\([^ ]*\).*/\1/p' "$tree/$device/status")
# Soft-RoCE alone has a vendor of all ones.
rxe=
[ "$kind" != verbs ] ||
    [ $(($(cat "$tree/$device/attr/vendor_id"))) -ne $((0xffffff)) ] || rxe=yes
kernel=$(uname -r | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
case " $chosen " in
*' I4 '*)
	[ "$kind" = soft ] || echo "rdmafs-conform: I4 may take this kernel" \
	    "down: unsaved work is lost then" >&2 ;;
esac

tmp=$(mktemp -d) || exit 2
over=
: >"$tmp/out"
trap clean_up EXIT
trap 'over=yes; exit 129' HUP
trap 'over=yes; exit 130' INT
trap 'over=yes; exit 143' TERM

kept=0
broken=0
lacked=0
unrun=0
# Read whole, because cases must not find the list on their standard input.
for rule in ${chosen:-$(rules | cut -d ' ' -f 1)}; do
	try "$rule" "$(rules | sed -n "s/^$rule //p")"
done
over=yes
echo "$kept kept, $broken broken, $lacked not offered$(
    [ $unrun -eq 0 ] || echo ", $unrun not run")"
[ $broken -eq 0 ]
