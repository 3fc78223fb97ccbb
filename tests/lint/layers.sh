#!/bin/sh
# SPDX-License-Identifier: MIT
# Includes point downward only: fs to proto to core; and one file each knows
# the FUSE library, one group of files libibverbs.

failed=0

# forbid FILES PATTERN WHAT: no file includes what matches
forbid() {
	# shellcheck disable=SC2086 # words
	found=$(grep -nE "^#[[:space:]]*include[[:space:]]*[<\"]($2)" $1) ||
	    return
	printf '%s:\n%s\n' "$3" "$found"
	failed=1
}

forbid 'core/*.[ch]' '(\.\./)*(proto|fs)/|fuse|linux/fuse' \
    'core knows neither texts nor files'
forbid 'proto/*.[ch]' '(\.\./)*fs/|fuse|linux/fuse' 'proto knows no files'
forbid "$(find core proto fs -name '*.[ch]' ! -name 'verbs*')" \
    'infiniband/' 'core/verbs* alone know libibverbs'
forbid "$(find core proto fs -name '*.[ch]' ! -path 'core/kernel*')" \
    'libmnl/|linux/netlink|rdma/' 'core/kernel* alone know netlink'
forbid "$(find core proto fs -name '*.[ch]' ! -name 'fuse*')" \
    'fuse_|fuse3/|linux/fuse' 'fs/fuse* alone know the FUSE library'
# rdmals is a client: of the program it has the texts, and no objects.
if grep -nE '^#[[:space:]]*include[[:space:]]*"' fs/rdmals*.[ch] |
    grep -vE '"(rdmals\.h|\.\./proto/(text|value)\.h)"$'; then
	echo 'fs/rdmals* include proto/text.h and proto/value.h, and no more'
	failed=1
fi
exit $failed
