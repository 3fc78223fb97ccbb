/* SPDX-License-Identifier: MIT */
/*
 * Queue pairs of the caller's: making, connecting and destroying them.  What
 * is posted on them is verbs_post.c's.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "verbs_impl.h"

#define QP_DEPTH 256 /* requests, and receives, posted at once */
/*
 * The kernel's own bit, IB_WC_WITH_INVALIDATE, which soft-RoCE hands on as it
 * is.  To libibverbs it says IBV_WC_IP_CSUM_OK, which soft-RoCE never means.
 */
#define KERNEL_WC_WITH_INV (1u << 2)

static_assert((int)QP_RC == IBV_QPT_RC && (int)QP_UC == IBV_QPT_UC &&
		  (int)QP_RTS == IBV_QPS_RTS && (int)QP_ERR == IBV_QPS_ERR,
    "queue pairs differ from libibverbs");

/* The lock, because only then verbs_qp_create() is known to be over. */
static int
qp_drain(struct cq_owner *o)
{
	struct bk_qp *qp = (struct bk_qp *)o; /* its first member */
	int r;

	pthread_mutex_lock(&qp->lock);
	r = ibv_req_notify_cq(qp->cq, 0); /* failures are not solicited */
	pthread_mutex_unlock(&qp->lock);
	post_drain(qp);
	return r == 0 ? 0 : -EIO;
}

static int
qp_queues(struct bk_qp *qp, const struct dev_info *info, enum qp_type type,
    struct err *e)
{
	struct ibv_qp_init_attr a = {
		.qp_context = qp,
		.cap.max_send_wr = qp->send_depth,
		.cap.max_recv_wr = qp->recv_depth,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.qp_type = (enum ibv_qp_type)type,
	};
	int cqe = (int)(qp->send_depth + qp->recv_depth), r;

	qp->cq =
	    ibv_create_cq(qp->dev->ctx, cqe, &qp->owner, qp->dev->channel, 0);
	if (qp->cq == NULL)
		return verbs_alloc_fail(
		    e, errno, "ibv_create_cq", "max_cq", info->max_cq);
	if ((r = ibv_req_notify_cq(qp->cq, 0)) != 0)
		return verbs_fail(e, r, "ibv_req_notify_cq");
	a.send_cq = a.recv_cq = qp->cq;
	if ((qp->qp = ibv_create_qp(qp->pd->pd, &a)) == NULL)
		return verbs_alloc_fail(
		    e, errno, "ibv_create_qp", "max_qp", info->max_qp);
	return 0;
}

static void
qp_free(struct bk_qp *qp)
{
	(void)pthread_mutex_destroy(&qp->lock);
	free(qp);
}

static struct bk_qp *
qp_init(struct backend *b, struct bk_pd *pd, const struct qp_args *a)
{
	const struct dev_info *info = &b->info;
	struct bk_qp *qp = calloc(1, sizeof(*qp));

	if (qp == NULL)
		return NULL;
	qp->owner.drain = qp_drain;
	qp->dev = b->priv;
	qp->pd = pd;
	qp->psn = arc4random_uniform(1u << 24);
	qp->send_depth = MIN(QP_DEPTH, MIN(info->max_qp_wr, info->max_cqe / 2));
	qp->recv_depth = qp->send_depth;
	qp->with_inv = IBV_WC_WITH_INV;
	if (info->vendor_id == RXE_VENDOR_ID)
		qp->with_inv |= KERNEL_WC_WITH_INV;
	qp->quiet = info->vendor_id == RXE_VENDOR_ID;
	qp->changed = a->changed;
	qp->arg = a->arg;
	(void)pthread_mutex_init(&qp->lock, NULL);
	TAILQ_INIT(&qp->flight);
	TAILQ_INIT(&qp->held);
	TAILQ_INIT(&qp->waiting);
	TAILQ_INIT(&qp->receives);
	return qp;
}

static void
qp_address(const struct bk_qp *qp, struct qp_addr *local)
{
	*local = (struct qp_addr){
		.qpn = qp->qp->qp_num,
		.psn = qp->psn,
		.lid = qp->conn.attr.lid,
		.mtu = conn_mtu(&qp->conn),
	};
	memcpy(local->gid.raw, qp->conn.gid.raw, sizeof(local->gid.raw));
}

int
verbs_qp_create(struct backend *b, struct bk_pd *pd, const struct qp_args *a,
    struct bk_qp **out, struct qp_addr *local, struct err *e)
{
	struct verbs_dev *d = b->priv;
	struct bk_qp *qp;
	int r;

	if ((qp = qp_init(b, pd, a)) == NULL)
		return fail(e, ENOMEM, "no memory for a queue pair");
	r = conn_find(
	    d->ctx, b->info.port_count, a->port, a->gid, &qp->conn, e);
	if (r == 0)
		r = qp_queues(qp, &b->info, a->type, e);
	if (r < 0) {
		if (qp->cq != NULL)
			(void)ibv_destroy_cq(qp->cq);
		qp_free(qp);
		return r;
	}
	pthread_mutex_lock(&d->serving);
	TAILQ_INSERT_TAIL(&d->qps, qp, link);
	pthread_mutex_unlock(&d->serving);
	qp_address(qp, local);
	*out = qp;
	return 0;
}

