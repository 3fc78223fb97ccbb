/* SPDX-License-Identifier: MIT */
/*
 * Windows: ibv_alloc_mw(3), ibv_bind_mw(3), ibv_dealloc_mw.  The rules W1 to
 * W10 have been checked by the callers.
 */
#include <assert.h>
#include <errno.h>
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
	struct bk_mw *mw;
	int r = 0;

	if ((mw = calloc(1, sizeof(*mw))) == NULL)
		return fail(e, ENOMEM, "no memory for a window");
	if (type == MW_TYPE_1)
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

/* target: what the window is bound to after success. */
static int
mw_post(struct bk_mw *mw, const struct ibv_mw_bind_info *info,
    struct bk_mr *target, struct bk_req *req)
{
	if (mw->binds == NULL)
		return fail(req->e, EOPNOTSUPP,
		    "a type 2 window needs a queue pair to be bound over");
	mw->req = req;
	mw->target = target;
	mw->bind.send_flags = IBV_SEND_SIGNALED;
	mw->bind.bind_info = *info;
	return bindq_post(mw->binds, mw);
}

int
verbs_mw_bind(struct backend *b, struct bk_mw *mw, struct bk_mr *mr,
    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req)
{
	struct ibv_mw_bind_info info = {
		.mr = mr->mr,
		.addr = mr->iova + a->offset, /* W4 */
		.length = a->length,
		.mw_access_flags = a->rights,
	};

	return mw_post(mw, &info, mr, req);
}

/* A bind of length 0; without a region, librxe would not survive it. */
int
verbs_mw_invalidate(struct backend *b, struct bk_mw *mw, struct bk_req *req)
{
	struct ibv_mw_bind_info info = { 0 };

	assert(mw->mr != NULL);
	info.mr = mw->mr->mr;
	return mw_post(mw, &info, NULL, req);
}
