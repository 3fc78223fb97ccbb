/* SPDX-License-Identifier: MIT */
/*
 * How what was posted on a queue pair ended.  It stands in the request's
 * reason: no code is success.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

#include "verbs_impl.h"
#include "wc.h"

#define POST_BATCH 32 /* completions handled at once */

static_assert((int)WC_LOC_PROT_ERR == IBV_WC_LOC_PROT_ERR &&
		  (int)WC_WR_FLUSH_ERR == IBV_WC_WR_FLUSH_ERR &&
		  (int)WC_REM_ACCESS_ERR == IBV_WC_REM_ACCESS_ERR &&
		  (int)WC_RNR_RETRY_EXC_ERR == IBV_WC_RNR_RETRY_EXC_ERR &&
		  (int)WC_GENERAL_ERR == IBV_WC_GENERAL_ERR,
    "statuses differ from enum ibv_wc_status");

/* What stands behind a failure in its chain is as if it had not been posted. */
static void
not_run(struct bk_req *req)
{
	req->wc = (struct bk_wc){ .status = WC_SUCCESS };
	(void)chain_broken(req->e);
}

/* Ends all in list as flushed. */
static void
flush(struct bk_reqs *list, const struct err *why, struct bk_reqs *over)
{
	struct bk_req *req;

	TAILQ_FOREACH (req, list, link) {
		req->wc = (struct bk_wc){ .status = WC_WR_FLUSH_ERR };
		if (why == NULL && req->chain != NULL)
			not_run(req);
		else if (why != NULL)
			(void)fail(req->e, why->code, "%s", why->text);
		else
			(void)wc_fail(req->e, &req->wc, wr_of(req)->op);
	}
	TAILQ_CONCAT(over, list, link);
}

/*
 * Only what goes well has been written to: nothing else that lies in a piece,
 * perhaps another's, gets out.  An atomic's old value comes in the byte order
 * of the host (IBV_ATOMIC_HCA).
 */
static bool
finish(struct bk_qp *qp, struct bk_wr *wr)
{
	bool sent = wr->op == WR_WRITE || wr->op == WR_SEND;

	if (wr->own != NULL && wr->req.wc.status == WC_SUCCESS && !sent)
		memcpy(wr->buf, wr->own, wr->length);
	return post_piece_back(qp, wr);
}

/* Returns whether the listener has been woken. */
static bool
tell(struct bk_qp *qp, struct bk_reqs *over)
{
	struct bk_req *req;
	bool woken = false;

	while ((req = TAILQ_FIRST(over)) != NULL) {
		TAILQ_REMOVE(over, req, link);
		woken |= finish(qp, wr_of(req));
		req->done(req, -req->e->code);
	}
	return woken;
}

/* What waits has never been posted, so it is flushed after all that was. */
void
post_go(struct bk_qp *qp, const struct err *unregistered)
{
	struct bk_reqs over = TAILQ_HEAD_INITIALIZER(over);

	pthread_mutex_lock(&qp->lock);
	if (qp->state == BK_QP_BROKEN && TAILQ_EMPTY(&qp->flight))
		flush(&qp->waiting, NULL, &over);
	post_waiting(qp, unregistered, &over);
	pthread_mutex_unlock(&qp->lock);
	(void)tell(qp, &over);
}

/* What comes with a good completion.  An RDMA write that a peer announces
 * takes a receive, and puts nothing in its memory. */
static void
fill_wc(const struct bk_qp *qp, struct bk_wr *wr, const struct ibv_wc *wc)
{
	struct bk_wc *out = &wr->req.wc;

	out->bytes = wr->op == WR_RECV ? wc->byte_len : (uint32_t)wr->length;
	if (wr->op != WR_RECV)
		return;
	out->with_imm = (wc->wc_flags & IBV_WC_WITH_IMM) != 0;
	out->with_inv = (wc->wc_flags & qp->with_inv) != 0;
	if (out->with_imm)
		out->imm = ntohl(wc->imm_data);
	if (out->with_inv)
		out->rkey = wc->invalidated_rkey;
}

