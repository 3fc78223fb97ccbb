# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Variables of the other parts:
# shellcheck disable=SC2034,SC2154
#
# What a case is made of.  A case works in scenes.  A scene is a domain, the
# working directory, and commands in the text of the shell, which are run as
# they stand and kept: those that led to a finding are the ones that are shown.
# So no key is in them but as $(cat .../rkey) or $old.
#
#	scene			begins one
#	step COMMAND		must succeed; else the rest of the scene is left
#	allow COMMAND WHAT	must succeed, by the rule
#	refuse ERRNO COMMAND WHAT	must fail so; A|B: one of them
#	holds COMMAND WHAT	a test of what is the case now
#	soon COMMAND WHAT	the same, within some seconds
#	tried COMMAND		may succeed or fail
#	lack WHAT		the device does not offer this part
#	may D1			what is found next is this deviation, if it is known
#
# A refused access leaves queue pairs in error: refuse connects them again,
# unless the scene has said `mending=`.

other=
scenes=0
lab=

# The domains of the last scene go; a window over a queue pair first.
strike() {
	cd / || exit
	for domain in $lab $other; do
		[ ! -d "$pds/$domain" ] || echo destroy >"$pds/$domain/ctl"
	done 2>/dev/null
	lab=
	other=
}

scene() {
	strike
	scenes=$((scenes + 1))
	stopped=
	mending=yes
	pairs=
	because=
	lab=conform-$$-$scenes
	# Made by a step, if the scene wants another.
	other=$lab-other
	if ! mkdir "$pds/$lab" 2>"$tmp/out" || ! cd "$pds/$lab"; then
		over=yes
		cat "$tmp/out" "$tree/$device/error" >&2
		echo "rdmafs-conform: no domain can be made in $pds" >&2
		exit 2
	fi
	script="mkdir $pds/lab; cd $pds/lab"
}

# here COMMAND: runs it in this shell, so that it may set variables.
here() {
	[ -z "$verbose" ] || printf '%s\n' "	$1" | shown
	eval "$1" >"$tmp/out" 2>&1
}

# attempt COMMAND: runs it in a shell of its own, which may end of it: some do
# when a key that is reckoned with is not there.
attempt() {
	(here "$1")
}

# How commands are shown: $other has a name there.
shown() {
	sed "s/\\\$other/lab2/g"
}

# why COMMAND: sets errno and reason from the error of the object that it wrote
# to, or from what a program has said.
why() {
	errno=
	reason=
	behind=
	set -f
	for word in $1; do
		if [ "$behind" = '>' ]; then
			eval "file=${word%;}"
			{ read -r errno reason <"${file%/*}/error"; } 2>/dev/null
			[ "$errno" = ok ] || break
		fi
		behind=$word
	done
	set +f
	case $errno in
	E*:)	errno=${errno%:}
		return ;;
	esac
	reason=$(tail -n 1 "$tmp/out")
	case $reason in
	*'Device or resource busy')	errno=EBUSY ;;
	*'No data available')		errno=ENODATA ;;
	*'Permission denied')		errno=EACCES ;;
	*'No such file or directory')	errno=ENOENT ;;
	*'Invalid argument')		errno=EINVAL ;;
	*'Operation not supported')	errno=EOPNOTSUPP ;;
	*)				errno=failure ;;
	esac
}

note() {
	script="$script
$1"
}

step() {
	[ -z "$stopped" ] || return 1
	if here "$1"; then
		note "$1"
		return
	fi
	why "$1"
	stopped=yes
	if [ "$errno" = EOPNOTSUPP ]; then
		lack "$reason"
	else
		found "expected success, got $errno: $reason" "$1"
	fi
	return 1
}

allow() {
	[ -z "$stopped" ] || return 1
	checks=$((checks + 1))
	if attempt "$1"; then
		note "$1"
		return
	fi
	why "$1"
	found "$2: expected success, got $errno: $reason" "$1"
	mend "$1"
	return 1
}

refuse() {
	[ -z "$stopped" ] || return 1
	checks=$((checks + 1))
	if attempt "$2"; then
		found "$3: expected $1, got success" "$2"
		return 1
	fi
	why "$2"
	[ -z "$verbose" ] || echo "	# refused: $errno: $reason"
	case "|$1|" in
	*"|$errno|"*)	;;
	*)	found "$3: expected $1, got $errno: $reason" "$2" ;;
	esac
	mend "$2"
}

