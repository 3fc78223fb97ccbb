#!/bin/sh
# SPDX-License-Identifier: MIT
# Commands and refusals are counted by verb: each once, wherever it came from.
# shellcheck disable=SC2016,SC2317 # for metric and rises
. "$(dirname "$0")/lib.sh"

# all VERB N COMMAND..., refused VERB ERRNO N COMMAND...
all() {
	verb=$1
	shift
	rises "rdmafs_commands_total{verb=\"$verb\"}" "$@"
}
refused() {
	verb=$1
	errno=$2
	shift 2
	rises "rdmafs_refusals_total{verb=\"$verb\",errno=\"$errno\"}" "$@"
}
is "the version" "rdmafs $(sed -n \
    's/^rdmafs_build_info{version="\(.*\)"} 1$/\1/p' "$M/metrics")" \
    "$(cat "$M/version")"
is "a verb that nobody used" "$(grep -c \
    'rdmafs_commands_total{verb="rereg"} 0' "$M/metrics")" 1
all mkdir 3 mkdir "$P/lab" "$P/lab/mr/r" "$P/lab/mw/w"
refused mkdir EINVAL 1 mkdir "$P/lab/mr/-"
all mkdir 1 mkdir "$P/lab/mr/-"
all mv 1 mv "$P/lab/mw/w" "$P/lab/mw/v"
# mv(1) would try it twice.
# shellcheck disable=SC2016 # it is perl
refused mv EINVAL 1 perl -e 'rename($ARGV[0], $ARGV[1])' \
    "$P/lab/mw/v" "$P/lab/mw/ctl"
refused rmdir ENOENT 0 rmdir "$P/lab/mw/w"	# the kernel knew
refused rmdir EBUSY 1 rmdir "$P/lab"
all rmdir 1 rmdir "$P/lab/mw/v"
all reg 1 put "$P/lab/mr/r/ctl" reg 64K
refused reg EBUSY 1 put "$P/lab/mr/r/ctl" reg 64K
all rights 3 lines "$P/lab/mr/r/ctl" \
    'rights remote_read\n# a comment\n\nrights none\nrights remote_read\n'
all rights 1 put "$P/lab/mr/r/rights" none
refused rights EINVAL 1 put "$P/lab/mr/r/rights" nonsense
all invalid 1 put "$P/lab/mr/r/ctl" 12 0x1234567
refused invalid EINVAL 1 put "$P/lab/mr/r/ctl" 12 0x1234567
refused invalid EMSGSIZE 1 feed "$P/lab/mr/r/ctl" <<X
# $(head -c 5000 /dev/zero | tr '\0' x)
X
all rights 0 lines "$P/lab/mr/r/ctl" 'rights none\nnonsense\n'
all limit 1 put "$D/limits" default mw=0
refused mkdir EDQUOT 1 mkdir "$P/lab/mw/w"
cloned() {
	perl -e 'open(my $f, "+<", $ARGV[0]) or exit 1; <$f>' "$P/lab/mr/clone"
}
all clone 1 cloned
refused clone EDQUOT 1 perl -e 'open(my $f, "+<", $ARGV[0])' \
    "$P/lab/mw/clone"
is "what was not refused is no refusal" \
    "$(grep -c 'rdmafs_refusals_total{verb="limit"' "$M/metrics")" 0
finish
