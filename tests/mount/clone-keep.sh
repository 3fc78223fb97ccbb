#!/bin/sh
# SPDX-License-Identifier: MIT
# keep lets a clone's object stay; only a clone's takes it.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
for dir in "$P" "$P/lab/mr" "$P/lab/mw"; do
	exec 3<>"$dir/clone"
	read -r n <&3
	echo keep >&3
	is "keep is taken" "$(cat <&3)" ok
	exec 3<&-
	# A second clone that goes is proof that the first had its chance.
	exec 3<>"$dir/clone"
	read -r other <&3
	exec 3<&-
	gone "$dir/$other"
	check "${dir#"$P"}/$n stays" test -d "$dir/$n"
done
fails EINVAL put "$P/lab/ctl" keep
says "$P/lab/error" "EINVAL: "
fails EINVAL put "$P/lab/mr/r/ctl" keep

exec 3<>"$P/lab/mr/clone"
read -r n <&3
put "$P/lab/mr/$n/ctl" keep
report $? "its ctl takes keep, too"
exec 3<&-
exec 3<>"$P/lab/mr/clone"
read -r other <&3
echo destroy >&3
check "destroy is done when the write returns" test ! -e "$P/lab/mr/$other"
exec 3<&-
check "and the kept one is there" test -d "$P/lab/mr/$n"
finish
