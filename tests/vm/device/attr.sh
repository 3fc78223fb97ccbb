#!/bin/sh
# SPDX-License-Identifier: MIT
# attr/ and port/ say what the kernel's sysfs and ibv_devinfo(1) say.
. "$(dirname "$0")/rdma.sh"

sys=/sys/class/infiniband/$DEV
for file in node_guid sys_image_guid; do
	is "$file" "$(cat "$D/attr/$file")" "$(cat "$sys/$file")"
done
for file in state link_layer lid; do
	is "port/1/$file" "$(cat "$D/port/1/$file")" \
	    "$(cat "$sys/ports/1/$file")"
done
for index in 0 1; do
	is "gid/$index" "$(cat "$D/port/1/gid/$index")" \
	    "$(cat "$sys/ports/1/gids/$index")"
done

ibv_devinfo -v -d "$DEV" >"$T/info"
for file in max_mr max_mr_size max_mw max_pd max_qp max_qp_wr max_cq max_cqe \
    max_sge vendor_id vendor_part_id hw_ver page_size_cap; do
	value=$(awk -v word="$file:" '$1 == word { print $2 }' "$T/info")
	is "$file" "$(printf %u "$(cat "$D/attr/$file")")" \
	    "$(printf %u "$value")"
done
is "fw_ver" "$(cat "$D/attr/fw_ver")" \
    "$(awk '$1 == "fw_ver:" { print $2 }' "$T/info")"
is "mtu" "$(cat "$D/port/1/mtu")" \
    "$(awk '$1 == "active_mtu:" { print $2 }' "$T/info")"
finish
