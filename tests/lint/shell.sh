#!/bin/sh
# SPDX-License-Identifier: MIT
# Of no script has shellcheck anything to say.
command -v shellcheck >/dev/null || { echo "no shellcheck"; exit 77; }
find .ci fs tests docs \( -name '*.sh' -o -path .ci/run -o -path 'docs/completion/*' -o -path tests/vm/init \) \
    -exec shellcheck -P SCRIPTDIR -x {} +
