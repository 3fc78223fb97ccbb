/* SPDX-License-Identifier: MIT */
/*
 * Soft devices: their names, what they say of themselves, and their table of
 * operations; see soft.h.  Knows nothing of what is in a domain (softobj.c).
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft.h"
#include "softobj.h"
#include "softqp.h"

#define MAX_NUMBER  253 /* soft253 has 127.0.0.254 */
#define MAX_MR_SIZE (UINT64_C(1) << 40) /* bytes */
#define PORT_ACTIVE 4 /* IBV_PORT_ACTIVE */
/* As of a network card 02:00:00:00:00:<number>, EUI-64 (RFC 4291). */
#define NODE_GUID UINT64_C(0x000000fffe000000)

static bool
parse_name(const char *name, unsigned *number)
{
	const char *errstr;

	if (strncmp(name, "soft", 4) != 0 || name[4] < '0' || name[4] > '9')
		return false;
	if (name[4] == '0' && name[5] != '\0')
		return false;
	*number = (unsigned)strtonum(name + 4, 0, MAX_NUMBER, &errstr);
	return errstr == NULL;
}

static void
fill_info(struct dev_info *info, unsigned number)
{
	(void)snprintf(info->name, sizeof(info->name), "soft%u", number);
	(void)strlcpy(info->fw_ver, "soft", sizeof(info->fw_ver));
	info->node_guid = NODE_GUID | number;
	info->sys_image_guid = info->node_guid;
	info->max_mr_size = MAX_MR_SIZE;
	info->page_size_cap = ~UINT64_C(4095);
	info->max_mr = SOFT_MAX_MR;
	info->max_mw = SOFT_MAX_MW;
	info->max_pd = SOFT_MAX_PD;
	info->max_qp = SOFT_MAX_QP;
	info->max_qp_wr = SOFT_MAX_QP_WR;
	info->max_sge = 1;
	info->max_cq = 2 * SOFT_MAX_QP; /* as if each queue had one */
	info->max_cqe = SOFT_MAX_QP_WR;
	info->max_msg = MESSAGE_MAX;
	info->caps =
	    CAP_MW_TYPE_1 | CAP_MW_TYPE_2 | CAP_ZERO_BASED_MR | CAP_ATOMIC;
	info->windows_at_once = true;
	info->port_count = 1;
	info->unmapped = true;
}

/* Those of soft-RoCE: fe80::<guid>, and ::ffff:127.0.0.<number + 1>. */
static void
fill_gids(struct gid gids[SOFT_GIDS], unsigned number)
{
	const uint64_t guid = NODE_GUID | number;
	unsigned i;

	gids[0].raw[0] = 0xfe;
	gids[0].raw[1] = 0x80;
	for (i = 0; i < 8; i++)
		gids[0].raw[8 + i] = (uint8_t)(guid >> (56 - 8 * i));
	gids[1].raw[10] = 0xff;
	gids[1].raw[11] = 0xff;
	gids[1].raw[12] = 127;
	gids[1].raw[15] = (uint8_t)(number + 1);
}

/* Joins the fabric that was given, or one of its own. */
static int
join(struct soft *s, struct fabric *f, struct err *e)
{
	s->lone = f == NULL;
	s->fabric = f != NULL ? f : fabric_new();
	if (s->fabric == NULL)
		return fail(e, ENOMEM,
		    "the daemon is out of memory, or can make no thread");
	(void)pthread_mutex_lock(&s->fabric->lock);
	LIST_INSERT_HEAD(&s->fabric->devices, s, link);
	soft_unlock(s);
	return 0;
}

static void
leave(struct soft *s)
{
	(void)pthread_mutex_lock(&s->fabric->lock);
	LIST_REMOVE(s, link);
	soft_unlock(s);
	if (s->lone)
		fabric_free(s->fabric);
}

static int
soft_open(struct backend *b, const char *name, struct err *e)
{
	unsigned number;
	struct soft *s;
	int r;

	if (!parse_name(name, &number))
		return fail(e, ENODEV,
		    "no soft device has this name: they are soft0 to soft%d",
		    MAX_NUMBER);
	if ((s = calloc(1, sizeof(*s))) == NULL)
		return soft_no_memory(e);
	fill_gids(s->gids, number);
	RB_INIT(&s->qps);
	s->next_qpn = arc4random();
	if (softkeys_init(&s->keys) < 0) {
		free(s);
		return soft_no_memory(e);
	}
	if ((r = join(s, b->fabric, e)) < 0) {
		softkeys_fini(&s->keys);
		free(s);
		return r;
	}
	fill_info(&b->info, number);
	b->priv = s;
	return 0;
}

static void
soft_close(struct backend *b)
{
	struct soft *s = b->priv;

	assert(s->pds == 0 && s->regions == 0 && s->windows == 0);
	assert(RB_EMPTY(&s->qps));
	leave(s);
	softkeys_fini(&s->keys);
	free(s);
}

static int
soft_port_query(
    struct backend *b, unsigned port, struct port_info *out, struct err *e)
{
	*out = (struct port_info){
		.state = PORT_ACTIVE,
		.state_name = "4: ACTIVE",
		.link_layer = "Ethernet",
		.mtu = SOFT_MTU,
		.gid_count = SOFT_GIDS,
	};
	return 0;
}

static int
soft_gid_query(struct backend *b, unsigned port, unsigned index,
    struct gid *out, struct err *e)
{
	const struct soft *s = b->priv;

	*out = (struct gid){ 0 };
	if (index >= SOFT_GIDS)
		return fail(e, EINVAL, "the port has GIDs 0 and 1");
	*out = s->gids[index];
	return 0;
}

uint32_t
soft_retired(struct backend *b)
{
	struct soft *s = soft_lock(b);
	uint32_t n = s->keys.retired;

	soft_unlock(s);
	return n;
}

uint32_t
soft_in_use(struct backend *b)
{
	struct soft *s = soft_lock(b);
	uint32_t n = s->keys.in_use;

	soft_unlock(s);
	return n;
}

void
soft_force_index(struct backend *b, uint32_t index, unsigned n)
{
	struct soft *s = soft_lock(b);

	s->keys.forced = index;
	s->keys.forced_left = n;
	soft_unlock(s);
}

const struct backend_ops soft_ops = {
	.kind = "soft",
	.open = soft_open,
	.close = soft_close,
	.port_query = soft_port_query,
	.gid_query = soft_gid_query,
	.pd_alloc = soft_pd_alloc,
	.pd_free = soft_pd_free,
	.mr_reg = soft_mr_reg,
	.mr_rereg = soft_mr_rereg,
	.mr_dereg = soft_mr_dereg,
	.mw_alloc = soft_mw_alloc,
	.mw_free = soft_mw_free,
	.mw_bind = soft_mw_bind,
	.mw_invalidate = soft_mw_invalidate,
	.qp_create = soft_qp_create,
	.qp_destroy = soft_qp_destroy,
	.qp_connect = soft_qp_connect,
	.qp_rights = soft_qp_rights,
	.qp_state = soft_qp_state,
	.qp_post = soft_qp_post,
	.qp_recv = soft_qp_recv,
	.access = soft_access,
};
