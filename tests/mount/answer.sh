#!/bin/sh
# SPDX-License-Identifier: MIT
# A file opened for reading and writing answers what was written, in each
# shell, after success and after failure.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab"

# each SHELL
# shellcheck disable=SC2016 # it is the shell's
each() {
	mkdir "$P/lab/mr/$1"
	a=$P/lab/mr/$1
	"$@" -c 'exec 3<>"$1"; echo rights none >&3; cat <&3' sh "$a/ctl" \
	    >"$T/answer" 2>&1
	is "$1: after success" "$(cat "$T/answer")" ok
	"$@" -c 'exec 3<>"$1"; echo frob >&3 2>/dev/null; cat <&3' sh "$a/ctl" \
	    2>/dev/null >"$T/answer"
	is "$1: after failure" "$(cat "$T/answer")" "$(cat "$a/error")"
	like "$1: with the caret" "$(cat "$T/answer")" 'EINVAL: *
frob
^'
	"$@" -c 'exec 3<>"$1"; echo frob >&3; cat <&3 >/dev/null
		echo rights none >&3; cat <&3' sh "$a/ctl" 2>/dev/null \
	    >"$T/answer"
	is "$1: one after the other" "$(cat "$T/answer")" ok
	"$@" -c 'exec 3<>"$1"; echo none >&3; read -r x <&3; echo "$x"' sh \
	    "$a/rights" >"$T/answer"
	is "$1: rights" "$(cat "$T/answer")" ok
	"$@" -c 'exec 3<>"$1"; read -r n <&3; echo reg 4K >&3
		cat <&3; echo frob >&3; sed 1q <&3; test -d "${1%clone}$n" &&
		echo there' sh "$P/lab/mr/clone" 2>/dev/null >"$T/answer"
	like "$1: clone" "$(cat "$T/answer")" 'ok
EINVAL: unknown verb*
there'
}

# busybox' cat would do a sendfile, which reads through the page cache.
for shell in dash bash; do
	! command -v $shell >/dev/null || each $shell
done
finish
