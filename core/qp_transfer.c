/* SPDX-License-Identifier: MIT */
/* Data commands of a queue pair; see qp.h. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "qp_impl.h"
#include "rules.h"

static struct op *
op_of_transfer(struct bk_req *req)
{
	return (struct op *)(void *)((char *)req -
				     offsetof(struct op, u.transfer.wr));
}

static int
qp_transfer_over(struct op *op, int r)
{
	struct qp *qp = qp_of(op->obj);
	struct bk_wr *wr = &op->u.transfer.wr;
	struct mr *mr = op->u.transfer.mr;

	world_lock(qp->o.world);
	qp_request_over(qp, wr->op, &wr->req.wc, r);
	if (r < 0)
		qp_blame(
		    qp, op->reader, wr, mr, op->u.transfer.offset, &op->err);
	mr_use_ends(mr);
	qp_use_ends(qp);
	world_unlock(qp->o.world);
	obj_unref(&mr->o);
	obj_unref(&qp->o);
	explicit_bzero(wr, sizeof(*wr));
	return r;
}

static void
qp_transfer_done(struct bk_req *req, int r)
{
	struct op *op = op_of_transfer(req);

	op->done(op, qp_transfer_over(op, r));
}

static void
wr_fill(struct bk_wr *wr, const struct qp_transfer *t)
{
	*wr = (struct bk_wr){ .op = t->op,
		.lkey = t->mr->keys.lkey,
		.local = t->mr->iova + t->offset,
		.length = t->length,
		.addr = t->addr,
		.rkey = t->rkey,
		.operand = t->operand,
		.swap = t->swap,
		.imm = t->imm,
		.inv = t->inv,
		.with_imm = t->with_imm,
		.with_inv = t->with_inv };
}

/* A receive waits by itself, for as long as it takes. */
struct recv {
	struct bk_wr wr; /* first */
	struct qp *qp; /* referenced */
	struct err err;
	char mr[WC_NAME_MAX + 1]; /* where to, for who asks why not */
	uint64_t offset;
};

/* One that was not only flushed is told to who has sent. */
static void
recv_refused(const struct recv *rv)
{
	struct qp *qp = rv->qp;

	if (rv->wr.req.wc.status == WC_WR_FLUSH_ERR)
		return;
	(void)strlcpy(qp->bad_recv.mr, rv->mr, sizeof(qp->bad_recv.mr));
	qp->bad_recv.offset = rv->offset;
	qp->bad_recv.length = rv->wr.length;
}

static void
recv_done(struct bk_req *req, int r)
{
	struct recv *rv = (struct recv *)(void *)req;
	struct qp *qp = rv->qp;

	world_lock(qp->o.world);
	if (r < 0)
		recv_refused(rv);
	qp_request_over(qp, WR_RECV, &req->wc, r);
	world_unlock(qp->o.world);
	obj_unref(&qp->o);
	explicit_bzero(rv, sizeof(*rv));
	free(rv);
}

static int
qp_recv(struct op *op, const struct qp_transfer *t)
{
	struct qp *qp = qp_of(op->obj);
	struct recv *rv = calloc(1, sizeof(*rv));
	int r;

	if (rv == NULL)
		return fail(&op->err, ENOMEM, "out of memory for a receive");
	rv->qp = qp;
	world_lock(qp->o.world);
	if ((r = rule_transfer(qp, t, &op->err)) == 0) {
		wr_fill(&rv->wr, t);
		(void)strlcpy(rv->mr, t->mr->o.name, sizeof(rv->mr));
		rv->offset = t->offset;
		obj_ref(&qp->o);
		qp_use_begins(qp);
		mr_use_begins(t->mr);
	}
	world_unlock(qp->o.world);
	if (r < 0) {
		free(rv);
		return r;
	}
	rv->wr.req.e = &rv->err;
	rv->wr.req.done = recv_done;
	r = backend_qp_recv(qp_backend(qp), qp->b, &rv->wr);
	if (r < 0) {
		op->err = rv->err;
		obj_unref(&qp->o);
		free(rv);
	}
	world_lock(qp->o.world);
	mr_use_ends(t->mr);
	qp_use_ends(qp);
	world_unlock(qp->o.world);
	obj_unref(&t->mr->o);
	obj_unref(&qp->o);
	return r < 0 ? r : 0;
}

int
qp_transfer(struct op *op, const struct qp_transfer *t)
{
	struct qp *qp = qp_of(op->obj);
	struct bk_wr *wr = &op->u.transfer.wr;
	int r;

	if (t->op == WR_RECV)
		return qp_recv(op, t);
	world_lock(qp->o.world);
	if ((r = rule_transfer(qp, t, &op->err)) == 0) {
		wr_fill(wr, t);
		qp_use_begins(qp);
		mr_use_begins(t->mr);
	}
	world_unlock(qp->o.world);
	if (r < 0)
		return r;
	op->u.transfer.mr = t->mr;
	op->u.transfer.offset = t->offset;
	wr->req.e = &op->err;
	wr->req.done = qp_transfer_done;
	r = backend_qp_post(qp_backend(qp), qp->b, wr);
	return r == PENDING ? PENDING : qp_transfer_over(op, r);
}
