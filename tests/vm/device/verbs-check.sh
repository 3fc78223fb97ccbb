#!/bin/sh
# SPDX-License-Identifier: MIT
# core's verbs devices without the file system: see verbs_check.c.
exec "${RDMAFS_VERBS_CHECK:?the path of verbs_check}" \
    "${RDMAFS_TEST_DEV:-rxe0}"
