/* SPDX-License-Identifier: MIT */
/*
 * Where a queue pair sits (a port, a GID of it) and its way from RESET to RTS.
 * Knows nothing of what is posted on it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "verbs_impl.h"

#define RD_ATOMIC 16 /* reads and atomics under way at once, at most */
#define HOPS      64

/* The first active port, else the first. */
static int
port_any(struct ibv_context *ctx, unsigned ports, struct conn *c, struct err *e)
{
	int r;

	for (c->port = 1; c->port <= ports; c->port++)
		if (ibv_query_port(ctx, (uint8_t)c->port, &c->attr) == 0 &&
		    c->attr.state == IBV_PORT_ACTIVE)
			return 0;
	c->port = 1;
	if ((r = ibv_query_port(ctx, 1, &c->attr)) != 0)
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

static void
gid_take(struct conn *c, const struct ibv_gid_entry *entry)
{
	c->gid_index = (int)entry->gid_index;
	c->gid = entry->gid;
}

/* The first IPv4 GID of RoCE v2, else the first; none is no error. */
static int
gid_any(struct ibv_context *ctx, struct conn *c, struct err *e)
{
	struct ibv_gid_entry entry;
	int i, r;

	for (i = 0; i < c->attr.gid_tbl_len; i++) {
		r = ibv_query_gid_ex(ctx, c->port, (uint32_t)i, &entry, 0);
		if (r != 0 && r != ENODATA) /* which is an empty entry */
			return verbs_fail(e, r, "ibv_query_gid_ex");
		if (r != 0 || (c->gid_index >= 0 && !is_ipv4_v2(&entry)))
			continue;
		gid_take(c, &entry);
		if (is_ipv4_v2(&entry))
			return 0;
	}
	return 0;
}

static int
gid_chosen(struct ibv_context *ctx, int index, struct conn *c, struct err *e)
{
	struct ibv_gid_entry entry;
	int r;

	/* An address vector has 8 bits for it. */
	if (index >= MIN(c->attr.gid_tbl_len, UINT8_MAX + 1))
		return fail_at(e, "gid", EINVAL,
		    "port %u has no GID %d: it has %d of them", c->port, index,
		    c->attr.gid_tbl_len);
	r = ibv_query_gid_ex(ctx, c->port, (uint32_t)index, &entry, 0);
	if (r == ENODATA)
		return fail_at(e, "gid", EINVAL, "GID %d of port %u is empty",
		    index, c->port);
	if (r != 0)
		return verbs_fail(e, r, "ibv_query_gid_ex");
	gid_take(c, &entry);
	return 0;
}

/* A read over a queue pair that may have none under way never completes. */
static uint8_t
rd_atomic(int max)
{
	return (uint8_t)MAX(1, MIN(max, RD_ATOMIC));
}

static int
conn_limits(struct ibv_context *ctx, struct conn *c, struct err *e)
{
	struct ibv_device_attr a;
	int r;

	if ((r = ibv_query_device(ctx, &a)) != 0)
		return verbs_fail(e, r, "ibv_query_device");
	c->answers = rd_atomic(a.max_qp_rd_atom);
	c->asks = rd_atomic(a.max_qp_init_rd_atom);
	return 0;
}

int
conn_find(struct ibv_context *ctx, unsigned ports, unsigned port, int gid,
    struct conn *c, struct err *e)
{
	int r;

	*c = (struct conn){ .port = port, .gid_index = -1 };
	if ((r = conn_limits(ctx, c, e)) < 0)
		return r;
	r = port == 0 ? port_any(ctx, ports, c, e) : conn_renew(ctx, c, e);
	if (r < 0)
		return r;
	if (gid < 0)
		return gid_any(ctx, c, e);
	return gid_chosen(ctx, gid, c, e);
}

int
conn_renew(struct ibv_context *ctx, struct conn *c, struct err *e)
{
	int r = ibv_query_port(ctx, (uint8_t)c->port, &c->attr);

	return r == 0 ? 0 : verbs_fail(e, r, "ibv_query_port");
}

unsigned
conn_mtu(const struct conn *c)
{
	return 128u << c->attr.active_mtu; /* IBV_MTU_256 is 1 */
}

/* The smaller of both; a peer that does not say takes ours. */
static enum ibv_mtu
path_mtu(const struct conn *c, unsigned remote)
{
	enum ibv_mtu mtu = c->attr.active_mtu;

	while (remote != 0 && mtu > IBV_MTU_256 && 128u << mtu > remote)
		mtu--;
	return mtu;
}

static bool
has_gid(const struct qp_addr *a)
{
	static const struct gid none;

	return memcmp(&a->gid, &none, sizeof(none)) != 0;
}

/* Ethernet always has a GRH, InfiniBand where there is no LID to go by. */
static int
path_to(const struct conn *c, const struct qp_addr *remote,
    struct ibv_ah_attr *ah, struct err *e)
{
	bool ethernet = c->attr.link_layer == IBV_LINK_LAYER_ETHERNET;

	*ah = (struct ibv_ah_attr){ .port_num = (uint8_t)c->port };
	if (!ethernet && remote->lid != 0) {
		ah->dlid = (uint16_t)remote->lid;
		return 0;
	}
	if (c->gid_index < 0)
		return fail(e, EIO, "port %u has no GID", c->port);
	if (!has_gid(remote))
		return fail_at(e, "gid", EINVAL, "the peer's GID is missing%s",
		    ethernet ? "" : ", and so is its LID");
	ah->is_global = 1;
	memcpy(ah->grh.dgid.raw, remote->gid.raw, sizeof(remote->gid.raw));
	ah->grh.sgid_index = (uint8_t)c->gid_index;
	ah->grh.hop_limit = HOPS;
	return 0;
}

static int
to_init(struct ibv_qp *qp, const struct conn *c, uint32_t rights)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = (uint8_t)c->port,
		.qp_access_flags = rights,
	};

	return ibv_modify_qp(qp, &a,
	    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		IBV_QP_ACCESS_FLAGS);
}

