/* SPDX-License-Identifier: MIT */
/*
 * Type 1 binds of a chain, linked, so that the device is told once for all of
 * them.  Only for soft-RoCE, whose ibv_bind_mw(3) posts one IBV_WR_BIND_MW with
 * the next key and stores that; elsewhere a type 1 window has no work request.
 * Posting fails there for nothing but room, so only the last of a run has a
 * completion.
 */
#include "verbs_impl.h"

#define RUN 64 /* at once */

bool
bindq_hold(struct bindq *q, struct bk_mw *mw)
{
	if (!q->linked || mw->req->chain == NULL || mw->req->chain->failed ||
	    q->posted + q->nheld == q->depth)
		return false;
	TAILQ_INSERT_TAIL(&q->held, mw, link);
	q->nheld++;
	return true;
}

static unsigned
fill_run(struct bindq *q, struct ibv_send_wr s[RUN])
{
	struct bk_mw *mw;
	unsigned n = 0;

	TAILQ_FOREACH (mw, &q->held, link) {
		if (n == RUN)
			break;
		mw->bind.wr_id = q->next_id++;
		mw->quiet = n + 1 < RUN && TAILQ_NEXT(mw, link) != NULL;
		s[n] = (struct ibv_send_wr){
			.wr_id = mw->bind.wr_id,
			.opcode = IBV_WR_BIND_MW,
			.send_flags = mw->quiet ? 0 : IBV_SEND_SIGNALED,
			.bind_mw = { .mw = mw->mw,
			    .rkey = ibv_inc_rkey(mw->mw->rkey),
			    .bind_info = mw->bind.bind_info },
		};
		if (n > 0)
			s[n - 1].next = &s[n];
		n++;
	}
	return n;
}

/* The first n that are held are in flight, with their new keys. */
static void
run_given(struct bindq *q, const struct ibv_send_wr *s, unsigned n)
{
	struct bk_mw *mw;

	q->posted += n;
	q->nheld -= n;
	for (; n > 0; n--, s++) {
		mw = TAILQ_FIRST(&q->held);
		TAILQ_REMOVE(&q->held, mw, link);
		TAILQ_INSERT_TAIL(&q->flight, mw, link);
		mw->old_rkey = mw->mw->rkey;
		mw->mw->rkey = s->bind_mw.rkey;
	}
}

void
bindq_post_held(struct bindq *q)
{
	struct ibv_send_wr s[RUN], *bad;
	unsigned n;
	int r = 0;

	while (q->state == BINDQ_READY && r == 0 && q->nheld > 0) {
		n = fill_run(q, s);
		bad = NULL;
		r = ibv_post_send(q->qp, s, &bad);
		if (r != 0)
			n = bad != NULL ? (unsigned)(bad - s) : 0;
		run_given(q, s, n);
	}
	TAILQ_CONCAT(&q->held, &q->waiting, link);
	TAILQ_CONCAT(&q->waiting, &q->held, link);
	q->nheld = 0;
}

struct bk_mw *
bindq_quiet(struct bindq *q, uint64_t id)
{
	struct bk_mw *mw = TAILQ_FIRST(&q->flight);

	if (mw == NULL || !mw->quiet || mw->bind.wr_id >= id)
		return NULL;
	TAILQ_REMOVE(&q->flight, mw, link);
	q->posted--;
	return mw;
}
