/* SPDX-License-Identifier: MIT */
/*
 * What a verbs device is and has: its limits, capabilities, ports and GIDs,
 * and what it is known to get wrong.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "verbs_impl.h"

/* IB_UVERBS_DEVICE_FLUSH_GLOBAL and _PERSISTENT, which older headers lack. */
#define DEVICE_FLUSH (UINT64_C(3) << 38)

/* As sysfs prints them. */
static const struct name port_states[] = {
	{ "0: NOP", IBV_PORT_NOP },
	{ "1: DOWN", IBV_PORT_DOWN },
	{ "2: INIT", IBV_PORT_INIT },
	{ "3: ARMED", IBV_PORT_ARMED },
	{ "4: ACTIVE", IBV_PORT_ACTIVE },
	{ "5: ACTIVE_DEFER", IBV_PORT_ACTIVE_DEFER },
	{ NULL, 0 },
};

static const struct name link_layers[] = {
	{ "Unspecified", IBV_LINK_LAYER_UNSPECIFIED },
	{ "InfiniBand", IBV_LINK_LAYER_INFINIBAND },
	{ "Ethernet", IBV_LINK_LAYER_ETHERNET },
	{ NULL, 0 },
};

/* Limits are ints in struct ibv_device_attr. */
static uint32_t
limit(int value)
{
	return value > 0 ? (uint32_t)value : 0;
}

/*
 * Only type 2B windows count: 2A ones are not tied to a queue pair (W8).  That
 * a device honours zero_based or hugetlb at registration is told by none.
 */
static uint32_t
caps_of(const struct ibv_device_attr_ex *attr)
{
	const struct ibv_device_attr *a = &attr->orig_attr;
	uint32_t caps = 0;

	if (a->device_cap_flags & IBV_DEVICE_MEM_WINDOW)
		caps |= CAP_MW_TYPE_1;
	if (a->device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2B)
		caps |= CAP_MW_TYPE_2;
	if ((attr->odp_caps.general_caps & IBV_ODP_SUPPORT) &&
	    attr->odp_caps.per_transport_caps.rc_odp_caps != 0)
		caps |= CAP_ON_DEMAND;
	if (a->atomic_cap != IBV_ATOMIC_NONE)
		caps |= CAP_ATOMIC;
	if ((attr->device_cap_flags_ex & DEVICE_FLUSH) == DEVICE_FLUSH)
		caps |= CAP_FLUSH;
	return caps;
}

/* Only soft-RoCE has a vendor of all ones and says which netdev carries it. */
static bool
is_rxe(const struct ibv_device *dev, uint32_t vendor_id)
{
	char path[sizeof(dev->ibdev_path) + sizeof("/parent")];

	(void)snprintf(path, sizeof(path), "%s/parent", dev->ibdev_path);
	return vendor_id == RXE_VENDOR_ID && access(path, F_OK) == 0;
}

/*
 * What soft-RoCE gets wrong on every kernel so far and nothing here can hide:
 * window_range	a window opens all of its region (D1)
 * window_owner	any queue pair can invalidate any type 2 window (D11)
 * same_keys	lkey and rkey are one value (D9)
 * key_guess	keys are sequential, but for their tag (D13)
 * rereg	regions cannot be changed (D6)
 */
static const char *
breaks_of(const struct ibv_device *dev, uint32_t vendor_id)
{
	if (is_rxe(dev, vendor_id))
		return "window_range,window_owner,same_keys,key_guess,rereg";
	return "";
}

/* The smallest of the ports; what does not say is not counted. */
static uint32_t
max_msg_of(struct ibv_context *ctx, unsigned ports)
{
	struct ibv_port_attr a;
	uint32_t max = UINT32_MAX;
	unsigned port;

	for (port = 1; port <= ports; port++)
		if (ibv_query_port(ctx, (uint8_t)port, &a) == 0 &&
		    a.max_msg_sz != 0)
			max = MIN(max, a.max_msg_sz);
	return max;
}

int
verbs_describe(struct ibv_context *ctx, struct dev_info *info, struct err *e)
{
	struct ibv_device_attr_ex attr;
	const struct ibv_device_attr *a = &attr.orig_attr;
	int r;

	memset(&attr, 0, sizeof(attr));
	if ((r = ibv_query_device_ex(ctx, NULL, &attr)) != 0)
		return verbs_fail(e, r, "ibv_query_device_ex");
	*info = (struct dev_info){
		.node_guid = be64toh(a->node_guid),
		.sys_image_guid = be64toh(a->sys_image_guid),
		.vendor_id = a->vendor_id,
		.vendor_part_id = a->vendor_part_id,
		.hw_ver = a->hw_ver,
		.max_mr_size = a->max_mr_size,
		.page_size_cap = a->page_size_cap,
		.max_qp = limit(a->max_qp),
		.max_qp_wr = limit(a->max_qp_wr),
		.max_sge = limit(a->max_sge),
		.max_cq = limit(a->max_cq),
		.max_cqe = limit(a->max_cqe),
		.max_mr = limit(a->max_mr),
		.max_mw = limit(a->max_mw),
		.max_pd = limit(a->max_pd),
		.caps = caps_of(&attr),
		.port_count = a->phys_port_cnt,
		.max_msg = max_msg_of(ctx, a->phys_port_cnt),
		.piece = BOUNCE_PIECE,
		.fresh_type_2 = true, /* D8 on some, harmless on others */
		.chains = true,
		.in_kernel = true,
	};
	strlcpy(
	    info->name, ibv_get_device_name(ctx->device), sizeof(info->name));
	strlcpy(info->fw_ver, a->fw_ver, sizeof(info->fw_ver));
	strlcpy(info->breaks, breaks_of(ctx->device, a->vendor_id),
	    sizeof(info->breaks));
	return 0;
}

static const char *
word_of(const struct name *table, uint32_t value)
{
	const char *name = name_of(table, value);

	return name != NULL ? name : "unknown";
}

int
verbs_port_query(
    struct backend *b, unsigned port, struct port_info *out, struct err *e)
{
	struct verbs_dev *d = b->priv;
	struct ibv_port_attr a;
	int r;

	if ((r = ibv_query_port(d->ctx, (uint8_t)port, &a)) != 0)
		return verbs_fail(e, r, "ibv_query_port");
	*out = (struct port_info){
		.state = a.state,
		.state_name = word_of(port_states, a.state),
		.link_layer = word_of(link_layers, a.link_layer),
		.lid = a.lid,
		.mtu = 128u << a.active_mtu, /* IBV_MTU_256 is 1 */
		.gid_count = limit(a.gid_tbl_len),
	};
	return 0;
}

int
verbs_gid_query(struct backend *b, unsigned port, unsigned index,
    struct gid *out, struct err *e)
{
	struct verbs_dev *d = b->priv;
	struct ibv_gid_entry entry;
	int r;

	memset(out, 0, sizeof(*out));
	r = ibv_query_gid_ex(d->ctx, port, index, &entry, 0);
	if (r == ENODATA) /* an empty entry */
		return 0;
	if (r != 0)
		return verbs_fail(e, r, "ibv_query_gid_ex");
	memcpy(out->raw, entry.gid.raw, sizeof(out->raw));
	return 0;
}
