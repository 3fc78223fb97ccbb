/* SPDX-License-Identifier: MIT */
/* Protection domains; see pd.h. */
#include <errno.h>
#include <stdlib.h>

#include "backend.h"
#include "dev.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"
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

static void
pd_new_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct pd *pd = pd_of(op->u.pd.fresh);
	struct backend *b = &dev_of(op->obj)->b;
	int r;

	if ((r = backend_pd_alloc(b, &pd->b, &op->err)) == 0 &&
	    (r = pd_insert(pd, &op->err)) < 0)
		(void)backend_pd_free(b, pd->b, NULL);
	if (r == 0)
		*op->u.pd.out = &pd->o;
	else
		obj_unref(&pd->o);
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
	r = obj_init(
	    &pd->o, op->obj, KIND_PD, name, owner, pd->sets, 2, &op->err);
	if (r < 0) {
		free(pd);
		return r;
	}
	op->u.pd.fresh = &pd->o;
	op->u.pd.out = out;
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
	if (r == 0)
		obj_remove(&pd->o);
	else
		pd->o.dying = false;
	world_unlock(world);
	op->done(op, r);
}

/* Frees the empty domain; dying keeps it empty. */
static int
pd_free(struct op *op)
{
	op->work.fn = pd_free_work;
	pool_submit(op->obj->world->slow, &op->work);
	return PENDING;
}

/* Windows before regions: a region with windows cannot go (M10). */
static struct obj *
pd_next(struct op *op)
{
	struct obj *o = op->obj;
	struct obj *child = obj_after(obj_set(o, KIND_MW), 0);

	return child != NULL ? child : obj_after(obj_set(o, KIND_MR), 0);
}

static int
pd_destroy_child(struct op *child)
{
	return child->obj->kind == KIND_MW ? mw_destroy(child)
					   : mr_destroy(child, true);
}

int
pd_destroy(struct op *op, bool all)
{
	struct pd *pd = pd_of(op->obj);
	struct world *w = pd->o.world;
	int r = 0;

	world_lock(w);
	if (!all)
		r = rule_domain_empty(pd, &op->err);
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
