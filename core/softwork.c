/* SPDX-License-Identifier: MIT */
/*
 * What is posted on queue pairs of soft devices: at once if little is to be
 * moved, else in turn by the fabric's threads.  What a request does is
 * softwr.c's.
 */
#include <errno.h>
#include <stddef.h>

#include "softqp.h"
#include "wc.h"

/* What whoever posts can as well move himself: bytes.  With memory of the
 * daemon's he waits for it anyway, as with a read of a region's data. */
#define SMALL     (UINT64_C(64) << 10)
#define SMALL_BUF (UINT64_C(1) << 20)

/*
 * Whether it is over in no time.  An invalidation waits for others who move
 * bytes.
 */
static bool
is_brief(const struct bk_qp *qp, const struct bk_wr *wr)
{
	const uint64_t small = wr->buf != NULL ? SMALL_BUF : SMALL;

	return qp->state != QP_RTS || (wr->length <= small && !wr->with_inv);
}

/* Lock held. */
static void
make_busy(struct bk_qp *qp)
{
	qp->busy = true;
	softqp_use(qp);
}

/* Goes on with what waits, a request at a time, so that others get a turn;
 * qp may be gone then. */
static void
next(struct bk_qp *qp)
{
	struct fabric *f = qp->dev->fabric;

	(void)pthread_mutex_lock(&f->lock);
	if (!TAILQ_EMPTY(&qp->sends)) {
		pool_submit(f->pool, &qp->work);
	} else {
		qp->busy = false;
		softqp_unuse(qp);
	}
	(void)pthread_mutex_unlock(&f->lock);
}

void
softqp_work(struct work *w)
{
	struct bk_qp *qp =
	    (struct bk_qp *)((char *)w - offsetof(struct bk_qp, work));
	struct fabric *f = qp->dev->fabric;
	struct bk_wr *wr;

	(void)pthread_mutex_lock(&f->lock);
	wr = (struct bk_wr *)TAILQ_FIRST(&qp->sends);
	TAILQ_REMOVE(&qp->sends, &wr->req, link);
	(void)pthread_mutex_unlock(&f->lock);
	wr->req.done(&wr->req, soft_execute(qp, wr));
	next(qp);
}

static int
not_connected(struct err *e)
{
	return fail(e, EINVAL, "the queue pair is not connected (W11)");
}

static int
flushed(struct bk_wr *wr)
{
	wr->req.wc = softqp_flushed();
	return wc_fail(wr->req.e, &wr->req.wc, wr->op);
}

int
soft_qp_post(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	struct soft *s = soft_lock(b);
	const bool fresh = qp->state == QP_RESET, dying = qp->dying;
	const bool now = !qp->busy && is_brief(qp, wr);
	int r;

	if (!fresh && !dying && !now && wr->lent) {
		soft_unlock(s);
		return fail(wr->req.e, EAGAIN, "the queue pair is busy");
	}
	if (!fresh && !dying && !now)
		TAILQ_INSERT_TAIL(&qp->sends, &wr->req, link);
	if (!fresh && !dying && !qp->busy) {
		make_busy(qp);
		if (!now)
			pool_submit(s->fabric->pool, &qp->work);
	}
	soft_unlock(s);
	if (fresh)
		return not_connected(wr->req.e);
	if (dying)
		return flushed(wr);
	if (!now)
		return PENDING;
	r = soft_execute(qp, wr);
	next(qp);
	return r;
}

/* Lock held. */
static int
enqueue_receive(struct bk_qp *qp, struct bk_wr *wr)
{
	if (qp->state == QP_RESET)
		return not_connected(wr->req.e);
	if (qp->state != QP_RTS)
		return flushed(wr);
	if (qp->nrecvs >= SOFT_MAX_QP_WR)
		return fail(wr->req.e, ENOSPC,
		    "%u receives wait on the queue pair, it has no room for "
		    "more",
		    qp->nrecvs);
	TAILQ_INSERT_TAIL(&qp->recvs, &wr->req, link);
	qp->nrecvs++;
	return PENDING;
}

int
soft_qp_recv(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	struct soft *s = soft_lock(b);
	int r = enqueue_receive(qp, wr);

	soft_unlock(s);
	return r;
}
