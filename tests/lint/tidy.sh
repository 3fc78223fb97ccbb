#!/bin/sh
# SPDX-License-Identifier: MIT
# clang-tidy has nothing to say; .clang-tidy has what it is asked.
command -v clang-tidy >/dev/null || { echo "no clang-tidy"; exit 77; }
sed -n 's/.*"file": "\(.*\)".*/\1/p' "$BUILD/compile_commands.json" | sort -u |
    (cd "$BUILD" && xargs -n 4 -P "$(nproc)" clang-tidy --quiet -p .)
