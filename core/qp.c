/* SPDX-License-Identifier: MIT */
/* Queue pairs: making, connecting, rights; see qp.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "event.h"
#include "pd.h"
#include "qp_impl.h"
#include "rules.h"

struct qp *
qp_of(struct obj *o)
{
	return (struct qp *)(void *)o;
}

struct backend *
qp_backend(struct qp *qp)
{
	return &dev_of(&qp->o)->b;
}

/* For the device: the state has changed by itself. */
static void
qp_changed(void *arg, enum qp_state state)
{
	struct qp *qp = arg;

	world_lock(qp->o.world);
	/* One that is being replaced says what is of no interest any more. */
	if (!qp->o.dying && qp->state != state) {
		qp->state = (uint8_t)state;
		obj_touch(&qp->o);
		event_of(&qp->o, EV_STATE, (uid_t)-1);
	}
	world_unlock(qp->o.world);
}

struct qp_args
qp_args_of(struct qp *qp, enum qp_type type, unsigned port, int gid)
{
	return (struct qp_args){ .type = type,
		.port = port,
		.gid = gid,
		.changed = qp_changed,
		.arg = qp };
}

void
qp_set_device(struct qp *qp, struct bk_qp *b, const struct qp_addr *local)
{
	struct keys *ks = &dev_of(&qp->o)->keys;

	if (qp->b != NULL)
		keys_remove(ks, &qp->num);
	qp->b = b;
	qp->state = QP_RESET;
	qp->connected = false;
	memset(&qp->remote, 0, sizeof(qp->remote));
	qp->bad_recv.mr[0] = '\0';
	if (b != NULL) {
		qp->local = *local;
		keys_add(ks, &qp->num, KEY_QPN, local->qpn);
	}
}

/*
 * Making one.
 */
static int
qp_insert(
    struct qp *qp, struct bk_qp *b, const struct qp_addr *local, struct err *e)
{
	struct world *w = qp->o.world;
	int r;

	world_lock(w);
	if ((r = obj_insert(&qp->o, e)) == 0) {
		qp_set_device(qp, b, local);
		dev_of(&qp->o)->qps++;
	}
	world_unlock(w);
	return r;
}

static int
qp_make(struct op *op, struct qp *qp)
{
	struct pd *pd = pd_above(&qp->o);
	struct qp_args args = qp_args_of(qp, QP_RC, 0, -1);
	struct qp_addr local;
	struct bk_qp *b;
	int r;

	r = backend_qp_create(
	    qp_backend(qp), pd->b, &args, &b, &local, &op->err);
	if (r == 0 && (r = qp_insert(qp, b, &local, &op->err)) < 0)
		(void)backend_qp_destroy(qp_backend(qp), b, NULL);
	world_lock(pd->o.world);
	if (r < 0)
		dev_uncharge(&qp->o);
	pd_use_ends(pd);
	world_unlock(pd->o.world);
	return r;
}

static void
qp_new_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct qp *qp = qp_of(op->u.make.fresh);
	int r = qp_make(op, qp);

	if (r == 0)
		*op->u.make.out = &qp->o;
	else
		obj_unref(&qp->o);
	op->done(op, r);
}

int
qp_new(struct op *op, const char *name, const struct owner *owner,
    struct obj **out)
{
	struct qp *qp = calloc(1, sizeof(*qp));
	struct pd *pd = pd_of(op->obj);
	int r;

	if (qp == NULL)
		return fail(&op->err, ENOMEM, "out of memory for a queue pair");
	qp->type = QP_RC;
	qp->gid = -1;
	qp->rights = QP_RIGHTS;
	qp->sets[0].kind = KIND_MEM;
	LIST_INIT(&qp->windows);
	r = obj_init(
	    &qp->o, &pd->o, KIND_QP, name, owner, qp->sets, 1, &op->err);
	if (r < 0) {
		free(qp);
		return r;
	}
	world_lock(pd->o.world);
	if ((r = dev_charge(&qp->o, &op->err)) == 0 &&
	    (r = pd_use_begins(pd, &op->err)) < 0)
		dev_uncharge(&qp->o);
	world_unlock(pd->o.world);
	if (r < 0) {
		obj_unref(&qp->o);
		return r;
	}
	op->u.make.fresh = &qp->o;
	op->u.make.out = out;
	op->work.fn = qp_new_work;
	pool_submit(pd->o.world->slow, &op->work);
	return PENDING;
}

/*
 * Connecting.
 */
static void
qp_connect_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct qp *qp = qp_of(op->obj);
	int r;

	r = backend_qp_connect(
	    qp_backend(qp), qp->b, &op->u.qp.remote, qp->rights, &op->err);
	world_lock(qp->o.world);
	if (r == 0) {
		qp->connected = true;
		qp->remote = op->u.qp.remote;
		qp->state = QP_RTS;
		obj_touch(&qp->o);
		event_of(&qp->o, EV_STATE, op->reader);
	}
	world_unlock(qp->o.world);
	op->done(op, r);
}

static int
qp_slow(struct op *op, void (*fn)(struct work *))
{
	op->work.fn = fn;
	pool_submit(op->obj->world->slow, &op->work);
	return PENDING;
}

int
qp_connect(struct op *op, const struct qp_addr *remote)
{
	struct qp *qp = qp_of(op->obj);
	int r;

	if ((r = rule_unconnected(qp, &op->err)) < 0 ||
	    (r = rule_peer(remote, &op->err)) < 0)
		return r;
	op->u.qp.remote = *remote;
	if (remote->mtu == 0)
		op->u.qp.remote.mtu = qp->local.mtu;
	return qp_slow(op, qp_connect_work);
}

static void
qp_rights_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct qp *qp = qp_of(op->obj);
	int r;

	r = backend_qp_rights(qp_backend(qp), qp->b, op->u.qp.rights, &op->err);
	world_lock(qp->o.world);
	if (r == 0) {
		qp->rights = op->u.qp.rights;
		obj_touch(&qp->o);
	}
	world_unlock(qp->o.world);
	op->done(op, r);
}

int
qp_rights(struct op *op, uint32_t rights)
{
	struct qp *qp = qp_of(op->obj);
	int r;

	if ((r = rule_qp_rights(rights, &op->err)) < 0)
		return r;
	op->u.qp.rights = rights;
	if (qp->connected)
		return qp_slow(op, qp_rights_work);
	world_lock(qp->o.world);
	qp->rights = rights;
	obj_touch(&qp->o);
	world_unlock(qp->o.world);
	return 0;
}

void
qp_refresh(struct qp *qp)
{
	enum qp_state state;
	struct bk_qp *b;

	/* In use, so that it is not replaced meanwhile. */
	world_lock(qp->o.world);
	b = qp->o.gone || qp->o.dying || !qp->connected ? NULL : qp->b;
	if (b != NULL)
		qp_use_begins(qp);
	world_unlock(qp->o.world);
	if (b == NULL)
		return;
	if (backend_qp_state(qp_backend(qp), b, &state, NULL) == 0)
		qp_changed(qp, state);
	world_lock(qp->o.world);
	qp_use_ends(qp);
	world_unlock(qp->o.world);
	obj_unref(&qp->o);
}
