#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages are good mdoc(7).  Whether the pages that they refer to are
# installed here says nothing of them.
command -v mandoc >/dev/null || { echo "no mandoc"; exit 77; }
! mandoc -T lint -W all docs/*.[0-9] 2>&1 |
    grep -Ev 'referenced manual not found|outdated mandoc.db'
