#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints rdmafs-conform: one file, so that it can be copied anywhere.
cd "$(dirname "$0")" &&
    cat head.sh steps.sh pd.sh mr.sh mw.sh access.sh invalidate.sh main.sh
