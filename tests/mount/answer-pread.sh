#!/bin/sh
# SPDX-License-Identifier: MIT
# Where an answer stands: where the write left the descriptor, and once.
. "$(dirname "$0")/lib.sh"

command -v perl >/dev/null || skip "no perl"
mkdir "$P/lab" "$P/lab/mr/a"

# With $f open for both: say(offset) reads there; w(text) writes, as the shell.
perl -MFcntl=:seek -e '
	my ($path, $clone) = @ARGV;
	my ($n, $bad) = (0, 0);
	sub is {
		my ($got, $want, $why) = @_;
		return if $got =~ $want;
		$bad++;
		print "$why: got \"$got\"\n";
	}
	sub w { syswrite $f, "$_[0]\n" }
	sub r { my $b = ""; sysread $f, $b, 65536; $b }
	sub at { sysseek $f, $_[0], SEEK_SET; r() }
	open $f, "+<", $path or die;
	is(r(), qr/^#|^reg|^rights/, "before any write: the file");
	sysseek $f, 0, SEEK_SET;
	w("rights none");
	is(r(), qr/^ok$/, "behind the write: the answer");
	is(r(), qr/^$/, "and its end");
	is(at(0), qr/^# /, "at 0 the file");
	sysseek $f, 0, SEEK_SET;
	is(w("frob") // "refused", qr/refused/, "a refusal");
	is(r(), qr/^EINVAL: unknown verb/, "at 0: the answer");
	is(at(0), qr/^# /, "at 0 again: the file");
	w("rights none");
	is(at(0), qr/^# /, "at 0 while the answer is elsewhere: the file");
	close $f;
	open $f, "+<", $clone or die;
	is(r(), qr/^\d+$/, "a clone: its name");
	w("rights none");
	is(r(), qr/^ok$/, "then answers");
	exit $bad' "$P/lab/mr/a/ctl" "$P/lab/mr/clone" >"$T/out"
report $? "answers stand where they should" || show "$T/out"
finish
