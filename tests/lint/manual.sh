#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages are good mdoc(7).
command -v mandoc >/dev/null || { echo "no mandoc"; exit 77; }
mandoc -T lint -W style docs/*.[0-9]
