# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Texts of commands; variables of the other parts:
# shellcheck disable=SC2016,SC2034,SC2154
#
# Invalidation.

case_I1() {
	for type in $(types); do
		for way in 'mw/w/ctl' 'mw/w/rkey' ctl; do
			stage mr/in mw/w
			step 'echo reg 4K local_write > mr/in/ctl'
			step 'echo reg 4K local_write mw_bind > mr/buf/ctl'
			step "$(bind_text w "$type" buf 0 4K remote_read)"
			allow "echo read in 0 8 $(at mw/w 0) > qp/a/ctl" \
			    "a read through a type $type window"
			step 'old=$(cat mw/w/rkey)'
			allow "echo invalidate > $way" \
			    "an invalidation of a type $type window"
			holds 'grep -q ^unbound mw/w/status' "it is unbound"
			refuse ENODATA 'cat mw/w/rkey' "its key"
			refuse EACCES \
			    "echo read in 0 8 $(at mr/buf 0 '$old') > qp/a/ctl" \
			    "a read with the key of a type $type window, after echo invalidate > $way"
			if [ "$type" = 1 ]; then
				step 'echo bind buf 0 4K remote_read > mw/w/ctl'
			else
				step 'echo bind buf 0 4K remote_read qp=b > mw/w/ctl'
			fi
			allow "echo read in 0 8 $(at mw/w 0) > qp/a/ctl" \
			    "a read after another bind"
		done
	done
	[ -n "$(types)" ] || lack windows
}

# two_windows: v over queue pair b, w over d, both of type 2
two_windows() {
	stage qp/c qp/d mr/in mr/out mw/v mw/w
	join c d
	step 'echo reg 4K local_write > mr/in/ctl && echo reg 4K local_write > mr/out/ctl'
	step 'echo reg 4K local_write mw_bind > mr/buf/ctl'
	step 'echo type 2 > mw/v/ctl && echo bind buf 0 4K remote_read qp=b > mw/v/ctl'
	step 'echo type 2 > mw/w/ctl && echo bind buf 0 4K remote_read qp=d > mw/w/ctl'
}

case_I2() {
	has_type 2 || return
	two_windows
	step 'old=$(cat mw/v/rkey)'
	allow 'echo invalidate > mw/v/ctl' "a local invalidation"
	holds 'grep -q ^unbound mw/v/status' "the window is unbound"
	holds 'grep -q ^bound mw/w/status' "another is not"
	holds '[ "$(cat qp/b/state)" = rts ]' "its queue pair is unharmed"
	allow "echo read in 0 8 $(at mw/w 0) > qp/c/ctl" \
	    "a read through the other"
	refuse EACCES "echo read in 0 8 $(at mr/buf 0 '$old') > qp/a/ctl" \
	    "a read with the dead key"
}

# sends_in_vain KEY WHAT: a peer's send that would invalidate it; the receiver
# is told, the sender not always.
sends_in_vain() {
	mending=
	step 'echo recv in 0 64 > qp/b/ctl && echo hello > mr/out/data'
	tried "echo send out 0 8 invalidate=$1 > qp/a/ctl"
	soon 'grep -q " recv " qp/b/wc' "$2: the receiver is told"
	holds 'grep -q " recv rem_inv_req_err" qp/b/wc' \
	    "$2: the receiver's completion is rem_inv_req_err"
	soon '[ "$(cat qp/b/state)" = err ]' \
	    "$2: the receiver's queue pair is in error"
}

case_I3() {
	has_type 2 || return
	two_windows
	step 'echo recv in 0 64 > qp/b/ctl && echo hello > mr/out/data'
	step 'old=$(cat mw/v/rkey)'
	allow 'echo send out 0 8 invalidate=$(cat mw/v/rkey) > qp/a/ctl' \
	    "a peer's send that invalidates its window"
	soon 'grep -q " recv success .*invalidated=mw/v" qp/b/wc' \
	    "the receiver's completion has the window"
	holds 'grep -q ^unbound mw/v/status' "the window is unbound"
	holds '[ "$(head -c 5 mr/in/data)" = hello ]' "the payload is there"
	refuse EACCES "echo read out 0 8 $(at mr/buf 0 '$old') > qp/a/ctl" \
	    "a read with the key from then on"
	allow 'echo bind buf 0 4K remote_read qp=b > mw/v/ctl' \
	    "another bind of the window"

	two_windows
	sends_in_vain '$(($(cat mw/v/rkey) ^ 1))' "a wrong key"
	holds 'grep -q ^bound mw/v/status' "the window is bound still"

	two_windows
	step 'mkdir mr/other && echo reg 4K local_write remote_read > mr/other/ctl'
	sends_in_vain '$(cat mr/other/rkey)' "a region's key"
	allow "echo read in 0 8 $(at mr/other 0) > qp/c/ctl" \
	    "a read with the region's key from then on"

	if has_type 1; then
		two_windows
		step 'mkdir mw/one && echo bind buf 0 4K remote_read > mw/one/ctl'
		sends_in_vain '$(cat mw/one/rkey)' "a type 1 key"
		allow "echo read in 0 8 $(at mw/one 0) > qp/c/ctl" \
		    "a read with the type 1 key from then on"
	fi

	two_windows
	may D11
	sends_in_vain '$(cat mw/w/rkey)' "the key of another queue pair's window"
	holds 'grep -q ^bound mw/w/status' "that window is bound still"
	allow "echo read out 0 8 $(at mw/w 0) > qp/c/ctl" \
	    "a read through it from then on"
}

# On a verbs device only when it is asked for: a driver may die of it.
case_I4() {
	scene
	step 'mkdir mr/buf mw/w && echo reg 4K local_write mw_bind > mr/buf/ctl'
	refuse ENODATA 'echo invalidate > mw/w/ctl' \
	    "an invalidation of a window that was never bound"
	if has_type 1; then
		step 'echo bind buf 0 4K remote_read > mw/w/ctl'
		step 'echo invalidate > mw/w/ctl'
		refuse ENODATA 'echo invalidate > mw/w/ctl' \
		    "a second invalidation"
	fi
	has_type 2 || return
	two_windows
	step 'old=$(cat mw/v/rkey) && echo invalidate > mw/v/ctl'
	sends_in_vain '$old' "the key of a window invalidated before"
	two_windows
	step 'old=$(cat mw/v/rkey) && echo recv in 0 64 > qp/b/ctl'
	step 'echo send out 0 8 invalidate=$old > qp/a/ctl'
	soon 'grep -q " recv success .*invalidated=mw/v" qp/b/wc' \
	    "the first of two sends with one key"
	mending=
	step 'echo recv in 0 64 > qp/b/ctl'
	tried 'echo send out 0 8 invalidate=$old > qp/a/ctl'
	soon 'grep -q " recv rem_inv_req_err" qp/b/wc' \
	    "the second is rem_inv_req_err at the receiver"
	allow "echo read in 0 8 $(at mw/w 0) > qp/c/ctl" \
	    "a read through another window"
}
