#!/bin/sh
# SPDX-License-Identifier: MIT
# A line that fails later changes nothing itself, those before it stay done,
# the rest do not run, and error has its number; a word that is wrong is found
# before any line runs.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
r=$P/lab/mr/r
fails EBUSY lines "$r/ctl" '# one\nreg 4K remote_read\n\nreg 8K\ndereg\n'
says "$r/error" "EBUSY: line 4: "
is "the line before stays done" "$(cat "$r/length")" 4096
is "its rights, too" "$(cat "$r/rights")" "local_read remote_read"
fails EINVAL lines "$r/ctl" 'dereg\nreg 4K\nreg 4Q\n'
says "$r/error" "EINVAL: line 3: "
is "none of them has run" "$(cat "$r/rights")" "local_read remote_read"
fails EINVAL lines "$r/ctl" 'dereg\nfly\n'
says "$r/error" "EINVAL: line 2: "
fails EINVAL lines "$r/ctl" 'dereg\nreg 4K colour=red\n'
fails EINVAL lines "$r/ctl" 'dereg\nreg 4K no_right\n'
fails EINVAL lines "$r/ctl" 'dereg\ndereg now\n'
fails EINVAL lines "$r/ctl" 'dereg\nreg\n'
is "nor any of those" "$(cat "$r/length")" 4096
check "one that goes well" put "$r/ctl" dereg
is "sets error to ok" "$(cat "$r/error")" ok
fails ENODATA lines "$r/ctl" dereg
says "$r/error" "ENODATA: not registered"
fails ENODATA lines "$r/ctl" 'dereg\nreg 4K\n'
like "after a failure nothing runs" "$(cat "$r/status")" "unregistered *"
fails EINVAL lines "$r/ctl" 'reg 4K remote_write\n'
is "nor are the rights kept of a line that failed" "$(cat "$r/rights")" \
    "local_read remote_read"
finish
