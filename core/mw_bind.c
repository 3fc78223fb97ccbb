/* SPDX-License-Identifier: MIT */
/* Binding a window: the steps until a key is there or nothing has changed. */
#include <errno.h>
#include <string.h>

#include "dev.h"
#include "event.h"
#include "mw_impl.h"
#include "pd.h"
#include "qp.h"

void
mw_hold(struct op *op, struct mr *mr, struct qp *qp)
{
	op->u.mw.mr = mr;
	op->u.mw.qp = qp;
	mr_use_begins(mr);
	if (qp != NULL)
		qp_use_begins(qp);
}

/* They are used no longer.  left: for obj_unref() without the lock, which is
 * held. */
static void
mw_uses_end(struct op *op, struct obj *left[2])
{
	struct mr *mr = op->u.mw.mr;
	struct qp *qp = op->u.mw.qp;

	mr_use_ends(mr);
	left[0] = obj_drop(&mr->o);
	left[1] = NULL;
	if (qp != NULL) {
		qp_use_ends(qp);
		left[1] = obj_drop(&qp->o);
	}
}

void
mw_let_go(struct op *op)
{
	struct world *w = op->obj->world;
	struct obj *left[2];

	world_lock(w);
	mw_uses_end(op, left);
	world_unlock(w);
	obj_unref(left[0]);
	obj_unref(left[1]);
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
	tally_add_locked(&dev_of(&mw->o)->tally.bound, 1);
	tally_add_locked(&dev_of(&mw->o)->tally.binds[mw->type], 1);
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
	struct obj *left[2];
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
	mw_uses_end(op, left);
	world_unlock(mw->o.world);
	obj_unref(left[0]);
	obj_unref(left[1]);
	explicit_bzero(&op->req.rkey, sizeof(op->req.rkey));
	if (r < 0 && op->u.mw.rebind) {
		len = strlen(op->err.text);
		(void)strlcpy(op->err.text + len, "; the window is unbound now",
		    ERR_TEXT - len);
	}
	return r;
}

int
mw_step(struct op *op, int (*step)(struct op *), void (*fn)(struct work *))
{
	struct mw *mw = mw_of(op->obj);

	if (mw_backend(mw)->info.windows_at_once)
		return step(op);
	op->work.fn = fn;
	if (op->later != NULL)
		op->later(op);
	else
		pool_submit(mw->o.world->slow, &op->work);
	return PENDING;
}

void
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
	op->req.chain = op->chain != NULL ? &op->chain->bk : NULL;
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
