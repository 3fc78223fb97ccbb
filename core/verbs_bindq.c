/* SPDX-License-Identifier: MIT */
/*
 * The queue pair over which a domain binds its type 1 windows (W7), and its
 * own completion queue.  Posting never sleeps and never fails for load: what
 * does not fit waits.  A refused bind puts the queue pair in error and takes
 * with it what was posted behind; the listener replaces the queue pair and
 * posts that again.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/param.h>

#include "verbs_impl.h"

#define BINDQ_DEPTH 256 /* binds posted at once */
#define BINDQ_BATCH 32 /* completions handled at once */

enum bindq_state {
	BINDQ_READY,
	BINDQ_BROKEN, /* a bind was refused: until all are back, and mended */
	BINDQ_DEAD, /* mending has failed, or the device is gone */
};

struct bindq {
	struct cq_owner owner; /* first */
	struct backend *b;
	struct verbs_dev *dev;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp; /* the listener's alone while broken */
	uint32_t depth; /* entries of each; so the cq cannot overflow */

	/* verbs_dev.lock guards the rest. */
	LIST_ENTRY(bindq) link;
	enum bindq_state state;
	struct err why; /* dead */
	uint64_t next_id; /* of the next work request */
	uint32_t posted; /* windows in flight */
	struct mw_list flight; /* in the order in which they complete */
	struct mw_list waiting; /* for room */
	struct mw_list refused; /* for the mending */
};

static int
bindq_connect(struct bindq *q, struct err *e)
{
	const struct dev_info *info = &q->b->info;
	struct ibv_qp_init_attr a = {
		.send_cq = q->cq,
		.recv_cq = q->cq,
		.cap.max_send_wr = q->depth,
		.cap.max_recv_wr = 1,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
	};

	if ((q->qp = ibv_create_qp(q->pd, &a)) == NULL)
		return verbs_alloc_fail(
		    e, errno, "ibv_create_qp", "max_qp", info->max_qp);
	return loop_connect(q->qp, info->port_count, e);
}

static int
bindq_disconnect(struct bindq *q, struct err *e)
{
	int r;

	if (q->qp != NULL && (r = ibv_destroy_qp(q->qp)) != 0)
		return verbs_fail(e, r, "ibv_destroy_qp");
	q->qp = NULL;
	return 0;
}

/*
 * Gives one bind to the device.  PENDING, -EAGAIN: full, a completion will
 * make room, or -errno with the reason.  Called with the lock, which keeps
 * the completion away until the new key stands in mw->mw.
 */
static int
bindq_give(struct bindq *q, struct bk_mw *mw)
{
	int r;

	if (q->posted == q->depth)
		return -EAGAIN;
	mw->old_rkey = mw->mw->rkey;
	mw->bind.wr_id = q->next_id++;
	r = ibv_bind_mw(q->qp, mw->mw, &mw->bind);
	if (r == 0) {
		TAILQ_INSERT_TAIL(&q->flight, mw, link);
		q->posted++;
		return PENDING;
	}
	mw->mw->rkey = mw->old_rkey;
	if (r == ENOMEM && q->posted > 0)
		return -EAGAIN;
	return verbs_fail(mw->req->e, r, "ibv_bind_mw");
}

static void
bindq_over(struct bk_mw *mw, int result, struct mw_list *over)
{
	mw->result = result;
	TAILQ_INSERT_TAIL(over, mw, link);
}

/* Gives what waits to the device while there is room. */
static void
bindq_pump(struct bindq *q, struct mw_list *over)
{
	struct bk_mw *mw;
	int r;

	while (q->state == BINDQ_READY &&
	       (mw = TAILQ_FIRST(&q->waiting)) != NULL) {
		TAILQ_REMOVE(&q->waiting, mw, link);
		r = bindq_give(q, mw);
		if (r == -EAGAIN) {
			TAILQ_INSERT_HEAD(&q->waiting, mw, link);
			return;
		}
		if (r != PENDING)
			bindq_over(mw, r, over);
	}
}

