/* SPDX-License-Identifier: MIT */
/* The wrapper's part for windows; see backend.h. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "backend_impl.h"

int
chain_broken(struct err *e)
{
	return fail(e, ECANCELED, "not run: what stands before it has failed");
}

int
backend_mw_alloc(struct backend *b, struct bk_pd *pd, enum mw_type type,
    struct bk_mw **out, struct err *e)
{
	struct entry in;
	int r;

	assert(pd != NULL && (type == MW_TYPE_1 || type == MW_TYPE_2));
	if (b->ops->mw_alloc == NULL)
		return backend_lacks(b, BK_MW_ALLOC, e);
	*out = NULL;
	e = backend_enter(&in, BK_MW_ALLOC, e);
	r = b->ops->mw_alloc(b, pd, type, out, e);
	assert((r == 0) == (*out != NULL));
	return backend_over(b, &in, r, e, " type=%d", type);
}

int
backend_mw_free(struct backend *b, struct bk_mw *mw, struct err *e)
{
	struct entry in;
	int r;

	assert(mw != NULL);
	if (b->ops->mw_free == NULL)
		return backend_lacks(b, BK_MW_FREE, e);
	e = backend_enter(&in, BK_MW_FREE, e);
	r = b->ops->mw_free(b, mw, e);
	return backend_over_plain(b, &in, r, e);
}

int
backend_mw_bind(struct backend *b, struct bk_mw *mw, struct bk_mr *mr,
    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req)
{
	/* Both may be gone when the operation returns PENDING. */
	const struct bind_args args = *a;
	struct err *e = req->e;
	struct entry in;
	int r;

	assert(mw != NULL && mr != NULL && args.length > 0);
	assert((args.rights & ~(RIGHT_REMOTE | RIGHT_ZERO_BASED)) == 0);
	assert(req->done != NULL && e != NULL);
	assert(req->chain == NULL || b->info.chains);
	if (b->ops->mw_bind == NULL)
		return backend_lacks(b, BK_MW_BIND, e);
	backend_request(&in, b, BK_MW_BIND, req);
	r = b->ops->mw_bind(b, mw, mr, qp, a, req);
	r = backend_posted(&in, req, r);
	return backend_over(b, &in, r, e,
	    " offset=%" PRIu64 " length=%" PRIu64 " rights=0x%x", args.offset,
	    args.length, args.rights);
}

int
backend_mw_invalidate(struct backend *b, struct bk_mw *mw, struct bk_req *req)
{
	struct err *e = req->e;
	struct entry in;
	int r;

	assert(mw != NULL && req->done != NULL && e != NULL);
	if (b->ops->mw_invalidate == NULL)
		return backend_lacks(b, BK_MW_INVALIDATE, e);
	backend_request(&in, b, BK_MW_INVALIDATE, req);
	r = backend_posted(&in, req, b->ops->mw_invalidate(b, mw, req));
	return backend_over_plain(b, &in, r, e);
}

/* Not an operation of its own to the trace: what it tells of is. */
void
backend_mw_flush(struct backend *b, struct bk_pd *pd, struct bk_qp *qp)
{
	assert(pd != NULL);
	if (b->ops->mw_flush != NULL)
		b->ops->mw_flush(b, pd, qp);
}
