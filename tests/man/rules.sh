#!/bin/sh
# SPDX-License-Identifier: MIT
# Each rule that an error text names, "(M2)", stands in RULES of rdmafs.5.
# Runs in the root of the sources.

status=0
for rule in $(grep -Eho '\([PMWAI][0-9]+\)( |:)?.*"' core/*.c fs/*.c proto/*.c |
    grep -Eo '\([PMWAI][0-9]+\)' | sort -u | tr -d '()'); do
	grep -q "^\.It $rule\$" docs/rdmafs.5 && continue
	echo "rule $rule is not in docs/rdmafs.5"
	status=1
done
exit $status
