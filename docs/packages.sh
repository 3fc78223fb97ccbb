#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sh packages.sh FILE...: installs the Debian packages that are listed in the
# files, one a line, and are missing.

set -eu

installed() {
	# shellcheck disable=SC2016 # dpkg-query's variable
	dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'
}

missing=
# shellcheck disable=SC2013 # a line is a word
for package in $(sort -u "$@"); do
	installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "missing packages:$missing"
if [ "$(id -u)" -ne 0 ]; then
	echo "only root can install them" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
# shellcheck disable=SC2086 # words
apt-get -qq install --no-install-recommends $missing </dev/null
