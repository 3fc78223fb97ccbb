#!/bin/sh
# SPDX-License-Identifier: MIT
# clang-tidy has nothing to say of the program; .clang-tidy has what it is
# asked.  The tests are left to the compilers and cppcheck.
command -v clang-tidy >/dev/null || { echo "no clang-tidy"; exit 77; }
sed -n 's/.*"file": "\(.*\)".*/\1/p' "$BUILD/compile_commands.json" |
    grep -E '/(core|proto|fs)/[^/]*$' | sort -u |
    (cd "$BUILD" && xargs -n 4 -P "$(nproc)" clang-tidy --quiet -p . 2>&1) |
    grep -v 'warnings generated' >"$BUILD/tidy.log"
# xargs' status is lost in the pipe; errors are what counts.
! grep -E 'error:' "$BUILD/tidy.log"
