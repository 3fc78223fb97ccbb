/* SPDX-License-Identifier: MIT */
/*
 * Windows: ibv_alloc_mw(3), ibv_bind_mw(3), ibv_dealloc_mw.  Type 1 goes over
 * its domain's queue, type 2 over a queue pair of the caller's.  The rules W1
 * to W10 have been checked by the callers.
 */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_impl.h"

static_assert(
    (int)MW_TYPE_1 == IBV_MW_TYPE_1 && (int)MW_TYPE_2 == IBV_MW_TYPE_2,
    "types differ from enum ibv_mw_type");

/* The domain's queue for binds, made when it is first needed. */
static int
pd_binds(struct backend *b, struct bk_pd *pd, struct bindq **out, struct err *e)
{
	int r = 0;

	pthread_mutex_lock(&pd->lock);
	if (pd->binds == NULL)
		r = bindq_new(b, pd->pd, &pd->binds, e);
	*out = pd->binds;
	pthread_mutex_unlock(&pd->lock);
	return r;
}

int
verbs_mw_alloc(struct backend *b, struct bk_pd *pd, enum mw_type type,
    struct bk_mw **out, struct err *e)
{
	bool two = type == MW_TYPE_2;
	struct bk_mw *mw;
	int r = 0;

	mw = calloc(1, two ? sizeof(struct mw2) : sizeof(*mw));
	if (mw == NULL)
		return fail(e, ENOMEM, "no memory for a window");
	if (!two)
		r = pd_binds(b, pd, &mw->binds, e);
	if (r == 0 && (mw->mw = ibv_alloc_mw(pd->pd, (int)type)) == NULL)
		r = verbs_alloc_fail(
		    e, errno, "ibv_alloc_mw", "max_mw", b->info.max_mw);
	if (r < 0) {
		free(mw);
		return r;
	}
	*out = mw;
	return 0;
}

int
verbs_mw_free(struct backend *b, struct bk_mw *mw, struct err *e)
{
	int r;

	if ((r = ibv_dealloc_mw(mw->mw)) != 0)
		return verbs_fail(e, r, "ibv_dealloc_mw");
	free(mw);
	return 0;
}

/* Type 1.  target: what the window is bound to after success. */
static int
post_1(struct bk_mw *mw, const struct ibv_mw_bind_info *info,
    struct bk_mr *target, struct bk_req *req)
{
	mw->req = req;
	mw->target = target;
	mw->bind.send_flags = IBV_SEND_SIGNALED;
	mw->bind.bind_info = *info;
	return bindq_post(mw->binds, mw);
}

/*
 * Only a good completion changes the window (W6), and then it is here that the
 * new key gets into it (D3).
 */
static void
done_2(struct bk_req *posted, int r)
{
	struct mw2 *m = (void *)((char *)posted - offsetof(struct mw2, wr.req));
	struct bk_req *req = m->mw.req;

	req->wc = posted->wc;
	if (r == 0) {
		m->mw.mr = m->mw.target;
		m->mw.mw->rkey = m->key;
		req->rkey = m->key;
	}
	req->done(req, r); /* may free it */
}

/* Type 2: as a work request among the others of qp. */
static int
post_2(struct mw2 *m, struct bk_qp *qp, enum wr_op op, struct bk_mr *target,
    struct bk_req *req)
{
	int r;

	m->qp = qp;
	m->mw.req = req;
	m->mw.target = target;
	m->wr = (struct bk_wr){
		.req.done = done_2,
		.req.e = req->e,
		.req.chain = req->chain,
		.op = op,
	};
	if ((r = post_send(qp, &m->wr)) != PENDING)
		req->wc = m->wr.req.wc;
	return r;
}

/* W8, W9: the index stays. */
static uint32_t
next_key(const struct bk_mw *mw, uint16_t tag)
{
	if (tag & TAG_CHOSEN)
		return (mw->mw->rkey & ~0xffu) | (tag & 0xffu);
	return ibv_inc_rkey(mw->mw->rkey);
}

int
verbs_mw_bind(struct backend *b, struct bk_mw *mw, struct bk_mr *mr,
    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req)
{
	struct mw2 *m = (struct mw2 *)mw; /* type 2: its first member */
	struct ibv_mw_bind_info info = {
		.mr = mr->mr,
		.addr = mr->iova + a->offset, /* W4 */
		.length = a->length,
		.mw_access_flags = a->rights,
	};

	if (mw->binds != NULL)
		return post_1(mw, &info, mr, req);
	if (qp == NULL)
		return fail(req->e, EOPNOTSUPP,
		    "a type 2 window needs a queue pair to be bound over");
	mw->bind.bind_info = info;
	m->key = next_key(mw, a->tag);
	return post_2(m, qp, WR_BIND_MW, mr, req);
}

/*
 * Type 1: a bind of length 0; without a region, librxe would not survive it.
 * Type 2: never of an unbound one, which kills the kernel (D8).
 */
int
verbs_mw_invalidate(struct backend *b, struct bk_mw *mw, struct bk_req *req)
{
	struct mw2 *m = (struct mw2 *)mw; /* type 2: its first member */
	struct ibv_mw_bind_info info = { 0 };

	assert(mw->mr != NULL);
	if (mw->binds == NULL) {
		m->key = mw->mw->rkey;
		return post_2(m, m->qp, WR_LOCAL_INV, NULL, req);
	}
	info.mr = mw->mr->mr;
	return post_1(mw, &info, NULL, req);
}

void
verbs_mw_flush(struct backend *b, struct bk_pd *pd, struct bk_qp *qp)
{
	struct bindq *q;

	if (qp != NULL) {
		post_flush_held(qp);
		return;
	}
	pthread_mutex_lock(&pd->lock);
	q = pd->binds;
	pthread_mutex_unlock(&pd->lock);
	if (q != NULL)
		bindq_flush(q);
}
