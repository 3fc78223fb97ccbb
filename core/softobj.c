/* SPDX-License-Identifier: MIT */
/*
 * The domains and regions of soft devices: makes and ends them, and gives
 * them their keys.  Who may access what is softaccess.c's; windows are
 * softwin.c's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "softobj.h"

#define REGION_KEYS 2 /* lkey and rkey (M9) */

int
soft_no_memory(struct err *e)
{
	return fail(e, ENOMEM, "the daemon is out of memory");
}

int
soft_no_index(struct err *e)
{
	return fail(e, ENOSPC, "all %u indexes of keys are in use or retired",
	    SOFTKEY_INDEXES - 1);
}

int
soft_count_up(uint32_t *count, uint32_t max, const char *what, struct err *e)
{
	if (*count >= max)
		return fail(e, ENOSPC,
		    "the device has room for %u %s, and has"
		    " them",
		    max, what);
	(*count)++;
	return 0;
}

int
soft_pd_alloc(struct backend *b, struct bk_pd **out, struct err *e)
{
	struct bk_pd *pd;
	struct soft *s;
	int r;

	if ((pd = calloc(1, sizeof(*pd))) == NULL)
		return soft_no_memory(e);
	s = soft_lock(b);
	r = soft_count_up(&s->pds, SOFT_MAX_PD, "domains", e);
	soft_unlock(s);
	if (r < 0)
		free(pd);
	else
		*out = pd;
	return r;
}

int
soft_pd_free(struct backend *b, struct bk_pd *pd, struct err *e)
{
	struct soft *s = soft_lock(b);
	uint32_t children = pd->children;

	if (children == 0)
		s->pds--;
	soft_unlock(s);
	if (children > 0)
		return fail(e, EBUSY,
		    "%u regions, windows and queue pairs are in this domain "
		    "(P2)",
		    children);
	free(pd);
	return 0;
}

/* Lock held. */
static void
new_region_keys(struct soft *s, struct bk_mr *mr, struct mr_keys *keys)
{
	mr->keys.lkey = softkey_next(&s->keys, &mr->key);
	mr->keys.rkey = softkey_next(&s->keys, &mr->key);
	*keys = mr->keys;
}

/* Lock held. */
static int
region_enter(struct soft *s, struct bk_mr *mr, struct err *e)
{
	int r;

	if ((r = soft_count_up(&s->regions, SOFT_MAX_MR, "regions", e)) < 0)
		return r;
	if (softkey_take(&s->keys, &mr->key, REGION_KEYS) < 0) {
		s->regions--;
		return soft_no_index(e);
	}
	mr->pd->children++;
	return 0;
}

int
soft_mr_reg(struct backend *b, struct bk_pd *pd, struct mem *mem, uint64_t iova,
    uint32_t rights, struct bk_mr **out, struct mr_keys *keys, struct err *e)
{
	struct bk_mr *mr;
	struct soft *s;
	int r;

	if ((r = mem_lock(mem, e)) < 0)
		return r;
	if ((mr = calloc(1, sizeof(*mr))) == NULL)
		return soft_no_memory(e);
	mr->pd = pd;
	mr->rights = rights;
	mr->iova = iova;
	mr->length = mem->length;
	mr->mem = *mem;
	s = soft_lock(b);
	if ((r = region_enter(s, mr, e)) == 0)
		new_region_keys(s, mr, keys);
	soft_unlock(s);
	if (r < 0)
		free(mr);
	else
		*out = mr;
	return r;
}

/* M10.  Lock held. */
static int
region_busy(const struct bk_mr *mr, struct err *e)
{
	if (mr->windows == 0)
		return 0;
	return fail(
	    e, EBUSY, "%u windows are bound to this region (M10)", mr->windows);
}

/* Lock held. */
static int
region_change(struct soft *s, struct bk_mr *mr, struct bk_pd *pd,
    uint32_t rights, struct mr_keys *keys, struct err *e)
{
	int r;

	if ((r = region_busy(mr, e)) < 0)
		return r;
	if (softkey_renew(&s->keys, &mr->key, REGION_KEYS) < 0)
		return soft_no_index(e);
	if (pd != NULL) {
		mr->pd->children--;
		mr->pd = pd;
		pd->children++;
	}
	mr->rights = rights;
	new_region_keys(s, mr, keys);
	return 0;
}

int
soft_mr_rereg(struct backend *b, struct bk_mr *mr, struct bk_pd *pd,
    uint32_t rights, struct mr_keys *keys, bool *gone, struct err *e)
{
	struct soft *s = soft_lock(b);
	int r = region_change(s, mr, pd, rights, keys, e);

	if (r == 0)
		movers_wait(s->fabric, mr);
	soft_unlock(s);
	*gone = false;
	return r;
}

int
soft_mr_dereg(struct backend *b, struct bk_mr *mr, struct err *e)
{
	struct soft *s = soft_lock(b);
	int r;

	if ((r = region_busy(mr, e)) == 0) {
		softkey_release(&s->keys, &mr->key);
		movers_wait(s->fabric, mr);
		mr->pd->children--;
		s->regions--;
	}
	soft_unlock(s);
	if (r < 0)
		return r;
	explicit_bzero(&mr->keys, sizeof(mr->keys));
	free(mr);
	return 0;
}