/* Who came first goes first; a request of another is never told from here. */
int
bindq_post(struct bindq *q, struct bk_mw *mw)
{
	int r = -EAGAIN;

	pthread_mutex_lock(&q->dev->lock);
	if (q->state == BINDQ_DEAD)
		r = fail(mw->req->e, q->why.code, "%s", q->why.text);
	else if (q->state == BINDQ_READY && TAILQ_EMPTY(&q->waiting))
		r = bindq_give(q, mw);
	if (r == -EAGAIN) {
		TAILQ_INSERT_TAIL(&q->waiting, mw, link);
		r = PENDING;
	}
	pthread_mutex_unlock(&q->dev->lock);
	return r;
}

/*
 * The first failure is the bind that was refused, whatever its status: since
 * Linux 6.12 soft-RoCE says WR_FLUSH_ERR for it (D5).  All behind it have
 * never run.  Called with the lock.
 */
static void
bindq_refuse(struct bindq *q, struct bk_mw *mw, enum ibv_wc_status status)
{
	mw->mw->rkey = mw->old_rkey; /* D3 */
	if (q->state == BINDQ_BROKEN) {
		TAILQ_INSERT_TAIL(&q->waiting, mw, link);
		return;
	}
	q->state = BINDQ_BROKEN;
	bindq_over(mw, verbs_wc_fail(mw->req->e, status, "bind"), &q->refused);
}

/*
 * A send queue completes in order, so wc is of the first in flight.  If not,
 * it is of a request whose posting failed half-way, which is over already.
 * Called with the lock.
 */
static void
bindq_settle(struct bindq *q, const struct ibv_wc *wc, struct mw_list *over)
{
	struct bk_mw *mw = TAILQ_FIRST(&q->flight);

	if (mw == NULL || mw->bind.wr_id != wc->wr_id)
		return;
	TAILQ_REMOVE(&q->flight, mw, link);
	q->posted--;
	if (wc->status != IBV_WC_SUCCESS) {
		bindq_refuse(q, mw, wc->status);
		return;
	}
	mw->mr = mw->target;
	mw->req->rkey = mw->mw->rkey;
	bindq_over(mw, 0, over);
}

/* Ends all that is under way.  Called with the lock. */
static void
bindq_kill(struct bindq *q, const struct err *why, struct mw_list *over)
{
	struct bk_mw *mw;

	q->state = BINDQ_DEAD;
	q->why = *why;
	q->posted = 0;
	TAILQ_FOREACH (mw, &q->flight, link)
		mw->mw->rkey = mw->old_rkey;
	TAILQ_CONCAT(&q->flight, &q->waiting, link);
	while ((mw = TAILQ_FIRST(&q->flight)) != NULL) {
		TAILQ_REMOVE(&q->flight, mw, link);
		bindq_over(
		    mw, fail(mw->req->e, why->code, "%s", why->text), over);
	}
	TAILQ_CONCAT(over, &q->refused, link);
}

/* No locks held; done may free the window or bind it again at once. */
static void
bindq_tell(struct mw_list *over)
{
	struct bk_mw *mw;

	while ((mw = TAILQ_FIRST(over)) != NULL) {
		TAILQ_REMOVE(over, mw, link);
		mw->req->done(mw->req, mw->result);
	}
}

static bool
bindq_is_broken(struct bindq *q)
{
	bool broken;

	pthread_mutex_lock(&q->dev->lock);
	broken = q->state == BINDQ_BROKEN && q->posted == 0;
	pthread_mutex_unlock(&q->dev->lock);
	return broken;
}

/*
 * A new queue pair, because soft-RoCE may put a reset one in error once more,
 * late.  Whose bind was refused learns it only now: as long as one request is
 * under way, nobody frees the queue.
 */
static void
bindq_mend(struct bindq *q, struct mw_list *over)
{
	struct err why;
	int r;

	if ((r = bindq_disconnect(q, &why)) == 0)
		r = bindq_connect(q, &why);
	pthread_mutex_lock(&q->dev->lock);
	if (r < 0) {
		bindq_kill(q, &why, over);
	} else {
		q->state = BINDQ_READY;
		TAILQ_CONCAT(over, &q->refused, link);
		bindq_pump(q, over);
	}
	pthread_mutex_unlock(&q->dev->lock);
}

