/* SPDX-License-Identifier: MIT */
/* The end of a region: dereg, destroy, and what waits for binds; see mr.h. */
#include <errno.h>

#include "dev.h"
#include "mr_impl.h"
#include "mw.h"
#include "pd.h"
#include "rules.h"

static void
mr_remove(struct mr *mr, uid_t by)
{
	dev_of(&mr->o)->mrs--;
	dev_uncharge(&mr->o);
	obj_remove(&mr->o, by);
}

static void
mr_dereg_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct mr *mr = mr_of(op->obj);
	struct world *world = mr->o.world;
	struct mem mem;
	int r;

	r = backend_mr_dereg(mr_backend(mr), mr->b, &op->err);
	world_lock(world);
	if (r == 0)
		mem = mr_ended(mr,
		    mr->o.dying ? KEY_END_DESTROYED : KEY_END_DEREG,
		    op->reader);
	if (r == 0 && mr->o.dying) {
		mr_remove(mr, op->reader);
	}
	mr->changing = mr->o.dying = false;
	world_unlock(world);
	if (r == 0)
		mem_release(world, &mem);
	op->done(op, r);
}

int
mr_dereg(struct op *op)
{
	struct mr *mr = mr_of(op->obj);
	int r;

	world_lock(mr->o.world);
	if (!mr->active)
		r = fail(&op->err, ENODATA, "not registered");
	else if ((r = rule_no_windows(mr, op->reader, &op->err)) == 0)
		mr->changing = op->slow = true;
	world_unlock(mr->o.world);
	return r < 0 ? r : mr_change(op, mr_dereg_work);
}

static struct obj *
mr_first_window(struct op *op)
{
	struct mw *mw = RB_MIN(mr_windows, &mr_of(op->obj)->windows);

	return mw == NULL ? NULL : &mw->o;
}

static int
mr_unbind_window(struct op *child)
{
	/* It may have been bound elsewhere while we waited for its turn. */
	if (mw_of(child->obj)->mr != mr_of(child->parent->obj))
		return 0;
	child->ends = KEY_END_DESTROYED;
	return mw_invalidate(child);
}

static int mr_destroy_unbound(struct op *op);

static void
mr_drained(struct work *w)
{
	struct op *op = op_of_work(w);
	int r;

	r = sweep(op, mr_first_window, mr_unbind_window, mr_destroy_unbound);
	if (r != PENDING)
		op->done(op, r);
}

/* No window is bound; one may be on the way. */
static int
mr_destroy_unbound(struct op *op)
{
	struct mr *mr = mr_of(op->obj);
	struct world *w = mr->o.world;
	bool drained, active = false;

	world_lock(w);
	drained = mr->uses == 0 && mr->nwindows == 0;
	if (!drained) {
		op->work.fn = mr_drained;
		if (mr->uses == 0)
			pool_submit(w->runner, &op->work);
		else
			mr->drain = op;
	} else if (mr->active) {
		active = mr->changing = true;
	} else {
		mr_remove(mr, op->reader);
	}
	world_unlock(w);
	if (!drained)
		return PENDING;
	return active ? mr_change(op, mr_dereg_work) : 0;
}

int
mr_destroy(struct op *op, bool unbind)
{
	struct mr *mr = mr_of(op->obj);
	int r = 0;

	world_lock(mr->o.world);
	if (!unbind)
		r = rule_no_windows(mr, op->reader, &op->err);
	if (r == 0)
		mr->o.dying = true;
	world_unlock(mr->o.world);
	if (r < 0)
		return r;
	return sweep(op, mr_first_window, mr_unbind_window, mr_destroy_unbound);
}

void
mr_use_begins(struct mr *mr)
{
	mr->uses++;
	obj_ref(&mr->o);
}

void
mr_use_ends(struct mr *mr)
{
	struct op *op = mr->drain;

	if (--mr->uses == 0 && op != NULL) {
		mr->drain = NULL;
		pool_submit(mr->o.world->runner, &op->work);
	}
}
