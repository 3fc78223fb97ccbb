#!/bin/sh
# SPDX-License-Identifier: MIT
#
# rdmafs-conform: does a device keep the rules of RDMA memory?  Uses nothing
# but a mounted tree of rdmafs: it makes domains of its own, tries what the
# rules of rdmafs(5) allow and forbid, and destroys them.  See rdmafs-conform(1).
#
# Made by assemble.sh from the parts in tests/conformance.

set -u
LC_ALL=C
export LC_ALL

usage() {
	cat >&2 <<-'END'
	usage: rdmafs-conform [-v] [-m MOUNT] DEVICE [RULE...]
	       rdmafs-conform -l
	  -l  list the rules
	  -m  where rdmafs is mounted, /rdma
	  -v  show each command as it is run
	END
	exit 2
}

# The rules, in the order in which they are tried: rdmafs(5) has them in full.
rules() {
	cat <<-'END'
	P1 queue pairs, regions and windows work together only inside one domain
	P2 a domain with anything in it cannot be freed
	M1 registering pins the pages and builds the table of their addresses
	M2 local_read is always granted; remote writing needs local_write
	M3 few rights are legal, unknown ones are not
	M4 rights that a device lacks are refused by name
	M5 no empty region, none past 2^64, none at an iova of another page offset
	M6 rights that write need writable memory
	M7 memory that cannot be locked is refused with numbers
	M8 live keys differ in their index, dead ones stay dead
	M9 lkey and rkey are two values
	M10 a region with bound windows stays as it is
	M11 rereg changes rights or domain, or nothing
	M12 a registration does not hold up binds
	W1 a new window is unbound and opens nothing; types are the device's
	W2 a window is bound to a region of its own domain
	W3 a bind needs mw_bind, and local_write for writing; no remote right
	W4 a window opens the bytes of its range and no others
	W5 zero_based: not on a window's region, and on type 2 windows only
	W6 a bind kills the old key, a refused bind does not
	W7 type 1: bound again while bound, used over any queue pair
	W8 type 2: used over the queue pair it was bound over, and no other
	W9 in 300 binds of a window no key comes twice
	W10 freeing a window or its queue pair ends the key
	W11 who binds is connected, and not hurt by a refused bind
	A1 what a key does not open is rem_access_err
	A2 what the target's queue pair lacks is rem_inv_req_err
	A3 zero length is success; over 2^31 and crooked atomics are not sent
	A4 local memory is checked like remote memory
	A5 a refused access leaves both queue pairs in error
	A6 on uc a bad key is dropped silently
	A7 what is refused moves not one byte
	I1 an invalidation ends the key and leaves the window
	I2 a local invalidation ends the key of one type 2 window
	I3 a peer invalidates the windows of its own queue pair only
	I4 a stale key is an error and never a crash
	END
}

# What soft-RoCE (rdma_rxe) is known to break: the number of the deviation, the
# rule whose case shows it, and the kernels where it does.  Nothing else excuses
# a broken rule, and on no other device is anything known.
deviations() {
	cat <<-'END'
	D1 W4 6.1 6.12 7.3
	D1 W5 6.1 6.12 7.3
	D1 A1 6.1 6.12 7.3
	D1 A7 6.1 6.12 7.3
	D5 A4 6.12 7.3
	D9 M9 6.1 6.12 7.3
	D11 I3 6.1 6.12 7.3
	D14 M6 6.1
	END
}