holds() {
	[ -z "$stopped" ] || return 1
	checks=$((checks + 1))
	attempt "$1" && return
	found "not so: $2" "$1"
	return 1
}

soon() {
	[ -z "$stopped" ] || return 1
	tries=0
	until (eval "$1") >/dev/null 2>&1 || [ $tries -eq 100 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	holds "$1" "$2"
}

# tried COMMAND: whether it succeeds, the rule does not say.
tried() {
	[ -z "$stopped" ] || return 1
	note "$1"
	attempt "$1"
}

lack() {
	[ -n "$lacking" ] || lacking=$1
}

may() {
	because=$1
}

# known DEVIATION RULE
known() {
	[ -n "$rxe" ] || return 1
	deviations | awk -v number="$1" -v rule="$2" -v kernel="$kernel" '
		$1 == number && $2 == rule {
			for (i = 3; i <= NF; i++)
				found = found || $i == kernel
		}
		END { exit !found }'
}

# found TEXT COMMAND: the rule is broken; how it is seen is kept, once for each
# deviation.
found() {
	mark=
	[ -z "$because" ] || ! known "$because" "$rule" || mark=$because
	findings="$findings
    $1${mark:+ ($mark)}"
	[ -n "$mark" ] || mark=new
	case " $marks " in
	*" $mark "*)	return ;;
	esac
	marks="$marks $mark"
	findings="$findings
$(printf '%s\n' "$script" "$2" | shown | sed 's/^/	/')"
}

# ---- Queue pairs ----

# join A B: connects two queue pairs of the domain with each other.
join() {
	step "echo connect \$(cat qp/$2/local) > qp/$1/ctl &&\
 echo connect \$(cat qp/$1/local) > qp/$2/ctl" || return
	pairs="$pairs $1 $2"
}

# mend COMMAND: after a refused access no queue pair may be left in error.
mend() {
	[ -n "$mending" ] || return 0
	case $1 in
	*'> qp/'*)	;;
	*)		return 0 ;;
	esac
	# shellcheck disable=SC2086 # names
	set -- $pairs
	while [ $# -gt 1 ]; do
		if ! {
			echo reset >"qp/$1/ctl" && echo reset >"qp/$2/ctl" &&
			    read -r local <"qp/$2/local" &&
			    echo "connect $local" >"qp/$1/ctl" &&
			    read -r local <"qp/$1/local" &&
			    echo "connect $local" >"qp/$2/ctl"
		} 2>"$tmp/out"; then
			found "queue pairs cannot be connected again" \
			    "echo reset > qp/$1/ctl"
			stopped=yes
			return
		fi
		shift 2
	done
}

# stage WHAT...: a scene with region buf, the objects named and a connected pair
# of queue pairs: a asks, b is asked.
stage() {
	scene
	step "mkdir mr/buf qp/a qp/b${*:+ $*}" && join a b
}

# at OBJECT OFFSET [KEY]: the text of two arguments, address and key
at() {
	if [ "$2" = 0 ]; then
		printf '%s' "\$(cat $1/addr)"
	else
		printf '%s' "\$((\$(cat $1/addr) + $2))"
	fi
	printf ' %s' "${3:-\$(cat "$1"/rkey)}"
}

# ---- What a device offers ----

# types: of windows, a list
types() {
	case $(cat "$tree/$device/attr/mw_types") in
	*1*2*)	echo 1 2 ;;
	*1*)	echo 1 ;;
	*2*)	echo 2 ;;
	esac
}

# has_type N
has_type() {
	case " $(types) " in
	*" $1 "*)	return 0 ;;
	esac
	lack "windows of type $1"
	return 1
}

# lacks WORD: by the device's status
lacks() {
	case ,$(sed -n 's/.* lacks=\([^ ]*\).*/\1/p' "$tree/$device/status"), in
	*,"$1",*)	return 0 ;;
	esac
	return 1
}

# bind_text WINDOW TYPE ARGUMENT...: the text of a bind, of a window whose type
# is not settled; a type 2 window over queue pair b.
bind_text() {
	window=$1
	if [ "$2" = 2 ]; then
		shift 2
		echo "echo type 2 > mw/$window/ctl &&\
 echo bind $* qp=b > mw/$window/ctl"
	else
		shift 2
		echo "echo bind $* > mw/$window/ctl"
	fi
}
