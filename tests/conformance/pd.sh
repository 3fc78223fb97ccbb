# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Texts of commands; variables of the other parts:
# shellcheck disable=SC2016,SC2034,SC2154
#
# Protection domains.

case_P1() {
	stage '../$other'
	step 'mkdir ../$other/mr/far ../$other/mw/far'
	step 'echo reg 4K local_write remote_read remote_write > mr/buf/ctl'
	step 'echo reg 4K local_write remote_read remote_write mw_bind > ../$other/mr/far/ctl'
	refuse EACCES "echo read buf 0 8 $(at '../$other/mr/far' 0) > qp/a/ctl" \
	    "a read with another domain's region key"
	refuse EACCES "echo write buf 0 8 $(at '../$other/mr/far' 0) > qp/a/ctl" \
	    "a write with it"
	refuse 'ENOENT|EINVAL' \
	    "echo write far 0 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a write out of another domain's region"
	if has_type 1; then
		step 'echo bind far 0 4K remote_read > ../$other/mw/far/ctl'
		refuse EACCES \
		    "echo read buf 0 8 $(at '../$other/mw/far' 0) > qp/a/ctl" \
		    "a read with another domain's window key"
	fi
	allow "echo read buf 0 8 $(at mr/buf 0) > qp/a/ctl" \
	    "a read inside the domain"
}

case_P2() {
	scene
	step 'mkdir mr/buf mw/w'
	refuse EBUSY 'rmdir "$PWD"' "rmdir of a domain with a region and a window"
	holds 'grep -q "mr/buf" error && grep -q "mw/w" error' \
	    "the reason names both"
	allow 'echo reg 4K mw_bind > mr/buf/ctl' "a registration afterwards"
	refuse EBUSY 'rmdir "$PWD"' "rmdir of a domain with a registered region"
	holds 'grep -q ^active mr/buf/status' "the region is unharmed"
	step 'rmdir mr/buf'
	refuse EBUSY 'rmdir "$PWD"' "rmdir of a domain with an unbound window"
	step 'rmdir mw/w && mkdir qp/a'
	refuse EBUSY 'rmdir "$PWD"' "rmdir of a domain with a queue pair"
	step 'rmdir qp/a'
	allow 'rmdir "$PWD"' "rmdir of an empty domain"
}
