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
	struct entry in;
	int r;

	assert(pd != NULL && a->changed != NULL);
	assert(a->port <= b->info.port_count);
	if (b->ops->qp_create == NULL)
		return backend_lacks(b, BK_QP_CREATE, e);
	*out = NULL;
	e = backend_enter(&in, BK_QP_CREATE, e);
	r = b->ops->qp_create(b, pd, a, out, local, e);
	assert((r == 0) == (*out != NULL));
	return backend_over(b, &in, r, e, " type=%s port=%u",
	    name_of(qp_type_names, a->type), a->port);
}

int
backend_qp_destroy(struct backend *b, struct bk_qp *qp, struct err *e)
{
	struct entry in;
	int r;

	assert(qp != NULL);
	if (b->ops->qp_destroy == NULL)
		return backend_lacks(b, BK_QP_DESTROY, e);
	e = backend_enter(&in, BK_QP_DESTROY, e);
	r = b->ops->qp_destroy(b, qp, e);
	return backend_over_plain(b, &in, r, e);
}

int
backend_qp_connect(struct backend *b, struct bk_qp *qp,
    const struct qp_addr *remote, uint32_t rights, struct err *e)
{
	struct entry in;
	int r;

	assert(qp != NULL && (rights & ~(RIGHT_REMOTE | RIGHT_MW_BIND)) == 0);
	assert(remote->qpn < 1u << 24 && remote->psn < 1u << 24);
	if (b->ops->qp_connect == NULL)
		return backend_lacks(b, BK_QP_CONNECT, e);
	e = backend_enter(&in, BK_QP_CONNECT, e);
	r = b->ops->qp_connect(b, qp, remote, rights, e);
	return backend_over(b, &in, r, e, " qpn=%u mtu=%u rights=0x%x",
	    remote->qpn, remote->mtu, rights);
}

int
backend_qp_rights(
    struct backend *b, struct bk_qp *qp, uint32_t rights, struct err *e)
{
	struct entry in;
	int r;

	assert(qp != NULL && (rights & ~(RIGHT_REMOTE | RIGHT_MW_BIND)) == 0);
	if (b->ops->qp_rights == NULL)
		return backend_lacks(b, BK_QP_RIGHTS, e);
	e = backend_enter(&in, BK_QP_RIGHTS, e);
	r = b->ops->qp_rights(b, qp, rights, e);
	return backend_over(b, &in, r, e, " rights=0x%x", rights);
}

int
backend_qp_state(
    struct backend *b, struct bk_qp *qp, enum qp_state *state, struct err *e)
{
	struct entry in;
	int r;

	assert(qp != NULL);
	if (b->ops->qp_state == NULL)
		return backend_lacks(b, BK_QP_STATE, e);
	e = backend_enter(&in, BK_QP_STATE, e);
	r = b->ops->qp_state(b, qp, state, e);
	assert(r < 0 || name_of(qp_state_names, *state) != NULL);
	return backend_over_plain(b, &in, r, e);
}

/* What both queues ask of a request. */
static void
wr_check(const struct bk_wr *wr)
{
	assert(wr->req.done != NULL && wr->req.e != NULL);
	assert(wr->length <= MESSAGE_MAX);
	assert(!wr->with_imm || !wr->with_inv);
}

int
backend_qp_post(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	/* It may be gone when the operation returns PENDING. */
	const char *op = name_of(wr_op_names, wr->op);
	const uint64_t length = wr->length;
	struct err *e = wr->req.e;
	struct entry in;
	int r;

	assert(qp != NULL && wr->op < WR_RECV);
	if (b->ops->qp_post == NULL)
		return backend_lacks(b, BK_QP_POST, e);
	wr_check(wr);
	backend_request(&in, b, BK_QP_POST, &wr->req);
	r = backend_posted(&in, &wr->req, b->ops->qp_post(b, qp, wr));
	return backend_over(b, &in, r, e, " %s length=%" PRIu64, op, length);
}

int
backend_qp_recv(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	const uint64_t length = wr->length;
	struct err *e = wr->req.e;
	struct entry in;
	int r;

	assert(qp != NULL && wr->op == WR_RECV);
	if (b->ops->qp_recv == NULL)
		return backend_lacks(b, BK_QP_RECV, e);
	wr_check(wr);
	backend_request(&in, b, BK_QP_RECV, &wr->req);
	r = backend_posted(&in, &wr->req, b->ops->qp_recv(b, qp, wr));
	assert(r != 0);
	return backend_over(b, &in, r, e, " length=%" PRIu64, length);
}
