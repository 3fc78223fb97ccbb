#!/bin/sh
# SPDX-License-Identifier: MIT
# huge=SIZE: memory of huge pages, or the reason why not.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
r=$P/lab/mr/r
for size in 0 1 3M 12K -1 2Mb; do
	fails EINVAL put "$r/ctl" "reg 4K huge=$size"
	says "$r/error" "EINVAL: "
done
fails EINVAL put "$r/ctl" reg 4K huge=2M huge=2M
fails EINVAL put "$r/ctl" reg fd=0 huge=2M
free=$(sed -n 's/^HugePages_Free: *//p' /proc/meminfo)
if [ "${free:-0}" -eq 0 ]; then
	put "$r/ctl" reg 4K huge=2M 2>"$T/err"
	report $((! $?)) "without huge pages it fails"
	like "and says why" "$(cat "$r/error")" "E[IN]*: *huge*"
	finish
fi
check "huge=2M" put "$r/ctl" reg 4K local_write huge=2M
like "pins a page" "$(cat "$r/status")" "active length=4096 * pinned=2097152 *"
echo hello >"$r/data"
is "and is memory" "$(head -n 1 "$r/data")" hello
like "ctl says so" "$(head -n 1 "$r/ctl")" "reg 4096 local_write huge=2097152"
finish
