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

#define MAX_NUMBER  253 /* soft253 has 127.0.0.254 */
#define MAX_MR_SIZE (UINT64_C(1) << 40) /* bytes */
#define PORT_ACTIVE 4 /* IBV_PORT_ACTIVE */

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
	/* As of a network card 02:00:00:00:00:<number>, EUI-64 (RFC 4291). */
	info->node_guid = UINT64_C(0x000000fffe000000) | number;
	info->sys_image_guid = info->node_guid;
	info->max_mr_size = MAX_MR_SIZE;
	info->page_size_cap = ~UINT64_C(4095);
	info->max_mr = SOFT_MAX_MR;
	info->max_mw = SOFT_MAX_MW;
	info->max_pd = SOFT_MAX_PD;
	info->caps =
	    CAP_MW_TYPE_1 | CAP_MW_TYPE_2 | CAP_ZERO_BASED_MR | CAP_ATOMIC;
	info->port_count = 1;
}

static int
soft_open(struct backend *b, const char *name, struct err *e)
{
	unsigned number;
	struct soft *s;

	if (!parse_name(name, &number))
		return fail(e, ENODEV,
		    "no soft device has this name: they are soft0 to soft%d",
		    MAX_NUMBER);
	if ((s = calloc(1, sizeof(*s))) == NULL)
		return fail(e, ENOMEM, "the daemon is out of memory");
	if (softkeys_init(&s->keys) < 0) {
		free(s);
		return fail(e, ENOMEM, "the daemon is out of memory");
	}
	(void)pthread_mutex_init(&s->lock, NULL);
	s->number = number;
	fill_info(&b->info, number);
	b->priv = s;
	return 0;
}

static void
soft_close(struct backend *b)
{
	struct soft *s = b->priv;

	assert(s->pds == 0 && s->regions == 0 && s->windows == 0);
	softkeys_fini(&s->keys);
	(void)pthread_mutex_destroy(&s->lock);
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
		.mtu = 4096,
		.gid_count = 2,
	};
	return 0;
}

/* Those of soft-RoCE: fe80::<guid>, and ::ffff:127.0.0.<number + 1>. */
static int
soft_gid_query(struct backend *b, unsigned port, unsigned index,
    struct gid *out, struct err *e)
{
	const struct soft *s = b->priv;
	unsigned i;

	*out = (struct gid){ 0 };
	if (index > 1)
		return fail(e, EINVAL, "the port has GIDs 0 and 1");
	if (index == 0) {
		out->raw[0] = 0xfe;
		out->raw[1] = 0x80;
		for (i = 0; i < 8; i++)
			out->raw[8 + i] =
			    (uint8_t)(b->info.node_guid >> (56 - 8 * i));
		return 0;
	}
	out->raw[10] = 0xff;
	out->raw[11] = 0xff;
	out->raw[12] = 127;
	out->raw[15] = (uint8_t)(s->number + 1);
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
	.access = soft_access,
};
