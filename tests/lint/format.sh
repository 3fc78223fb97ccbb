#!/bin/sh
# SPDX-License-Identifier: MIT
# C is formatted as .clang-format says; clang-format -i does it.
command -v clang-format >/dev/null || { echo "no clang-format"; exit 77; }
find core proto fs tests -name '*.[ch]' -exec clang-format --dry-run -Werror {} +
