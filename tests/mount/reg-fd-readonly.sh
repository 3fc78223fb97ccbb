#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory opened read-only registers with none or remote_read; each right that
# needs writable memory is EFAULT, and the text names it (M6).
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/r"
r=$P/lab/mr/r
shm=$(mktemp /dev/shm/rdmafs.XXXXXX) || skip "no /dev/shm"
head -c 4096 /dev/zero >"$shm"
exec 5<"$shm"
for right in local_write mw_bind local_write,remote_write \
    local_write,remote_atomic; do
	exec 4<>"$r/ctl"
	(echo "reg fd=5 $right" >&4) 2>"$T/err"
	read -r answer <&4
	exec 4<&-
	like "$right" "$answer" "EFAULT: ${right%%,*} *(M6)*"
done
for right in none remote_read; do
	(echo "reg fd=5 $right" >"$r/ctl") 2>"$T/err"
	status=$?
	# Soft-RoCE on Linux 6.1 pins no memory that is mapped read-only,
	# whatever the rights.
	case $DEV:$(cat "$r/error") in
	rxe*:"EFAULT: ibv_reg_mr: memory that is open for reading only"*)
		like "with $right it is told how" "$(cat "$r/error")" \
		    "* open it for writing and withhold the rights*"
		continue ;;
	esac
	if ! report $status "with $right it registers"; then
		show "$r/error"
		continue
	fi
	fails EFAULT put "$r/rights" +local_write
	says "$r/error" "EFAULT: local_write "
	put "$r/ctl" dereg
done
rm "$shm"

python3 - "$r" <<'EOF'
import errno, fcntl, os, sys
f = os.memfd_create("sealed", os.MFD_ALLOW_SEALING)
os.truncate(f, 4096)
fcntl.fcntl(f, fcntl.F_ADD_SEALS, fcntl.F_SEAL_FUTURE_WRITE
            if hasattr(fcntl, "F_SEAL_FUTURE_WRITE") else 0x10)
ctl = os.open(sys.argv[1] + "/ctl", os.O_WRONLY)
try:
    os.write(ctl, b"reg fd=%d local_write\n" % f)
    sys.exit("it was registered")
except OSError as e:
    assert e.errno == errno.EFAULT, e
EOF
report $? "a memfd sealed against writing is read-only"
finish
