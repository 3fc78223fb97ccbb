/* SPDX-License-Identifier: MIT */
/*
 * The queue pair over which a domain binds its type 1 windows (W7), and its
 * own completion queue.  Posting never sleeps and never fails for load: what
 * does not fit waits.  A refused bind puts the queue pair in error and takes
 * with it what was posted behind; the listener replaces the queue pair and
 * posts that again.
 */
#include <assert.h>
#include <errno.h>

#include "verbs_impl.h"

#define BINDQ_BATCH 32 /* completions handled at once */

/*
 * Gives one bind to the device.  PENDING, -EAGAIN: full, a completion will
 * make room, or -errno with the reason.  Called with the lock, which keeps
 * the completion away until the new key stands in mw->mw.
 */
static int
bindq_give(struct bindq *q, struct bk_mw *mw)
{
	int r;

	if (mw->req->chain != NULL && mw->req->chain->failed)
		return chain_broken(mw->req->e);
	if (q->posted + q->nheld == q->depth)
		return -EAGAIN;
	mw->old_rkey = mw->mw->rkey;
	mw->quiet = false;
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

static void
bindq_bound(struct bk_mw *mw, struct mw_list *over)
{
	mw->mr = mw->target;
	mw->req->rkey = mw->mw->rkey;
	bindq_over(mw, 0, over);
}

/* Gives what waits to the device while there is room. */
static void
bindq_pump(struct bindq *q, struct mw_list *over)
{
	struct bk_mw *mw;
	int r;

	bindq_post_held(q);
	while (q->state == BINDQ_READY &&
	       (mw = TAILQ_FIRST(&q->waiting)) != NULL) {
		TAILQ_REMOVE(&q->waiting, mw, link);
		r = bindq_give(q, mw);
		if (r == -EAGAIN) {
			TAILQ_INSERT_HEAD(&q->waiting, mw, link);
			return;
		}
		if (r == PENDING)
			continue;
		if (mw->req->chain != NULL)
			mw->req->chain->failed = true;
		bindq_over(mw, r, over);
	}
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
	if (mw->req->chain != NULL)
		mw->req->chain->failed = true;
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
	struct bk_mw *mw;

	while ((mw = bindq_quiet(q, wc->wr_id)) != NULL)
		bindq_bound(mw, over);
	mw = TAILQ_FIRST(&q->flight);
	if (mw == NULL || mw->bind.wr_id != wc->wr_id)
		return;
	TAILQ_REMOVE(&q->flight, mw, link);
	q->posted--;
	if (wc->status != IBV_WC_SUCCESS) {
		bindq_refuse(q, mw, wc->status);
		return;
	}
	bindq_bound(mw, over);
}

/* Takes what has completed out of the queue.  Called with the lock. */
static void
bindq_collect(struct bindq *q, struct mw_list *over)
{
	struct ibv_wc wc[BINDQ_BATCH];
	int i, n;

	while ((n = ibv_poll_cq(q->cq, BINDQ_BATCH, wc)) > 0)
		for (i = 0; i < n; i++)
			bindq_settle(q, &wc[i], over);
}

/*
 * Collects, and sees to it that an event tells of what is still in flight: 0,
 * or -EIO, there will be none.  Called with the lock.
 */
static int
bindq_watch(struct bindq *q, struct mw_list *over)
{
	if (q->posted > 0)
		bindq_collect(q, over);
	if (q->posted == 0 || q->armed)
		return 0;
	/* A refused bind is not solicited. */
	if (ibv_req_notify_cq(q->cq, 0) != 0)
		return -EIO;
	q->armed = true;
	bindq_collect(q, over); /* it may have come before that */
	return 0;
}

/*
 * What alone is in flight has mostly completed by now, which spares the
 * listener's being woken for it.  Behind others it waits like them: their
 * ends are the listener's to tell.  PENDING or 0.  Called with the lock.
 */
static int
bindq_await(struct bindq *q, struct bk_mw *mw)
{
	struct mw_list over = TAILQ_HEAD_INITIALIZER(over);

	if (q->posted > 1)
		return PENDING;
	/* A failure is seen by the listener, too: the device is gone (D16). */
	(void)bindq_watch(q, &over);
	if (q->state == BINDQ_BROKEN)
		listener_wake(q->dev); /* to mend it */
	if (TAILQ_EMPTY(&over))
		return PENDING;
	assert(TAILQ_FIRST(&over) == mw);
	return mw->result;
}

/* Who came first goes first; a request of another is never told from here. */
int
bindq_post(struct bindq *q, struct bk_mw *mw)
{
	int r = -EAGAIN;

	pthread_mutex_lock(&q->dev->lock);
	if (mw->req->chain == NULL && q->nheld > 0)
		bindq_post_held(q);
	if (q->state == BINDQ_DEAD)
		r = fail(mw->req->e, q->why.code, "%s", q->why.text);
	else if (q->state == BINDQ_READY && TAILQ_EMPTY(&q->waiting))
		r = bindq_hold(q, mw) ? PENDING : bindq_give(q, mw);
	if (r == PENDING && mw->req->chain == NULL)
		r = bindq_await(q, mw);
	if (r == -EAGAIN) {
		TAILQ_INSERT_TAIL(&q->waiting, mw, link);
		r = PENDING;
	}
	pthread_mutex_unlock(&q->dev->lock);
	return r;
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
	TAILQ_CONCAT(&q->flight, &q->held, link);
	q->nheld = 0;
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

/* Whether something is in flight of which no event will tell. */
static bool
bindq_is_unwatched(struct bindq *q)
{
	bool unwatched;

	pthread_mutex_lock(&q->dev->lock);
	unwatched = q->posted > 0 && !q->armed;
	pthread_mutex_unlock(&q->dev->lock);
	return unwatched;
}

/*
 * What is told of last may free the completion queue, so that is left alone
 * when nothing is in flight.
 */
static int
bindq_serve(struct bindq *q)
{
	struct mw_list over = TAILQ_HEAD_INITIALIZER(over);
	struct verbs_dev *d = q->dev;
	int r;

	do {
		pthread_mutex_lock(&d->lock);
		r = bindq_watch(q, &over);
		bindq_pump(q, &over);
		pthread_mutex_unlock(&d->lock);
		if (bindq_is_broken(q))
			bindq_mend(q, &over);
		bindq_tell(&over);
	} while (r == 0 && bindq_is_unwatched(q));
	return r;
}

int
bindq_drain(struct cq_owner *o)
{
	struct bindq *q = (struct bindq *)o; /* its first member */

	/* The lock, because only then bindq_new() is known to be over. */
	pthread_mutex_lock(&q->dev->lock);
	q->armed = false;
	pthread_mutex_unlock(&q->dev->lock);
	return bindq_serve(q);
}

void
bindq_flush(struct bindq *q)
{
	pthread_mutex_lock(&q->dev->serving);
	(void)bindq_serve(q);
	pthread_mutex_unlock(&q->dev->serving);
}

static struct bindq *
bindq_next(struct verbs_dev *d, struct bindq *q)
{
	pthread_mutex_lock(&d->lock);
	q = q == NULL ? LIST_FIRST(&d->queues) : LIST_NEXT(q, link);
	pthread_mutex_unlock(&d->lock);
	return q;
}

/* With serving, nobody takes a queue out of the list. */
void
bindqs_serve(struct verbs_dev *d)
{
	struct bindq *q = NULL;

	pthread_mutex_lock(&d->serving);
	while ((q = bindq_next(d, q)) != NULL)
		if (bindq_is_broken(q))
			(void)bindq_serve(q);
	pthread_mutex_unlock(&d->serving);
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