static enum bk_qp_state
qp_turn(struct bk_qp *qp, enum bk_qp_state state)
{
	enum bk_qp_state old;

	pthread_mutex_lock(&qp->lock);
	old = qp->state;
	qp->state = state;
	pthread_mutex_unlock(&qp->lock);
	return old;
}

/* What has completed is told as it went, for a provider may take it out of the
 * completion queue with the queue pair. */
static int
qp_end(struct bk_qp *qp, struct err *e)
{
	enum bk_qp_state old;
	int r;

	if (qp->qp == NULL)
		return 0;
	post_drain(qp);
	old = qp_turn(qp, BK_QP_CLOSING); /* the listener posts no more */
	if ((r = ibv_destroy_qp(qp->qp)) != 0) {
		(void)qp_turn(qp, old);
		listener_wake(qp->dev); /* for what has waited meanwhile */
		return verbs_fail(e, r, "ibv_destroy_qp");
	}
	qp->qp = NULL;
	return 0;
}

/*
 * ibv_destroy_cq() waits until the listener has handled the last event; not
 * when the device is gone (D16), so its lock is waited for as well.
 */
int
verbs_qp_destroy(struct backend *b, struct bk_qp *qp, struct err *e)
{
	struct verbs_dev *d = b->priv;
	int r;

	if ((r = qp_end(qp, e)) < 0)
		return r;
	post_drain(qp);
	post_flush(qp, NULL);
	if ((r = ibv_destroy_cq(qp->cq)) != 0)
		return verbs_fail(e, r, "ibv_destroy_cq");
	pthread_mutex_lock(&d->serving);
	TAILQ_REMOVE(&d->qps, qp, link);
	pthread_mutex_unlock(&d->serving);
	qp_free(qp);
	return 0;
}

int
verbs_qp_connect(struct backend *b, struct bk_qp *qp,
    const struct qp_addr *remote, uint32_t rights, struct err *e)
{
	struct verbs_dev *d = b->priv;
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	int r;

	if ((r = conn_renew(d->ctx, &qp->conn, e)) < 0)
		return r;
	r = conn_up(qp->qp, &qp->conn, qp->psn, remote, rights, e);
	if (r < 0) {
		(void)ibv_modify_qp(qp->qp, &reset, IBV_QP_STATE);
		return r;
	}
	(void)qp_turn(qp, BK_QP_READY);
	return 0;
}

int
verbs_qp_rights(
    struct backend *b, struct bk_qp *qp, uint32_t rights, struct err *e)
{
	struct ibv_qp_attr a = { .qp_access_flags = rights };
	int r;

	if ((r = ibv_modify_qp(qp->qp, &a, IBV_QP_ACCESS_FLAGS)) != 0)
		return verbs_fail(e, r, "ibv_modify_qp");
	return 0;
}

static bool
qp_is_broken(struct bk_qp *qp)
{
	bool broken;

	pthread_mutex_lock(&qp->lock);
	broken = qp->state == BK_QP_BROKEN;
	pthread_mutex_unlock(&qp->lock);
	return broken;
}

/* A device's own state follows a failed completion by some milliseconds. */
int
verbs_qp_state(
    struct backend *b, struct bk_qp *qp, enum qp_state *state, struct err *e)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;
	int r;

	if ((r = ibv_query_qp(qp->qp, &a, IBV_QP_STATE, &init)) != 0)
		return verbs_fail(e, r, "ibv_query_qp");
	*state = (enum qp_state)a.qp_state;
	if (*state == QP_RTS && qp_is_broken(qp))
		*state = QP_ERR;
	return 0;
}

/* Registers what qp's first request needs, and posts what waits. */
static void
qp_serve(struct bk_qp *qp)
{
	struct err why;
	bool needs;
	int r = 0;

	pthread_mutex_lock(&qp->lock);
	needs = qp->unregistered;
	qp->unregistered = false;
	pthread_mutex_unlock(&qp->lock);
	if (needs)
		r = bounce_make(&qp->pd->bounce, qp->pd->pd, &why);
	post_go(qp, r < 0 ? &why : NULL);
}

/* The first goes last the next time, so that none waits for ever. */
void
qps_serve(struct verbs_dev *d)
{
	struct bk_qp *qp;

	pthread_mutex_lock(&d->serving);
	TAILQ_FOREACH (qp, &d->qps, link)
		qp_serve(qp);
	if ((qp = TAILQ_FIRST(&d->qps)) != NULL) {
		TAILQ_REMOVE(&d->qps, qp, link);
		TAILQ_INSERT_TAIL(&d->qps, qp, link);
	}
	pthread_mutex_unlock(&d->serving);
}

void
qps_abort(struct verbs_dev *d)
{
	struct bk_qp *qp;
	struct err why;

	(void)fail(&why, ENODEV, "the device is gone");
	pthread_mutex_lock(&d->serving);
	TAILQ_FOREACH (qp, &d->qps, link) {
		if (qp_turn(qp, BK_QP_DEAD) != BK_QP_DEAD)
			qp->changed(qp->arg, QP_ERR);
		post_flush(qp, &why);
	}
	pthread_mutex_unlock(&d->serving);
}
