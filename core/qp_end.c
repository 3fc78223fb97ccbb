/* SPDX-License-Identifier: MIT */
/* The end of a queue pair, or of the device's behind it; see qp.h. */
#include <errno.h>

#include "dev.h"
#include "event.h"
#include "mw.h"
#include "pd.h"
#include "qp_impl.h"
#include "rmem.h"
#include "rules.h"

/* W10, D2: what is bound over it goes first. */
static struct obj *
qp_first_window(struct op *op)
{
	struct mw *mw = LIST_FIRST(&qp_of(op->obj)->windows);

	return mw == NULL ? NULL : &mw->o;
}

static int
qp_unbind_window(struct op *child)
{
	/* It may have been bound elsewhere while we waited for its turn. */
	if (mw_of(child->obj)->qp != qp_of(child->parent->obj))
		return 0;
	child->ends = child->parent->ends;
	return mw_unbind(child);
}

static int qp_unused(struct op *op);

/* What was under way may have bound a window: again from the start. */
static void
qp_drained(struct work *w)
{
	struct op *op = op_of_work(w);
	int r = sweep(op, qp_first_window, qp_unbind_window, qp_unused);

	if (r != PENDING)
		op->done(op, r);
}

/* No window is bound over it; one may be on the way, and a transfer.  When
 * nothing is, op->u.qp.end has it; dying keeps it so. */
static int
qp_unused(struct op *op)
{
	struct qp *qp = qp_of(op->obj);
	struct world *w = qp->o.world;

	world_lock(w);
	if (qp->uses > 0) {
		op->work.fn = qp_drained;
		qp->drain = op;
	} else {
		op->work.fn = qp->nwindows > 0 ? qp_drained : op->u.qp.end;
		pool_submit(w->slow, &op->work);
	}
	world_unlock(w);
	return PENDING;
}

/*
 * A new one in its place.  Not the same one reset, because soft-RoCE may put
 * that in error once more, late.
 */
static void
qp_replace_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct qp *qp = qp_of(op->obj);
	struct backend *b = qp_backend(qp);
	const struct qp_args *a = &op->u.qp.args;
	struct qp_addr local;
	struct bk_qp *fresh;
	int r;

	r = backend_qp_create(
	    b, pd_above(&qp->o)->b, a, &fresh, &local, &op->err);
	if (r == 0 && (r = backend_qp_destroy(b, qp->b, &op->err)) < 0)
		(void)backend_qp_destroy(b, fresh, NULL);
	world_lock(qp->o.world);
	if (r == 0) {
		qp_set_device(qp, fresh, &local);
		qp->type = (uint8_t)a->type;
		qp->port = a->port;
		qp->gid = a->gid;
		obj_touch(&qp->o);
		event_of(&qp->o, EV_STATE, op->reader);
	}
	qp->o.dying = false;
	world_unlock(qp->o.world);
	op->done(op, r);
}

int
qp_settype(struct op *op, enum qp_type type, unsigned port, int gid)
{
	struct qp *qp = qp_of(op->obj);
	int r;

	if ((r = rule_unconnected(qp, &op->err)) < 0)
		return r;
	if (port > qp_backend(qp)->info.port_count)
		return fail_at(&op->err, "port", EINVAL,
		    "the device has ports 1 to %u",
		    qp_backend(qp)->info.port_count);
	op->u.qp.args = qp_args_of(qp, type, port, gid);
	op->u.qp.end = qp_replace_work;
	op->ends = KEY_END_RESET;
	world_lock(qp->o.world);
	qp->o.dying = true;
	world_unlock(qp->o.world);
	return qp_unused(op);
}

/* What is mapped was opened by a peer that is no longer there. */
static void
qp_unmap_all(struct qp *qp)
{
	struct obj *o;

	RB_FOREACH (o, obj_children, &qp->sets[0].children)
		rmem_lost(rmem_of(o));
}

int
qp_reset(struct op *op)
{
	struct qp *qp = qp_of(op->obj);

	op->u.qp.args =
	    qp_args_of(qp, (enum qp_type)qp->type, qp->port, qp->gid);
	op->u.qp.end = qp_replace_work;
	op->ends = KEY_END_RESET;
	world_lock(qp->o.world);
	qp->o.dying = true;
	qp_unmap_all(qp);
	world_unlock(qp->o.world);
	return sweep(op, qp_first_window, qp_unbind_window, qp_unused);
}

/*
 * Destroying.
 */
static void
qp_destroy_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct qp *qp = qp_of(op->obj);
	int r;

	r = backend_qp_destroy(qp_backend(qp), qp->b, &op->err);
	world_lock(qp->o.world);
	if (r == 0) {
		qp_set_device(qp, NULL, NULL);
		dev_of(&qp->o)->qps--;
		dev_uncharge(&qp->o);
		obj_remove(&qp->o, op->reader);
	}
	qp->o.dying = false;
	world_unlock(qp->o.world);
	op->done(op, r);
}

static struct obj *
qp_next(struct op *op)
{
	struct obj *window = qp_first_window(op);

	return window != NULL ? window
			      : obj_after(obj_set(op->obj, KIND_MEM), 0);
}

static int
qp_end_child(struct op *child)
{
	return child->obj->kind == KIND_MW ? qp_unbind_window(child)
					   : rmem_destroy(child);
}

static int
qp_no_mappings(struct qp *qp, uid_t reader, struct err *e)
{
	size_t n = qp->sets[0].count;

	if (n == 0)
		return 0;
	(void)fail(e, EBUSY, "%zu mapping%s over this queue pair:", n,
	    n == 1 ? " goes" : "s go");
	obj_list_names(&qp->sets[0], "mem", reader, e);
	return -EBUSY;
}

int
qp_destroy(struct op *op, bool all)
{
	struct qp *qp = qp_of(op->obj);
	int r = 0;

	world_lock(qp->o.world);
	if (!all)
		r = qp_no_mappings(qp, op->reader, &op->err);
	if (r == 0)
		qp->o.dying = true;
	world_unlock(qp->o.world);
	if (r < 0)
		return r;
	op->u.qp.end = qp_destroy_work;
	op->ends = KEY_END_DESTROYED;
	return sweep(op, qp_next, qp_end_child, qp_unused);
}
