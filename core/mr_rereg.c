/* SPDX-License-Identifier: MIT */
/* New rights or another domain for a region: ibv_rereg_mr(3), or its
 * emulation; see mr.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dev.h"
#include "event.h"
#include "mr_impl.h"
#include "pd.h"
#include "rules.h"

/* The same memory registered anew before the old registration goes, so that
 * nothing is lost on a device without ibv_rereg_mr (D6). */
static int
mr_rereg_emulate(struct mr *mr, struct pd *pd, uint32_t rights,
    struct mr_keys *keys, struct err *e)
{
	struct backend *b = mr_backend(mr);
	struct bk_mr *fresh;
	int r;

	r = backend_mr_reg(
	    b, pd->b, &mr->mem, mr->iova, rights, &fresh, keys, e);
	if (r < 0)
		return r;
	if ((r = backend_mr_dereg(b, mr->b, e)) < 0) {
		(void)backend_mr_dereg(b, fresh, NULL);
		return r;
	}
	mr->b = fresh;
	return 0;
}

/* What a change has come to. */
struct rereg {
	struct mr_keys keys;
	bool made; /* keys are the region's now */
	bool gone; /* the region is no more (M11) */
	bool emulated;
};

static int
mr_rereg_try(struct mr *mr, struct pd *pd, uint32_t rights, struct rereg *re,
    struct err *e)
{
	const bool moves = pd != pd_above(&mr->o);
	int r;

	r = backend_mr_rereg(mr_backend(mr), mr->b, moves ? pd->b : NULL,
	    rights, &re->keys, &re->gone, e);
	if (r == -EOPNOTSUPP) {
		re->emulated = true;
		r = mr_rereg_emulate(mr, pd, rights, &re->keys, e);
	}
	re->made |= r == 0;
	return r;
}

/* The keys and rights that it has now. */
static void
mr_rereg_keep(struct mr *mr, uint32_t rights, const struct rereg *re, uid_t by)
{
	mr_set_keys(mr, &re->keys, KEY_END_REREG, by);
	mr->rights = rights & RIGHT_KEPT;
	mr->emulated |= re->emulated;
	obj_touch(&mr->o);
	event_of(&mr->o, EV_REREGISTERED, by);
}

/* Its place in the tree follows; *old is where it was. */
static int
mr_rereg_move(struct op *op, struct obj **old)
{
	struct mr *mr = mr_of(op->obj);
	struct pd *pd = op->u.mr.pd;
	struct world *w = mr->o.world;
	int r = 0;

	*old = NULL;
	if (pd == NULL)
		return 0;
	world_lock(w);
	if (&pd->o != mr->o.parent)
		r = obj_move(&mr->o, &pd->o, op->reader, old, &op->err);
	world_unlock(w);
	return r;
}

/*
 * While the device was at work its name has been taken there: back to where
 * it stands in the tree.
 */
static void
mr_rereg_back(struct op *op, struct rereg *re)
{
	struct mr *mr = mr_of(op->obj);
	struct err why;
	size_t len = strlen(op->err.text);

	if (mr_rereg_try(mr, pd_above(&mr->o), mr->rights, re, &why) < 0 &&
	    !re->gone) {
		(void)backend_mr_dereg(mr_backend(mr), mr->b, NULL);
		re->gone = true;
	}
	if (re->gone)
		(void)snprintf(op->err.text + len, ERR_TEXT - len,
		    "; the region is gone: %s", why.text);
}

static void
mr_rereg_over(struct op *op, int r, struct rereg *re)
{
	struct mr *mr = mr_of(op->obj);
	struct pd *pd = op->u.mr.pd;
	struct world *world = mr->o.world;
	struct mem mem;

	world_lock(world);
	mr->changing = false;
	if (re->gone)
		mem = mr_ended(mr, KEY_END_REREG, op->reader);
	if (pd != NULL)
		pd_use_ends(pd);
	world_unlock(world);
	if (re->gone)
		mem_release(world, &mem);
	if (pd != NULL)
		obj_unref(&pd->o);
	explicit_bzero(re, sizeof(*re));
	op->done(op, r);
}

static void
mr_rereg_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct mr *mr = mr_of(op->obj);
	struct pd *pd = op->u.mr.pd;
	struct rereg re = { .gone = false };
	struct obj *old = NULL;
	int r;

	r = mr_rereg_try(mr, pd != NULL ? pd : pd_above(&mr->o),
	    op->u.mr.rights, &re, &op->err);
	if (re.gone)
		(void)backend_mr_dereg(mr_backend(mr), mr->b, NULL);
	else if (r == 0 && (r = mr_rereg_move(op, &old)) < 0)
		mr_rereg_back(op, &re);
	if (!re.gone && re.made) {
		world_lock(mr->o.world);
		mr_rereg_keep(
		    mr, r == 0 ? op->u.mr.rights : mr->rights, &re, op->reader);
		world_unlock(mr->o.world);
	}
	if (old != NULL)
		obj_unref(old);
	mr_rereg_over(op, r, &re);
}

static int
mr_rereg_allowed(struct mr *mr, uint32_t rights, uid_t reader, struct err *e)
{
	int r;

	if (!mr->active)
		return fail(e, ENODATA, "not registered");
	if ((r = rule_no_windows(mr, reader, e)) < 0)
		return r;
	if ((rights ^ mr->rights) & RIGHT_ZERO_BASED)
		return fail_at(e, "zero_based", EINVAL,
		    "zero_based is chosen at reg, because it decides the "
		    "addresses");
	r = rule_region_rights(&mr_backend(mr)->info, rights, e);
	return r < 0 ? r : rule_memory(rights, mr->mem.writable, e);
}

/* Whether it can go to pd; then pd stays until it has come. */
static int
mr_move_allowed(const struct mr *mr, struct pd *pd, struct err *e)
{
	if (pd == NULL || &pd->o == mr->o.parent)
		return 0;
	if (pd->o.dev != mr->o.dev)
		return fail_at(
		    e, "pd", EINVAL, "a region stays on its device (P1)");
	if (obj_by_name(obj_set(&pd->o, KIND_MR), mr->o.name) != NULL)
		return fail_at(e, "pd", EEXIST, "pd/%s has a mr/%s", pd->o.name,
		    mr->o.name);
	return pd_use_begins(pd, e);
}

int
mr_rereg(struct op *op, uint32_t rights, struct pd *pd)
{
	struct mr *mr = mr_of(op->obj);
	int r;

	world_lock(mr->o.world);
	if ((r = mr_rereg_allowed(mr, rights, op->reader, &op->err)) == 0 &&
	    (r = mr_move_allowed(mr, pd, &op->err)) == 0) {
		if (pd != NULL && &pd->o == mr->o.parent)
			pd = NULL;
		mr->changing = op->slow = true;
		op->u.mr.pd = pd;
		if (pd != NULL)
			obj_ref(&pd->o);
	}
	world_unlock(mr->o.world);
	if (r < 0)
		return r;
	op->u.mr.rights = rights;
	return mr_change(op, mr_rereg_work);
}

int
mr_rights(struct op *op, uint32_t rights)
{
	struct mr *mr = mr_of(op->obj);
	struct world *w = mr->o.world;
	int r;

	/* active changes only in a command that has its turn: ours. */
	if (mr->active)
		return mr_rereg(op, rights, NULL);
	world_lock(w);
	r = rule_region_rights(&mr_backend(mr)->info, rights, &op->err);
	if (r == 0) {
		mr->rights = rights & RIGHT_KEPT;
		obj_touch(&mr->o);
	}
	world_unlock(w);
	return r;
}
