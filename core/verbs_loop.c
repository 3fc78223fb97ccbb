/* SPDX-License-Identifier: MIT */
/*
 * Connects a queue pair to itself.  Such a one binds windows on every device
 * and needs no peer.  Knows nothing of what is posted on it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_impl.h"

/* Where the queue pair sits, on both ends. */
struct loop {
	unsigned port;
	struct ibv_port_attr attr;
	unsigned gid_index; /* these two: Ethernet only */
	union ibv_gid gid;
};

/* The first active port; else the first, for a bind sends nothing. */
static int
loop_port(
    struct ibv_context *ctx, unsigned ports, struct loop *l, struct err *e)
{
	int r;

	for (l->port = 1; l->port <= ports; l->port++)
		if (ibv_query_port(ctx, (uint8_t)l->port, &l->attr) == 0 &&
		    l->attr.state == IBV_PORT_ACTIVE)
			return 0;
	l->port = 1;
	if ((r = ibv_query_port(ctx, 1, &l->attr)) != 0)
		return verbs_fail(e, r, "ibv_query_port");
	return 0;
}

static bool
is_ipv4_v2(const struct ibv_gid_entry *entry)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return entry->gid_type == IBV_GID_TYPE_ROCE_V2 &&
	       memcmp(entry->gid.raw, mapped, sizeof(mapped)) == 0;
}

/* The first IPv4 GID of RoCE v2, else the first. */
static int
loop_gid(struct ibv_context *ctx, struct loop *l, struct err *e)
{
	struct ibv_gid_entry entry;
	bool found = false;
	int i, r;

	for (i = 0; i < l->attr.gid_tbl_len; i++) {
		r = ibv_query_gid_ex(ctx, l->port, (uint32_t)i, &entry, 0);
		if (r != 0 && r != ENODATA) /* which is an empty entry */
			return verbs_fail(e, r, "ibv_query_gid_ex");
		if (r != 0 || (found && !is_ipv4_v2(&entry)))
			continue;
		found = true;
		l->gid_index = (unsigned)i;
		l->gid = entry.gid;
		if (is_ipv4_v2(&entry))
			return 0;
	}
	return found ? 0 : fail(e, EIO, "port %u has no GID", l->port);
}

static int
loop_find(
    struct ibv_context *ctx, unsigned ports, struct loop *l, struct err *e)
{
	int r;

	if ((r = loop_port(ctx, ports, l, e)) < 0)
		return r;
	if (l->attr.link_layer != IBV_LINK_LAYER_ETHERNET)
		return 0;
	return loop_gid(ctx, l, e);
}

static int
to_init(struct ibv_qp *qp, const struct loop *l)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = (uint8_t)l->port,
		.qp_access_flags = IBV_ACCESS_MW_BIND,
	};

	return ibv_modify_qp(qp, &a,
	    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		IBV_QP_ACCESS_FLAGS);
}

static int
to_rtr(struct ibv_qp *qp, const struct loop *l)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = l->attr.active_mtu,
		.dest_qp_num = qp->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12, /* 0.64 ms */
		.ah_attr = {
			.dlid = l->attr.lid,
			.port_num = (uint8_t)l->port,
		},
	};

	if (l->attr.link_layer == IBV_LINK_LAYER_ETHERNET) {
		a.ah_attr.is_global = 1;
		a.ah_attr.grh.dgid = l->gid;
		a.ah_attr.grh.sgid_index = (uint8_t)l->gid_index;
		a.ah_attr.grh.hop_limit = 1;
	}
	return ibv_modify_qp(qp, &a,
	    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
		IBV_QP_MIN_RNR_TIMER);
}

static int
to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14, /* 67 ms */
		.retry_cnt = 3,
		.rnr_retry = 3,
		.max_rd_atomic = 1,
	};

	return ibv_modify_qp(qp, &a,
	    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

int
loop_connect(struct ibv_qp *qp, unsigned ports, struct err *e)
{
	struct loop l = { 0 };
	int r;

	if ((r = loop_find(qp->context, ports, &l, e)) < 0)
		return r;
	if ((r = to_init(qp, &l)) == 0 && (r = to_rtr(qp, &l)) == 0 &&
	    (r = to_rts(qp)) == 0)
		return 0;
	if (l.attr.state != IBV_PORT_ACTIVE)
		return fail(e, EIO, "ibv_modify_qp: %s; port %u is not active",
		    strerror(abs(r)), l.port);
	return verbs_fail(e, r, "ibv_modify_qp");
}