/* Behind the first failure nothing has run, whatever the status (D5). */
static void
fail_one(const struct bk_qp *qp, struct bk_req *req)
{
	if (req->chain != NULL && qp->state != BK_QP_READY) {
		not_run(req);
		return;
	}
	if (req->chain != NULL)
		req->chain->failed = true;
	(void)wc_fail(req->e, &req->wc, wr_of(req)->op);
}

/* What stands in front of request id and has no completion has gone well. */
static void
settle_quiet(struct bk_qp *qp, uint64_t id, struct bk_reqs *over)
{
	struct bk_req *req;

	while ((req = TAILQ_FIRST(&qp->flight)) != NULL && req->quiet &&
	       req->id < id) {
		TAILQ_REMOVE(&qp->flight, req, link);
		TAILQ_INSERT_TAIL(over, req, link);
		qp->sent--;
	}
}

/*
 * Both queues complete in order, so wc is of the first in flight.  If not, it
 * is of a request whose posting failed half-way, which is over already.  Of a
 * bad one nothing else is looked at (A5).
 */
static void
settle(struct bk_qp *qp, const struct ibv_wc *wc, struct bk_reqs *over)
{
	bool recv = (wc->wr_id & RECV_ID) != 0;
	struct bk_reqs *list = recv ? &qp->receives : &qp->flight;
	struct bk_req *req;

	if (!recv)
		settle_quiet(qp, wc->wr_id, over);
	req = TAILQ_FIRST(list);
	if (req == NULL || req->id != wc->wr_id)
		return;
	TAILQ_REMOVE(list, req, link);
	TAILQ_INSERT_TAIL(over, req, link);
	--*(recv ? &qp->received : &qp->sent);
	req->wc.status = (enum wc_status)wc->status;
	if (wc->status == IBV_WC_SUCCESS) {
		fill_wc(qp, wr_of(req), wc);
		return;
	}
	fail_one(qp, req);
	if (qp->state == BK_QP_READY)
		qp->state = BK_QP_BROKEN;
}

/*
 * Returns how many have completed.  Polled under the lock, because two who do
 * so would settle them out of order.
 */
static int
collect(struct bk_qp *qp, struct bk_reqs *over, bool *broke)
{
	struct ibv_wc wc[POST_BATCH];
	bool ready;
	int i, n;

	pthread_mutex_lock(&qp->lock);
	ready = qp->state == BK_QP_READY;
	n = ibv_poll_cq(qp->cq, POST_BATCH, wc);
	for (i = 0; i < n; i++)
		settle(qp, &wc[i], over);
	*broke = ready && qp->state == BK_QP_BROKEN;
	pthread_mutex_unlock(&qp->lock);
	return n;
}

void
post_drain(struct bk_qp *qp)
{
	struct bk_reqs over = TAILQ_HEAD_INITIALIZER(over);
	bool broke;

	while (collect(qp, &over, &broke) > 0) {
		if (broke)
			qp->changed(qp->arg, QP_ERR);
		/* Woken, the listener goes on with all of them in turn. */
		if (!tell(qp, &over))
			post_go(qp, NULL);
	}
}

void
post_flush_held(struct bk_qp *qp)
{
	pthread_mutex_lock(&qp->dev->serving);
	pthread_mutex_lock(&qp->lock);
	post_held(qp);
	pthread_mutex_unlock(&qp->lock);
	post_drain(qp);
	post_go(qp, NULL); /* if nothing was posted */
	pthread_mutex_unlock(&qp->dev->serving);
}

void
post_flush(struct bk_qp *qp, const struct err *why)
{
	struct bk_reqs over = TAILQ_HEAD_INITIALIZER(over);

	pthread_mutex_lock(&qp->lock);
	TAILQ_CONCAT(&qp->flight, &qp->held, link);
	qp->nheld = 0;
	TAILQ_CONCAT(&qp->flight, &qp->waiting, link);
	TAILQ_CONCAT(&qp->flight, &qp->receives, link);
	qp->sent = qp->received = 0;
	flush(&qp->flight, why, &over);
	pthread_mutex_unlock(&qp->lock);
	(void)tell(qp, &over);
}