/* UC answers nothing, so it has fewer attributes: ibv_modify_qp(3). */
static int
to_rtr(struct ibv_qp *qp, const struct conn *c, const struct qp_addr *remote,
    const struct ibv_ah_attr *ah)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = path_mtu(c, remote->mtu),
		.dest_qp_num = remote->qpn,
		.rq_psn = remote->psn,
		.max_dest_rd_atomic = c->answers,
		/* 41 ms, 6 times.  Shorter than the timeout, for soft-RoCE
		 * counts a peer that is not ready for one that is gone. */
		.min_rnr_timer = 24,
		.ah_attr = *ah,
	};
	int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
		   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(qp, &a, mask);
}

static int
to_rts(struct ibv_qp *qp, const struct conn *c, uint32_t psn)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = psn,
		.timeout = 14, /* 67 ms */
		.retry_cnt = 3,
		.rnr_retry = 6,
		.max_rd_atomic = c->asks,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(qp, &a, mask);
}

int
conn_up(struct ibv_qp *qp, const struct conn *c, uint32_t psn,
    const struct qp_addr *remote, uint32_t rights, struct err *e)
{
	struct ibv_ah_attr ah;
	int r;

	if ((r = path_to(c, remote, &ah, e)) < 0)
		return r;
	if ((r = to_init(qp, c, rights)) == 0 &&
	    (r = to_rtr(qp, c, remote, &ah)) == 0 &&
	    (r = to_rts(qp, c, psn)) == 0)
		return 0;
	if (c->attr.state != IBV_PORT_ACTIVE)
		return fail(e, EIO, "ibv_modify_qp: %s; port %u is not active",
		    strerror(abs(r)), c->port);
	return verbs_fail(e, r, "ibv_modify_qp");
}
