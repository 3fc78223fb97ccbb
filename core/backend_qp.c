/* SPDX-License-Identifier: MIT */
/* The wrapper's part for queue pairs and what is posted on them; see
 * backend.h. */
#include <assert.h>
#include <inttypes.h>

#include "backend_impl.h"

int
backend_qp_create(struct backend *b, struct bk_pd *pd, const struct qp_args *a,
    struct bk_qp **out, struct qp_addr *local, struct err *e)
{
	struct err spare;
	int r;

	assert(pd != NULL && a->changed != NULL);
	assert(a->port <= b->info.port_count);
	if (b->ops->qp_create == NULL)
		return backend_lacks(b, "qp_create", e);
	*out = NULL;
	e = backend_reason(e, &spare);
	r = b->ops->qp_create(b, pd, a, out, local, e);
	assert((r == 0) == (*out != NULL));
	return backend_over(b, "qp_create", r, e, " type=%s port=%u",
	    name_of(qp_type_names, a->type), a->port);
}

int
backend_qp_destroy(struct backend *b, struct bk_qp *qp, struct err *e)
{
	struct err spare;
	int r;

	assert(qp != NULL);
	if (b->ops->qp_destroy == NULL)
		return backend_lacks(b, "qp_destroy", e);
	e = backend_reason(e, &spare);
	r = b->ops->qp_destroy(b, qp, e);
	return backend_over_plain(b, "qp_destroy", r, e);
}

int
backend_qp_connect(struct backend *b, struct bk_qp *qp,
    const struct qp_addr *remote, uint32_t rights, struct err *e)
{
	struct err spare;
	int r;

	assert(qp != NULL && (rights & ~(RIGHT_REMOTE | RIGHT_MW_BIND)) == 0);
	assert(remote->qpn < 1u << 24 && remote->psn < 1u << 24);
	if (b->ops->qp_connect == NULL)
		return backend_lacks(b, "qp_connect", e);
	e = backend_reason(e, &spare);
	r = b->ops->qp_connect(b, qp, remote, rights, e);
	return backend_over(b, "qp_connect", r, e, " qpn=%u mtu=%u rights=0x%x",
	    remote->qpn, remote->mtu, rights);
}

int
backend_qp_rights(
    struct backend *b, struct bk_qp *qp, uint32_t rights, struct err *e)
{
	struct err spare;
	int r;

	assert(qp != NULL && (rights & ~(RIGHT_REMOTE | RIGHT_MW_BIND)) == 0);
	if (b->ops->qp_rights == NULL)
		return backend_lacks(b, "qp_rights", e);
	e = backend_reason(e, &spare);
	r = b->ops->qp_rights(b, qp, rights, e);
	return backend_over(b, "qp_rights", r, e, " rights=0x%x", rights);
}

int
backend_qp_state(
    struct backend *b, struct bk_qp *qp, enum qp_state *state, struct err *e)
{
	struct err spare;
	int r;

	assert(qp != NULL);
	if (b->ops->qp_state == NULL)
		return backend_lacks(b, "qp_state", e);
	e = backend_reason(e, &spare);
	r = b->ops->qp_state(b, qp, state, e);
	assert(r < 0 || name_of(qp_state_names, *state) != NULL);
	return backend_over_plain(b, "qp_state", r, e);
}

/* What both queues ask of a request. */
static void
wr_prepare(struct bk_wr *wr)
{
	assert(wr->req.done != NULL && wr->req.e != NULL);
	assert(wr->length <= UINT64_C(1) << 31);
	assert(!wr->with_imm || !wr->with_inv);
	err_clear(wr->req.e);
	wr->req.wc = (struct bk_wc){ .status = WC_SUCCESS };
}

int
backend_qp_post(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	/* It may be gone when the operation returns PENDING. */
	const char *op = name_of(wr_op_names, wr->op);
	const uint64_t length = wr->length;
	struct err *e = wr->req.e;
	int r;

	assert(qp != NULL && wr->op < WR_RECV);
	if (b->ops->qp_post == NULL)
		return backend_lacks(b, "qp_post", e);
	wr_prepare(wr);
	r = b->ops->qp_post(b, qp, wr);
	return backend_over(
	    b, "qp_post", r, e, " %s length=%" PRIu64, op, length);
}

int
backend_qp_recv(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	const uint64_t length = wr->length;
	struct err *e = wr->req.e;
	int r;

	assert(qp != NULL && wr->op == WR_RECV);
	if (b->ops->qp_recv == NULL)
		return backend_lacks(b, "qp_recv", e);
	wr_prepare(wr);
	r = b->ops->qp_recv(b, qp, wr);
	assert(r != 0);
	return backend_over(b, "qp_recv", r, e, " length=%" PRIu64, length);
}
