#!/bin/sh
# SPDX-License-Identifier: MIT
# Python's file objects: with, write, flush and close; an error is an OSError
# with its errno.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip "no python3"
mkdir "$P/lab" "$P/lab/mr/r"
python3 - "$P/lab/mr/r" <<'EOF'
import errno, os, pathlib, shutil, sys
r = pathlib.Path(sys.argv[1])
(r / "ctl").write_text("reg 4K local_write\n")
assert (r / "length").read_text() == "4096\n"
assert (r / "data").stat().st_size == 4096
with open(r / "rights", "w") as f:
    print("remote_read", "mw_bind", file=f)
assert (r / "rights").read_text().split()[1:] == ["remote_read", "mw_bind"]
with open(r / "ctl", "r+b", buffering=0) as f:
    assert f.write(b"dereg\nreg 8K\n") == 13
    assert f.read() == b"ok\n"
    try:
        f.write(b"reg 4K\n")
        sys.exit("no error")
    except OSError as e:
        assert e.errno == errno.EBUSY, e
    assert f.read().startswith(b"EBUSY: ")
try:
    with open(r / "ctl", "w") as f:
        f.write("rereg nonsense\n")
    sys.exit("no error from a buffered write")
except OSError as e:
    assert e.errno == errno.EINVAL, e
with open(r / "ctl", "a") as f:
    f.write("dereg\n")
try:
    open(r / "rkey")
    sys.exit("no error from open")
except OSError as e:
    assert e.errno == errno.ENODATA, e
os.mkdir(r.parent / "made")
shutil.copyfile(r / "ctl", r.parent / "made" / "ctl")
os.rmdir(r.parent / "made")
EOF
report $? "Python's ways to write" || show "$P/lab/mr/r/error"
finish
