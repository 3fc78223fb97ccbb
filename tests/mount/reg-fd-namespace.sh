#!/bin/sh
# SPDX-License-Identifier: MIT
# reg fd=N of a writer in another pid namespace is EACCES.
. "$(dirname "$0")/lib.sh"

unshare -pf true 2>/dev/null || skip "no pid namespaces"
mkdir "$P/lab" "$P/lab/mr/r"
shm=$(mktemp /dev/shm/rdmafs.XXXXXX) || skip "no /dev/shm"
truncate -s 8K "$shm"
exec 5<>"$shm"
rm "$shm"
# shellcheck disable=SC2016 # for the other shell
unshare -pf sh -c 'echo reg fd=5 >"$1"' sh "$P/lab/mr/r/ctl" 2>"$T/err"
report $((! $?)) "it is refused"
says "$P/lab/mr/r/error" \
    "EACCES: the writing process lives in another pid namespace"
(echo reg fd=5 >"$P/lab/mr/r/ctl")
report $? "here it is taken"
finish
