/* SPDX-License-Identifier: MIT */
/* Memory windows; see mw.h. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "mw.h"
#include "pd.h"
#include "rules.h"

/*
 * Each bind and each unbind of a device's window uses up one of the 256 tags
 * of its index; before one returns the window gets another index (W9).
 */
#define TAGS_USABLE 255

static int
mw_cmp(const struct mw *a, const struct mw *b)
{
	return a->o.id < b->o.id ? -1 : a->o.id > b->o.id;
}

RB_GENERATE(mr_windows, mw, by_mr, mw_cmp)

struct mw *
mw_of(struct obj *o)
{
	return (struct mw *)(void *)o;
}

static struct backend *
mw_backend(struct mw *mw)
{
	return &dev_of(&mw->o)->b;
}

int
mw_new(struct pd *pd, const char *name, const struct owner *owner,
    struct obj **out, struct err *e)
{
	struct mw *mw = calloc(1, sizeof(*mw));
	struct world *w = pd->o.world;
	int r;

	if (mw == NULL)
		return fail(e, ENOMEM, "out of memory for a window");
	r = obj_init(&mw->o, &pd->o, KIND_MW, name, owner, NULL, 0, e);
	if (r < 0) {
		free(mw);
		return r;
	}
	mw->type = MW_TYPE_1;
	world_lock(w);
	if ((r = obj_insert(&mw->o, e)) == 0)
		dev_of(&mw->o)->mws++;
	world_unlock(w);
	if (r < 0)
		obj_unref(&mw->o);
	else
		*out = &mw->o;
	return r;
}

uint64_t
mw_addr(const struct mw *mw)
{
	if (mw->bound.rights & RIGHT_ZERO_BASED)
		return 0;
	return mw->mr->iova + mw->bound.offset;
}

int
mw_type(struct op *op, enum mw_type type)
{
	struct mw *mw = mw_of(op->obj);
	int r = 0;

	world_lock(mw->o.world);
	if (mw->was_bound && mw->type != type)
		r = fail_at(&op->err, "type", EBUSY,
		    "the type is settled by the first bind: it is %u",
		    mw->type);
	else
		r = rule_window_type(&mw_backend(mw)->info, type, &op->err);
	if (r == 0) {
		mw->type = (uint8_t)type;
		obj_touch(&mw->o);
	}
	world_unlock(mw->o.world);
	return r;
}

/* The window opens nothing any more; lock held. */
static void
mw_unlink(struct mw *mw)
{
	if (mw->mr == NULL)
		return;
	RB_REMOVE(mr_windows, &mw->mr->windows, mw);
	mw->mr->nwindows--;
	obj_touch(&mw->mr->o);
	mw->mr = NULL;
	explicit_bzero(&mw->rkey, sizeof(mw->rkey));
	obj_touch(&mw->o);
}

static void
mw_link(struct mw *mw, struct mr *mr, const struct op *op)
{
	mw->mr = mr;
	mw->bound = op->u.mw.args;
	mw->rkey = op->req.rkey;
	mw->was_bound = true;
	RB_INSERT(mr_windows, &mr->windows, mw);
	mr->nwindows++;
	obj_touch(&mr->o);
	obj_touch(&mw->o);
}

/* The bind has completed, and nothing is left over. */
static int
mw_bind_end(struct op *op, int r)
{
	struct mw *mw = mw_of(op->obj);
	struct mr *mr = op->u.mw.mr;
	bool fresh = op->u.mw.target != mw->b;

	world_lock(mw->o.world);
	if (r == 0) {
		if (fresh) {
			mw->b = op->u.mw.target;
			mw->used = 0;
		}
		mw_unlink(mw);
		mw_link(mw, mr, op);
	}
	/* A bind that failed may have used up a tag all the same. */
	if (r == 0 || !fresh)
		mw->used++;
	mr_bind_ends(mr);
	world_unlock(mw->o.world);
	obj_unref(&mr->o);
	explicit_bzero(&op->req.rkey, sizeof(op->req.rkey));
	return r;
}

/* Of the device's two windows the old one goes, and its key; if the bind
 * failed, or the old one does not go, the new one (W6). */
static void
mw_replace_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct mw *mw = mw_of(op->obj);
	struct backend *b = mw_backend(mw);
	int r = op->result;

	if (r == 0)
		r = backend_mw_free(b, mw->b, &op->err);
	if (r < 0)
		(void)backend_mw_free(b, op->u.mw.target, NULL);
	op->done(op, mw_bind_end(op, r));
}

static int
mw_bind_over(struct op *op, int r)
{
	struct mw *mw = mw_of(op->obj);

	if (op->u.mw.target == mw->b || (r == 0 && mw->b == NULL))
		return mw_bind_end(op, r);
	op->result = r;
	op->work.fn = mw_replace_work;
	pool_submit(mw->o.world->slow, &op->work);
	return PENDING;
}

