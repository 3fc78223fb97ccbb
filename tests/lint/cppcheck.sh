#!/bin/sh
# SPDX-License-Identifier: MIT
# cppcheck has nothing to say.
command -v cppcheck >/dev/null || { echo "no cppcheck"; exit 77; }

# Of libbsd's headers it needs the macros, and stumbles over the others.
include=$(mktemp -d)
trap 'rm -rf "$include"' EXIT
mkdir "$include/sys"
ln -s /usr/include/bsd/sys/queue.h /usr/include/bsd/sys/tree.h "$include/sys"

cppcheck --quiet --error-exitcode=1 --inline-suppr -j "$(nproc)" --std=c11 \
    --enable=warning,performance,portability -I "$include" -I core -I proto -I fs \
    --library=posix,gnu,bsd,tests/lint/cppcheck.cfg \
    --suppress=missingIncludeSystem --suppress=readdirCalled \
    --suppress="*:$include/*" core proto fs tests
