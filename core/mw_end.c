/* SPDX-License-Identifier: MIT */
/* The end of a window's key, and of the window. */
#include <errno.h>

#include "dev.h"
#include "mw_impl.h"
#include "qp.h"

/* The key has ended, or it could not be. */
static int
mw_key_over(struct op *op, int r)
{
	if (!op->u.mw.rebind)
		return r;
	if (r == 0)
		return mw_bind_begin(op);
	mw_let_go(op);
	return r;
}

static void
mw_remove(struct mw *mw, uid_t by)
{
	dev_of(&mw->o)->mws--;
	dev_uncharge(&mw->o);
	obj_remove(&mw->o, by);
}

/* Freeing the device's window ends the key too, for good. */
static int
mw_free_step(struct op *op)
{
	struct mw *mw = mw_of(op->obj);
	bool dying = mw->o.dying;
	int r;

	r = backend_mw_free(mw_backend(mw), mw->b, &op->err);
	world_lock(mw->o.world);
	if (r == 0) {
		mw->b = NULL;
		mw->used = 0;
		mw_unlink(mw, dying ? KEY_END_DESTROYED : op->ends, op->reader);
	}
	if (r == 0 && dying) {
		mw_remove(mw, op->reader);
	}
	/* The key has ended all the same: the next bind or destroy tries it
	 * again. */
	if (r < 0 && !dying && mw->mr == NULL)
		r = 0;
	mw->o.dying = false;
	world_unlock(mw->o.world);
	return mw_key_over(op, r);
}

static void
mw_free_work(struct work *w)
{
	struct op *op = op_of_work(w);

	mw_step_over(op, mw_free_step(op));
}

static int
mw_free(struct op *op)
{
	return mw_step(op, mw_free_step, mw_free_work);
}

/*
 * A type 2 key that its queue pair could not invalidate, because that is in
 * error, ends with the device's window; and so it does where an unbound window
 * is a danger (D8).  What was not run in its chain has changed nothing.
 */
static int
mw_invalidate_over(struct op *op, int r)
{
	struct mw *mw = mw_of(op->obj);
	bool freed = mw->type == MW_TYPE_2 && r != -ECANCELED &&
		     (r < 0 || mw_is_fresh(mw));
	struct qp *qp = op->u.mw.over;

	world_lock(mw->o.world);
	mw->used++;
	if (qp != NULL) {
		qp_request_over(qp, WR_LOCAL_INV, &op->req.wc, r);
		qp_use_ends(qp);
	}
	if (r == 0)
		mw_unlink(mw, op->u.mw.rebind ? KEY_END_REBIND : op->ends,
		    op->reader);
	world_unlock(mw->o.world);
	if (qp != NULL)
		obj_unref(&qp->o);
	return freed ? mw_free(op) : mw_key_over(op, r);
}

static void
mw_invalidate_done(struct bk_req *req, int r)
{
	mw_step_over(op_of_req(req), mw_invalidate_over(op_of_req(req), r));
}

/* Whether the key can end on the fast data path; then its queue pair is in
 * use.  Lock held. */
static bool
mw_can_post(struct op *op)
{
	struct mw *mw = mw_of(op->obj);
	struct qp *qp = mw->qp;

	op->u.mw.over = NULL;
	if (mw->used >= TAGS_USABLE)
		return false;
	if (qp != NULL && (qp->state != QP_RTS || qp->o.dying))
		return false;
	if (qp != NULL)
		qp_use_begins(qp);
	op->u.mw.over = qp;
	return true;
}

int
mw_invalidate(struct op *op)
{
	struct mw *mw = mw_of(op->obj);
	bool bound, joins, post;
	int r;

	world_lock(mw->o.world);
	bound = mw->mr != NULL;
	joins = bound && mw_chain_join(op, mw->qp);
	post = joins && mw_can_post(op);
	world_unlock(mw->o.world);
	if (!bound)
		return mw_key_over(op, fail(&op->err, ENODATA, "not bound"));
	if (!joins || (!post && op->chain != NULL))
		return mw_chain_refuse(op);
	if (!post)
		return mw_free(op);
	op->req.done = mw_invalidate_done;
	op->req.chain = op->chain != NULL ? &op->chain->bk : NULL;
	r = backend_mw_invalidate(mw_backend(mw), mw->b, &op->req);
	return r == PENDING ? PENDING : mw_invalidate_over(op, r);
}

int
mw_unbind(struct op *op)
{
	struct mw *mw = mw_of(op->obj);

	op->u.mw.rebind = false;
	return mw->b == NULL ? 0 : mw_free(op);
}

int
mw_destroy(struct op *op)
{
	struct mw *mw = mw_of(op->obj);
	struct world *w = mw->o.world;
	bool inactive;

	op->u.mw.rebind = false;
	world_lock(w);
	inactive = mw->b == NULL;
	if (inactive) {
		mw_remove(mw, op->reader);
	} else {
		mw->o.dying = true;
	}
	world_unlock(w);
	return inactive ? 0 : mw_free(op);
}