static struct op *
op_of_req(struct bk_req *req)
{
	return (struct op *)(void *)((char *)req - offsetof(struct op, req));
}

static void
mw_bind_done(struct bk_req *req, int r)
{
	struct op *op = op_of_req(req);

	if ((r = mw_bind_over(op, r)) != PENDING)
		op->done(op, r);
}

static int
mw_bind_post(struct op *op)
{
	int r;

	op->req.done = mw_bind_done;
	r = backend_mw_bind(mw_backend(mw_of(op->obj)), op->u.mw.target,
	    op->u.mw.mr->b, NULL, &op->u.mw.args, &op->req);
	return r == PENDING ? PENDING : mw_bind_over(op, r);
}

/* The device's window is allocated first; that may sleep. */
static void
mw_bind_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct mw *mw = mw_of(op->obj);
	struct mr *mr = op->u.mw.mr;
	int r;

	r = backend_mw_alloc(mw_backend(mw), pd_above(&mw->o)->b, mw->type,
	    &op->u.mw.target, &op->err);
	if (r < 0) {
		world_lock(mw->o.world);
		mr_bind_ends(mr);
		world_unlock(mw->o.world);
		obj_unref(&mr->o);
	} else {
		r = mw_bind_post(op);
	}
	if (r != PENDING)
		op->done(op, r);
}

int
mw_bind(struct op *op, struct mr *mr, const struct bind_args *args)
{
	struct mw *mw = mw_of(op->obj);
	int r;

	/* Of a type 1 window, a bind of length 0 is the end of a key (W7). */
	if (args->length == 0 && mw->type == MW_TYPE_1)
		return mw_invalidate(op);
	world_lock(mw->o.world);
	if ((r = rule_bind(mw, mr, args, &op->err)) == 0)
		mr_bind_begins(mr);
	world_unlock(mw->o.world);
	if (r < 0)
		return r;
	op->u.mw.mr = mr;
	op->u.mw.args = *args;
	op->u.mw.target = mw->b;
	if (mw->b != NULL && mw->used < TAGS_USABLE)
		return mw_bind_post(op);
	op->work.fn = mw_bind_work;
	pool_submit(mw->o.world->slow, &op->work);
	return PENDING;
}

int
mw_rights(struct op *op, uint32_t rights)
{
	struct mw *mw = mw_of(op->obj);
	struct bind_args args = mw->bound;
	struct mr *mr = mw->mr;
	int r;

	args.rights = rights;
	/* mr changes only in a command that has its turn: ours. */
	if (mr != NULL)
		return mw_bind(op, mr, &args);
	world_lock(mw->o.world);
	r = rule_window_rights(mw->type, rights, &op->err);
	if (r == 0) {
		mw->bound.rights = rights;
		obj_touch(&mw->o);
	}
	world_unlock(mw->o.world);
	return r;
}

static int
mw_invalidate_over(struct op *op, int r)
{
	struct mw *mw = mw_of(op->obj);

	world_lock(mw->o.world);
	mw->used++;
	if (r == 0)
		mw_unlink(mw);
	world_unlock(mw->o.world);
	return r;
}

static void
mw_invalidate_done(struct bk_req *req, int r)
{
	struct op *op = op_of_req(req);

	op->done(op, mw_invalidate_over(op, r));
}

/* Freeing the device's window ends the key too, for good. */
static void
mw_free_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct mw *mw = mw_of(op->obj);
	int r;

	r = backend_mw_free(mw_backend(mw), mw->b, &op->err);
	world_lock(mw->o.world);
	if (r == 0) {
		mw->b = NULL;
		mw->used = 0;
		mw_unlink(mw);
	}
	if (r == 0 && mw->o.dying) {
		dev_of(&mw->o)->mws--;
		obj_remove(&mw->o);
	}
	mw->o.dying = false;
	world_unlock(mw->o.world);
	op->done(op, r);
}

static int
mw_free(struct op *op)
{
	op->work.fn = mw_free_work;
	pool_submit(op->obj->world->slow, &op->work);
	return PENDING;
}

int
mw_invalidate(struct op *op)
{
	struct mw *mw = mw_of(op->obj);
	int r;

	if (mw->mr == NULL)
		return fail(&op->err, ENODATA, "not bound");
	if (mw->used >= TAGS_USABLE)
		return mw_free(op);
	op->req.done = mw_invalidate_done;
	r = backend_mw_invalidate(mw_backend(mw), mw->b, &op->req);
	return r == PENDING ? PENDING : mw_invalidate_over(op, r);
}

int
mw_destroy(struct op *op)
{
	struct mw *mw = mw_of(op->obj);
	struct world *w = mw->o.world;
	bool inactive;

	world_lock(w);
	inactive = mw->b == NULL;
	if (inactive) {
		dev_of(&mw->o)->mws--;
		obj_remove(&mw->o);
	} else {
		mw->o.dying = true;
	}
	world_unlock(w);
	return inactive ? 0 : mw_free(op);
}
