# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# The frame of the tests of rdmals, whose path is in RDMALS.
#
#	ls_ [OPTION | WORD]...	rdmals on the tree $R, which is $M unless set
#	$T/got, $T/err		what it prints, and its messages
#	shown STATUS WANT WHAT WORD...	its status, and the paths that it shows

[ -n "${RDMALS:-}" ] || { echo "SKIP: no RDMALS"; exit 77; }
. "$(dirname "$0")/lib.sh"
R=$M

ls_() {
	"$RDMALS" -m "$R" "$@" >"$T/got" 2>"$T/err"
}

# The paths of a table: the column behind the kind, or behind that of its own.
paths() {
	awk 'NR == 1 { at = $1 == "OWN" ? 3 : 2; next }
	     { printf "%s%s", sep, $at; sep = " " }' "$T/got"
}

shown() {
	want_status=$1
	want=$2
	what=$3
	shift 3
	ls_ "$@"
	status=$?
	is "$what: status" "$status" "$want_status" || show "$T/err"
	is "$what: what is shown" "$(paths)" "$want"
}

# fake: a tree of plain files, with the lists that the test makes: $R
fake() {
	R=$T/fake
	mkdir -p "$R/x0/pd/lab/mr/buf" "$R/x0/pd/lab/mw/w" "$R/x0/pd/lab/qp/q" \
	    "$R/x0/pd/idle" "$R/x0/kernel"
	cat >"$R/x0/status" <<-END
	active kind=verbs pd=2 mr=1 mw=1 qp=1 owner=0 group=0 made=1000
	END
	cat >"$R/x0/pd/lab/status" <<-END
	active mr=1 mw=1 qp=1 owner=0 group=0 made=1000
	END
	cat >"$R/x0/pd/lab/list" <<-END
	mr/buf mr active length=5000 rights=local_read,mw_bind windows=1 pinned=8192 owner=0 group=0 made=1000
	mw/w mw bound type=2 mr=buf offset=96 length=100 rights=remote_write qp=q owner=4000000 group=0 made=1000
	qp/q qp rts type=rc num=17 rights=local_read windows=1 mem=0 owner=0 group=0 made=1000
	END
	{
		echo "pd/lab pd $(cat "$R/x0/pd/lab/status")"
		sed 's|^|pd/lab/|' "$R/x0/pd/lab/list"
		echo "pd/idle pd active mr=0 mw=0 qp=0 owner=0 group=0 made=1000"
	} >"$R/x0/list"
	{
		echo "x0 device $(cat "$R/x0/status")"
		sed 's|^|x0/|' "$R/x0/list"
	} >"$R/list"
}
