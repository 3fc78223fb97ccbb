/* SPDX-License-Identifier: MIT */
/* Memory windows: what they are, and their commands; see mw.h. */
#include <errno.h>
#include <stdlib.h>

#include "dev.h"
#include "event.h"
#include "mw_impl.h"
#include "pd.h"
#include "qp.h"
#include "rules.h"

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

struct op *
op_of_req(struct bk_req *req)
{
	return (struct op *)(void *)((char *)req - offsetof(struct op, req));
}

struct backend *
mw_backend(struct mw *mw)
{
	return &dev_of(&mw->o)->b;
}

bool
mw_is_fresh(struct mw *mw)
{
	return mw->type == MW_TYPE_2 && mw_backend(mw)->info.fresh_type_2;
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
	if ((r = dev_charge(&mw->o, e)) == 0) {
		if ((r = obj_insert(&mw->o, e)) == 0)
			dev_of(&mw->o)->mws++;
		else
			dev_uncharge(&mw->o);
	}
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

void
mw_concerns(struct mw *mw, struct obj *also[2])
{
	also[0] = &mw->mr->o;
	also[1] = mw->qp != NULL ? &mw->qp->o : NULL;
}

/* What its key opened, before it opens that no more. */
static void
mw_log_dead(struct mw *mw, enum key_end how, uid_t by)
{
	const struct dead d = {
		.id = mw->o.id,
		.addr = mw_addr(mw),
		.length = mw->bound.length,
		.offset = mw->bound.offset,
		.since = mw->rkey.since,
		.died = obj_now(),
		.value = mw->rkey.value,
		.rights = mw->bound.rights,
		.owner = mw->o.owner.uid,
		.by = by,
		.kind = KEY_MW,
		.how = (uint8_t)how,
		.type = mw->type,
		.pd = mw->o.parent->name,
		.name = mw->o.name,
		.mr = mw->mr->o.name,
		.qp = mw->qp != NULL ? mw->qp->o.name : NULL,
	};

	keylog_add(&dev_of(&mw->o)->dead, &d);
}

void
mw_unlink(struct mw *mw, enum key_end how, uid_t by)
{
	struct event ev = {
		.kind = EV_INVALIDATED, .o = &mw->o, .how = how, .by = by
	};

	if (mw->mr == NULL)
		return;
	mw_concerns(mw, ev.also);
	mw_log_dead(mw, how, by);
	RB_REMOVE(mr_windows, &mw->mr->windows, mw);
	mw->mr->nwindows--;
	obj_touch(&mw->mr->o);
	mw->mr = NULL;
	if (mw->qp != NULL) {
		LIST_REMOVE(mw, by_qp);
		mw->qp->nwindows--;
		obj_touch(&mw->qp->o);
		mw->qp = NULL;
	}
	keys_remove(&dev_of(&mw->o)->keys, &mw->rkey);
	tally_sub_locked(&dev_of(&mw->o)->tally.bound, 1);
	tally_add_locked(&dev_of(&mw->o)->tally.ended[how], 1);
	obj_touch(&mw->o);
	/* Of a new bind that follows only the bind is told. */
	if (how != KEY_END_REBIND)
		event_tell(&ev);
}

int
mw_bind(
    struct op *op, struct mr *mr, struct qp *qp, const struct bind_args *args)
{
	struct mw *mw = mw_of(op->obj);
	int r;

	/* Of a type 1 window, a bind of length 0 is the end of a key (W7). */
	if (args->length == 0 && mw->type == MW_TYPE_1)
		return mw_invalidate(op);
	op->u.mw.args = *args;
	op->u.mw.rebind = false;
	world_lock(mw->o.world);
	if ((r = rule_bind(mw, mr, qp, args, &op->err)) == 0 &&
	    (r = rule_bound_once(mw, &op->err)) == 0 &&
	    (r = mw_chain_join(op, qp) ? 0 : mw_chain_refuse(op)) == 0)
		mw_hold(op, mr, qp);
	world_unlock(mw->o.world);
	return r < 0 ? r : mw_bind_begin(op);
}

/* Its queue pair may be in error by now: then the key is better kept. */
static void
mw_refresh(struct mw *mw)
{
	struct qp *qp;

	world_lock(mw->o.world);
	if ((qp = mw->qp) != NULL)
		obj_ref(&qp->o);
	world_unlock(mw->o.world);
	if (qp == NULL)
		return;
	qp_refresh(qp);
	obj_unref(&qp->o);
}

/* A new bind to the same range; of type 2 between two keys there is none. */
static int
mw_rebind(struct op *op, uint32_t rights)
{
	struct mw *mw = mw_of(op->obj);
	int r;

	op->u.mw.args = mw->bound;
	op->u.mw.args.rights = rights;
	op->u.mw.args.tag = 0;
	op->u.mw.rebind = mw->type == MW_TYPE_2;
	mw_refresh(mw);
	world_lock(mw->o.world);
	/* It may have been ended by a peer just now. */
	r = mw->mr == NULL
		? fail(&op->err, ENODATA, "not bound")
		: rule_bind(mw, mw->mr, mw->qp, &op->u.mw.args, &op->err);
	if (r == 0)
		mw_hold(op, mw->mr, mw->qp);
	world_unlock(mw->o.world);
	if (r < 0)
		return r;
	if (!op->u.mw.rebind)
		return mw_bind_begin(op);
	return mw_invalidate(op);
}

int
mw_rights(struct op *op, uint32_t rights)
{
	struct mw *mw = mw_of(op->obj);
	bool bound;
	int r = 0;

	world_lock(mw->o.world);
	bound = mw->mr != NULL;
	if (!bound)
		r = rule_window_rights(mw->type, rights, &op->err);
	if (!bound && r == 0) {
		mw->bound.rights = rights;
		obj_touch(&mw->o);
	}
	world_unlock(mw->o.world);
	return bound ? mw_rebind(op, rights) : r;
}

/*
 * A device's window without a key that a peer could name (D8): in its turn,
 * because a command may be at work on it.
 */
static void
mw_reap_done(struct op *op, int r)
{
	(void)r;
	op_end(op);
	free(op);
}

static void
mw_reap_turn(struct op *op, int r)
{
	/* It may have been bound anew meanwhile. */
	if (r == 0 && mw_of(op->obj)->mr == NULL)
		r = mw_unbind(op);
	if (r == PENDING)
		return;
	if (r != -ENODEV)
		op_end(op);
	free(op);
}

struct reap {
	struct work work;
	struct obj *o; /* referenced */
};

static void
mw_reap_work(struct work *w)
{
	struct reap *reap = (struct reap *)(void *)w;
	struct op *op = calloc(1, sizeof(*op));
	int r;

	if (op != NULL) {
		op_init(op, reap->o, "invalidate", mw_reap_turn, mw_reap_done);
		r = op_begin(op, true);
		if (r == 0)
			mw_reap_turn(op, 0);
		else if (r < 0)
			free(op);
	}
	obj_unref(reap->o);
	free(reap);
}

/* Without memory for it, the next bind or destroy frees the window. */
static void
mw_reap(struct mw *mw)
{
	struct reap *reap = malloc(sizeof(*reap));

	if (reap == NULL)
		return;
	reap->work.fn = mw_reap_work;
	reap->o = obj_ref(&mw->o);
	pool_submit(mw->o.world->runner, &reap->work);
}

void
mw_ended_by_peer(struct mw *mw)
{
	struct op *op = STAILQ_FIRST(&mw->o.ops);

	if (op != NULL)
		atomic_store(&op->req.off, true);
	mw->by_peer = true;
	mw_unlink(mw, KEY_END_PEER, (uid_t)-1);
	/* Also if a command has its turn, whose change it might be. */
	obj_restat(&mw->o, true);
	if (mw_is_fresh(mw))
		mw_reap(mw);
}

void
mw_renamed_under(struct obj *o)
{
	struct mw *mw;

	if (o->kind == KIND_MR)
		RB_FOREACH (mw, mr_windows, &mr_of(o)->windows)
			obj_stir(&mw->o);
	if (o->kind == KIND_QP)
		LIST_FOREACH (mw, &qp_of(o)->windows, by_qp)
			obj_stir(&mw->o);
}
