/* SPDX-License-Identifier: MIT */
/* Protection domains; see pd.h. */
#include <errno.h>
#include <stdlib.h>

#include "backend.h"
#include "dev.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"
#include "qp.h"
#include "rules.h"

struct pd *
pd_of(struct obj *o)
{
	return (struct pd *)(void *)o;
}

struct pd *
pd_above(const struct obj *o)
{
	return pd_of(o->parent);
}

static int
pd_insert(struct pd *pd, struct err *e)
{
	struct world *w = pd->o.world;
	int r;

	world_lock(w);
	r = obj_insert(&pd->o, e);
	world_unlock(w);
	return r;
}

/* It did not come to be. */
static void
pd_discard(struct pd *pd)
{
	world_lock(pd->o.world);
	dev_uncharge(&pd->o);
	world_unlock(pd->o.world);
	obj_unref(&pd->o);
}

static void
pd_new_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct pd *pd = pd_of(op->u.make.fresh);
	struct backend *b = &dev_of(op->obj)->b;
	int r;

	if ((r = backend_pd_alloc(b, &pd->b, &op->err)) == 0 &&
	    (r = pd_insert(pd, &op->err)) < 0)
		(void)backend_pd_free(b, pd->b, NULL);
	if (r == 0)
		*op->u.make.out = &pd->o;
	else
		pd_discard(pd);
	op->done(op, r);
}

int
pd_new(struct op *op, const char *name, const struct owner *owner,
    struct obj **out)
{
	struct pd *pd = calloc(1, sizeof(*pd));
	int r;

	if (pd == NULL)
		return fail(&op->err, ENOMEM, "out of memory for a domain");
	pd->sets[0].kind = KIND_MR;
	pd->sets[1].kind = KIND_MW;
	pd->sets[2].kind = KIND_QP;
	pd->sets[2].fini = qp_fini;
	r = obj_init(
	    &pd->o, op->obj, KIND_PD, name, owner, pd->sets, 3, &op->err);
	if (r < 0) {
		free(pd);
		return r;
	}
	world_lock(pd->o.world);
	r = dev_charge(&pd->o, &op->err);
	world_unlock(pd->o.world);
	if (r < 0) {
		obj_unref(&pd->o);
		return r;
	}
	op->u.make.fresh = &pd->o;
	op->u.make.out = out;
	op->work.fn = pd_new_work;
	pool_submit(pd->o.world->slow, &op->work);
	return PENDING;
}

static void
pd_free_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct pd *pd = pd_of(op->obj);
	struct world *world = pd->o.world;
	int r;

	r = backend_pd_free(&dev_of(&pd->o)->b, pd->b, &op->err);
	world_lock(world);
	if (r == 0) {
		dev_uncharge(&pd->o);
		obj_remove(&pd->o, op->reader);
	} else {
		pd->o.dying = false;
	}
	world_unlock(world);
	op->done(op, r);
}

/* Frees the empty domain; dying keeps it empty, and what is on its way into it
 * turns back first. */
static int
pd_free(struct op *op)
{
	struct pd *pd = pd_of(op->obj);
	struct world *w = pd->o.world;

	op->work.fn = pd_free_work;
	world_lock(w);
	if (pd->uses > 0)
		pd->drain = op;
	else
		pool_submit(w->slow, &op->work);
	world_unlock(w);
	return PENDING;
}

int
pd_use_begins(struct pd *pd, struct err *e)
{
	if (pd->o.gone)
		return fail(e, ENODEV, "the domain is gone");
	if (pd->o.dying)
		return fail(e, EBUSY, "%s is being destroyed", pd->o.name);
	pd->uses++;
	return 0;
}

void
pd_use_ends(struct pd *pd)
{
	struct op *op = pd->drain;

	if (--pd->uses == 0 && op != NULL) {
		pd->drain = NULL;
		pool_submit(pd->o.world->slow, &op->work);
	}
}

/* Windows, then what they are bound over (W10, D2), then what they are bound
 * to (M10). */
static struct obj *
pd_next(struct op *op)
{
	static const enum kind order[] = { KIND_MW, KIND_QP, KIND_MR };
	struct obj *child = NULL;
	size_t i;

	for (i = 0; child == NULL && i < sizeof(order) / sizeof(order[0]); i++)
		child = obj_after(obj_set(op->obj, order[i]), 0);
	return child;
}

static int
pd_destroy_child(struct op *child)
{
	switch (child->obj->kind) {
	case KIND_MW:
		return mw_destroy(child);
	case KIND_QP:
		return qp_destroy(child, true);
	default:
		return mr_destroy(child, true);
	}
}

int
pd_destroy(struct op *op, bool all)
{
	struct pd *pd = pd_of(op->obj);
	struct world *w = pd->o.world;
	int r = 0;

	world_lock(w);
	if (!all)
		r = rule_domain_empty(pd, op->reader, &op->err);
	if (r == 0)
		pd->o.dying = true;
	world_unlock(w);
	if (r < 0)
		return r;
	return sweep(op, pd_next, pd_destroy_child, pd_free);
}

static struct obj *
pd_next_window(struct op *op)
{
	struct obj *o;

	o = obj_after(obj_set(op->obj, KIND_MW), op->u.pd.after);
	if (o != NULL)
		op->u.pd.after = o->id;
	return o;
}

static int
pd_invalidate_window(struct op *child)
{
	return mw_of(child->obj)->mr == NULL ? 0 : mw_invalidate(child);
}

static int
pd_invalidated(struct op *op)
{
	(void)op;
	return 0;
}

int
pd_invalidate(struct op *op)
{
	op->u.pd.after = 0;
	return sweep(op, pd_next_window, pd_invalidate_window, pd_invalidated);
}
