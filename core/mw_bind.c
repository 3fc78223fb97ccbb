/* SPDX-License-Identifier: MIT */
/* Binding a window: the steps until a key is there or nothing has changed. */
#include <errno.h>
#include <string.h>

#include "dev.h"
#include "event.h"
#include "mw_impl.h"
#include "pd.h"
#include "qp.h"

/*
 * Each bind and each unbind of a device's window uses up one of the 256 tags
 * of its index; before one returns the window gets another index (W9).
 */
#define TAGS_USABLE 255

void
mw_hold(struct op *op, struct mr *mr, struct qp *qp)
{
	op->u.mw.mr = mr;
	op->u.mw.qp = qp;
	mr_use_begins(mr);
	if (qp != NULL)
		qp_use_begins(qp);
}

/* They are used no longer; lock not held. */
static void
mw_let_go(struct op *op)
{
	struct mr *mr = op->u.mw.mr;
	struct qp *qp = op->u.mw.qp;

	world_lock(mr->o.world);
	mr_use_ends(mr);
	if (qp != NULL)
		qp_use_ends(qp);
	world_unlock(mr->o.world);
	obj_unref(&mr->o);
	if (qp != NULL)
		obj_unref(&qp->o);
}

static void
mw_link(struct mw *mw, const struct op *op)
{
	struct mr *mr = op->u.mw.mr;
	struct qp *qp = op->u.mw.qp;

	mw->mr = mr;
	mw->bound = op->u.mw.args;
	mw->was_bound = true;
	mw->by_peer = false;
	RB_INSERT(mr_windows, &mr->windows, mw);
	mr->nwindows++;
	obj_touch(&mr->o);
	mw->qp = qp;
	if (qp != NULL) {
		LIST_INSERT_HEAD(&qp->windows, mw, by_qp);
		qp->nwindows++;
		obj_touch(&qp->o);
	}
	keys_add(&dev_of(&mw->o)->keys, &mw->rkey, KEY_MW, op->req.rkey);
	tally_add(&dev_of(&mw->o)->tally.bound, 1);
	tally_add(&dev_of(&mw->o)->tally.binds[mw->type], 1);
	obj_touch(&mw->o);
}

static void
mw_tell_bound(struct mw *mw, const struct op *op, bool new_index)
{
	struct event ev = { .kind = EV_BOUND, .o = &mw->o, .by = op->reader };

	mw_concerns(mw, ev.also);
	event_tell(&ev);
	/* Where each bind takes one it is nothing to tell. */
	if (new_index && !mw_is_fresh(mw))
		event_of(&mw->o, EV_NEW_INDEX, op->reader);
}

/* The bind has completed, and nothing is left over. */
static int
mw_bind_end(struct op *op, int r)
{
	struct mw *mw = mw_of(op->obj);
	bool fresh = op->u.mw.target != mw->b, again = mw->was_bound;
	size_t len;

	world_lock(mw->o.world);
	if (r == 0) {
		if (fresh) {
			mw->b = op->u.mw.target;
			mw->used = 0;
		}
		mw_unlink(mw, KEY_END_REBIND, op->reader);
		mw_link(mw, op);
		mw_tell_bound(mw, op, fresh && again);
	}
	/* A bind that failed may have used up a tag all the same. */
	if (r == 0 || !fresh)
		mw->used++;
	world_unlock(mw->o.world);
	mw_let_go(op);
	explicit_bzero(&op->req.rkey, sizeof(op->req.rkey));
	if (r < 0 && op->u.mw.rebind) {
		len = strlen(op->err.text);
		(void)strlcpy(op->err.text + len, "; the window is unbound now",
		    ERR_TEXT - len);
	}
	return r;
}

/*
 * What allocates or frees a device's window: step is run at once where that
 * never sleeps, else fn, which is step and op->done, by a thread that may.
 */
static int
mw_step(struct op *op, int (*step)(struct op *), void (*fn)(struct work *))
{
	struct mw *mw = mw_of(op->obj);

	if (mw_backend(mw)->info.windows_at_once)
		return step(op);
	op->work.fn = fn;
	pool_submit(mw->o.world->slow, &op->work);
	return PENDING;
}

static void
mw_step_over(struct op *op, int r)
{
	if (r != PENDING)
		op->done(op, r);
}

/* Of the device's two windows the old one goes, and its key; if the bind
 * failed, or the old one does not go, the new one (W6). */
static int
mw_replace_step(struct op *op)
{
	struct mw *mw = mw_of(op->obj);
	struct backend *b = mw_backend(mw);
	int r = op->result;

	if (r == 0)
		r = backend_mw_free(b, mw->b, &op->err);
	if (r < 0)
		(void)backend_mw_free(b, op->u.mw.target, NULL);
	return mw_bind_end(op, r);
}

static void
mw_replace_work(struct work *w)
{
	struct op *op = op_of_work(w);

	mw_step_over(op, mw_replace_step(op));
}

static int
mw_bind_over(struct op *op, int r)
{
	struct mw *mw = mw_of(op->obj);

	if (op->u.mw.qp != NULL) {
		world_lock(mw->o.world);
		qp_request_over(op->u.mw.qp, WR_BIND_MW, &op->req.wc, r);
		world_unlock(mw->o.world);
	}
	if (op->u.mw.target == mw->b || (r == 0 && mw->b == NULL))
		return mw_bind_end(op, r);
	op->result = r;
	return mw_step(op, mw_replace_step, mw_replace_work);
}

static void
mw_bind_done(struct bk_req *req, int r)
{
	struct op *op = op_of_req(req);

	mw_step_over(op, mw_bind_over(op, r));
}

static int
mw_bind_post(struct op *op)
{
	struct qp *qp = op->u.mw.qp;
	int r;

	op->req.done = mw_bind_done;
	r = backend_mw_bind(mw_backend(mw_of(op->obj)), op->u.mw.target,
	    op->u.mw.mr->b, qp != NULL ? qp->b : NULL, &op->u.mw.args,
	    &op->req);
	return r == PENDING ? PENDING : mw_bind_over(op, r);
}

/* The device's window is allocated first. */
static int
mw_bind_step(struct op *op)
{
	struct mw *mw = mw_of(op->obj);
	int r;

	r = backend_mw_alloc(mw_backend(mw), pd_above(&mw->o)->b, mw->type,
	    &op->u.mw.target, &op->err);
	if (r == 0)
		return mw_bind_post(op);
	mw_let_go(op);
	return r;
}

static void
mw_bind_work(struct work *w)
{
	struct op *op = op_of_work(w);

	mw_step_over(op, mw_bind_step(op));
}

int
mw_bind_begin(struct op *op)
{
	struct mw *mw = mw_of(op->obj);

	op->u.mw.target = mw->b;
	if (mw->b != NULL && mw->used < TAGS_USABLE && !mw_is_fresh(mw))
		return mw_bind_post(op);
	return mw_step(op, mw_bind_step, mw_bind_work);
}

/*
 * The end of a key.
 */

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
 * is a danger (D8).
 */
static int
mw_invalidate_over(struct op *op, int r)
{
	struct mw *mw = mw_of(op->obj);
	bool freed = mw->type == MW_TYPE_2 && (r < 0 || mw_is_fresh(mw));
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
	bool bound, post;
	int r;

	world_lock(mw->o.world);
	bound = mw->mr != NULL;
	post = bound && mw_can_post(op);
	world_unlock(mw->o.world);
	if (!bound)
		return mw_key_over(op, fail(&op->err, ENODATA, "not bound"));
	if (!post)
		return mw_free(op);
	op->req.done = mw_invalidate_done;
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