/* The lock, because only then bindq_new() is known to be over. */
static int
bindq_arm(struct verbs_dev *d, struct bindq *q)
{
	int r;

	pthread_mutex_lock(&d->lock);
	r = ibv_req_notify_cq(q->cq, 0); /* a refused bind is not solicited */
	pthread_mutex_unlock(&d->lock);
	return r;
}

static int
bindq_drain(struct cq_owner *o)
{
	struct mw_list over = TAILQ_HEAD_INITIALIZER(over);
	struct bindq *q = (struct bindq *)o; /* its first member */
	struct verbs_dev *d = q->dev;
	struct ibv_wc wc[BINDQ_BATCH];
	int i, n, r;

	r = bindq_arm(d, q);
	while ((n = ibv_poll_cq(q->cq, BINDQ_BATCH, wc)) > 0) {
		pthread_mutex_lock(&d->lock);
		for (i = 0; i < n; i++)
			bindq_settle(q, &wc[i], &over);
		bindq_pump(q, &over);
		pthread_mutex_unlock(&d->lock);
		bindq_tell(&over);
	}
	if (bindq_is_broken(q))
		bindq_mend(q, &over);
	bindq_tell(&over);
	return r == 0 ? 0 : -EIO;
}

void
bindq_abort(struct verbs_dev *d)
{
	struct mw_list over = TAILQ_HEAD_INITIALIZER(over);
	struct bindq *q;
	struct err why;

	(void)fail(&why, ENODEV, "the device is gone");
	pthread_mutex_lock(&d->lock);
	LIST_FOREACH (q, &d->queues, link)
		bindq_kill(q, &why, &over);
	pthread_mutex_unlock(&d->lock);
	bindq_tell(&over);
}

static int
bindq_create(struct bindq *q, struct err *e)
{
	int r;

	q->cq = ibv_create_cq(
	    q->dev->ctx, (int)q->depth, &q->owner, q->dev->channel, 0);
	if (q->cq == NULL)
		return verbs_alloc_fail(
		    e, errno, "ibv_create_cq", "max_cq", q->b->info.max_cq);
	if ((r = ibv_req_notify_cq(q->cq, 0)) != 0)
		return verbs_fail(e, r, "ibv_req_notify_cq");
	return bindq_connect(q, e);
}

static int
bindq_destroy(struct bindq *q, struct err *e)
{
	int r;

	if ((r = bindq_disconnect(q, e)) < 0)
		return r;
	if (q->cq != NULL && (r = ibv_destroy_cq(q->cq)) != 0)
		return verbs_fail(e, r, "ibv_destroy_cq");
	q->cq = NULL;
	return 0;
}

int
bindq_new(
    struct backend *b, struct ibv_pd *pd, struct bindq **out, struct err *e)
{
	struct bindq *q;
	int r;

	if ((q = calloc(1, sizeof(*q))) == NULL)
		return fail(e, ENOMEM, "no memory for a queue pair");
	q->owner.drain = bindq_drain;
	q->b = b;
	q->dev = b->priv;
	q->pd = pd;
	q->depth = MIN(BINDQ_DEPTH, MIN(b->info.max_qp_wr, b->info.max_cqe));
	TAILQ_INIT(&q->flight);
	TAILQ_INIT(&q->waiting);
	TAILQ_INIT(&q->refused);
	if ((r = bindq_create(q, e)) < 0) {
		(void)bindq_destroy(q, NULL);
		free(q);
		return r;
	}
	pthread_mutex_lock(&q->dev->lock);
	LIST_INSERT_HEAD(&q->dev->queues, q, link);
	pthread_mutex_unlock(&q->dev->lock);
	*out = q;
	return 0;
}

int
bindq_free(struct bindq *q, struct err *e)
{
	struct verbs_dev *d = q->dev;
	int r;

	if ((r = bindq_destroy(q, e)) < 0)
		return r;
	pthread_mutex_lock(&d->serving); /* of a device that is gone (D16) */
	pthread_mutex_lock(&d->lock);
	LIST_REMOVE(q, link);
	pthread_mutex_unlock(&d->lock);
	pthread_mutex_unlock(&d->serving);
	free(q);
	return 0;
}
