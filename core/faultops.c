/* SPDX-License-Identifier: MIT */
/*
 * The operations of fault devices: each passes the gate of fault.c and then
 * asks the inner device, whose handles its caller gets.  b->priv is the inner
 * device.
 */
#include <errno.h>
#include <stdlib.h>

#include "faultops.h"

static struct backend *
inner_of(const struct backend *b)
{
	return b->priv;
}

static int
fault_open(struct backend *b, const char *name, struct err *e)
{
	struct backend *in;
	int r;

	if ((r = fault_gate(b, "open", e)) < 0)
		return r;
	if ((in = malloc(sizeof(*in))) == NULL)
		return fail(e, ENOMEM, "the daemon is out of memory");
	if ((r = backend_open(
		 in, fault_inner(b), name, b->fabric, NULL, NULL, e)) < 0) {
		free(in);
		return r;
	}
	b->info = in->info;
	b->info.windows_at_once = false; /* they may be held */
	b->info.chains = true;
	b->priv = in;
	return 0;
}

static void
fault_close(struct backend *b)
{
	backend_close(inner_of(b));
	free(inner_of(b));
}

static int
fault_port_query(
    struct backend *b, unsigned port, struct port_info *out, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "port_query", e);

	return r < 0 ? r : in->ops->port_query(in, port, out, e);
}

static int
fault_gid_query(struct backend *b, unsigned port, unsigned index,
    struct gid *out, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "gid_query", e);

	return r < 0 ? r : in->ops->gid_query(in, port, index, out, e);
}

/* Never fails. */
static void
fault_watch(struct backend *b,
    void (*told)(void *arg, const struct bk_event *ev), void *arg)
{
	struct backend *in = inner_of(b);

	in->ops->watch(in, told, arg);
}

static int
fault_pd_alloc(struct backend *b, struct bk_pd **out, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "pd_alloc", e);

	return r < 0 ? r : in->ops->pd_alloc(in, out, e);
}

static int
fault_pd_free(struct backend *b, struct bk_pd *pd, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "pd_free", e);

	return r < 0 ? r : in->ops->pd_free(in, pd, e);
}

static int
fault_mr_reg(struct backend *b, struct bk_pd *pd, struct mem *mem,
    uint64_t iova, uint32_t rights, struct bk_mr **out, struct mr_keys *keys,
    struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "mr_reg", e);

	if (r < 0)
		return r;
	return in->ops->mr_reg(in, pd, mem, iova, rights, out, keys, e);
}

static int
fault_mr_rereg(struct backend *b, struct bk_mr *mr, struct bk_pd *pd,
    uint32_t rights, struct mr_keys *keys, bool *gone, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "mr_rereg", e);

	if (r < 0)
		return r;
	return in->ops->mr_rereg(in, mr, pd, rights, keys, gone, e);
}

static int
fault_mr_dereg(struct backend *b, struct bk_mr *mr, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "mr_dereg", e);

	return r < 0 ? r : in->ops->mr_dereg(in, mr, e);
}

static int
fault_mw_alloc(struct backend *b, struct bk_pd *pd, enum mw_type type,
    struct bk_mw **out, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "mw_alloc", e);

	return r < 0 ? r : in->ops->mw_alloc(in, pd, type, out, e);
}

static int
fault_mw_free(struct backend *b, struct bk_mw *mw, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "mw_free", e);

	return r < 0 ? r : in->ops->mw_free(in, mw, e);
}

static int
post_bind(struct backend *in, const struct fault_call *c, struct bk_req *req)
{
	return in->ops->mw_bind(in, c->mw, c->mr, c->qp, c->a, req);
}

static int
fault_mw_bind(struct backend *b, struct bk_mw *mw, struct bk_mr *mr,
    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req)
{
	struct fault_call c = {
		.op = "mw_bind",
		.post = post_bind,
		.req = req,
		.qp = qp,
		.mw = mw,
		.mr = mr,
		.a = a,
	};

	return fault_async(b, &c);
}

static int
post_invalidate(
    struct backend *in, const struct fault_call *c, struct bk_req *req)
{
	return in->ops->mw_invalidate(in, c->mw, req);
}

static int
fault_mw_invalidate(struct backend *b, struct bk_mw *mw, struct bk_req *req)
{
	struct fault_call c = {
		.op = "mw_invalidate",
		.post = post_invalidate,
		.req = req,
		.mw = mw,
	};

	return fault_async(b, &c);
}

static void
fault_mw_flush(struct backend *b, struct bk_pd *pd, struct bk_qp *qp)
{
	struct backend *in = inner_of(b);

	in->ops->mw_flush(in, pd, qp);
}

static int
fault_qp_create(struct backend *b, struct bk_pd *pd, const struct qp_args *a,
    struct bk_qp **out, struct qp_addr *local, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "qp_create", e);

	return r < 0 ? r : in->ops->qp_create(in, pd, a, out, local, e);
}

static int
fault_qp_destroy(struct backend *b, struct bk_qp *qp, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "qp_destroy", e);

	if (r < 0 || (r = in->ops->qp_destroy(in, qp, e)) < 0)
		return r;
	fault_qp_gone(b, qp);
	return 0;
}

static int
fault_qp_connect(struct backend *b, struct bk_qp *qp,
    const struct qp_addr *remote, uint32_t rights, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "qp_connect", e);

	return r < 0 ? r : in->ops->qp_connect(in, qp, remote, rights, e);
}

static int
fault_qp_rights(
    struct backend *b, struct bk_qp *qp, uint32_t rights, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "qp_rights", e);

	return r < 0 ? r : in->ops->qp_rights(in, qp, rights, e);
}

static int
fault_qp_state(
    struct backend *b, struct bk_qp *qp, enum qp_state *state, struct err *e)
{
	struct backend *in = inner_of(b);
	int r = fault_gate(b, "qp_state", e);

	return r < 0 ? r : in->ops->qp_state(in, qp, state, e);
}

/* req is the first member of a work request, the caller's or a copy. */
static int
post_send(struct backend *in, const struct fault_call *c, struct bk_req *req)
{
	return in->ops->qp_post(in, c->qp, (struct bk_wr *)req);
}

static int
fault_qp_post(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	struct fault_call c = {
		.op = "qp_post",
		.post = post_send,
		.req = &wr->req,
		.qp = qp,
		.wr = wr,
	};

	/* It may be held, and a buffer that is lent would be gone by then. */
	if (wr->lent)
		return fail(wr->req.e, EAGAIN, "a test may hold this");
	return fault_async(b, &c);
}

static int
post_recv(struct backend *in, const struct fault_call *c, struct bk_req *req)
{
	return in->ops->qp_recv(in, c->qp, (struct bk_wr *)req);
}

static int
fault_qp_recv(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	struct fault_call c = {
		.op = "qp_recv",
		.post = post_recv,
		.req = &wr->req,
		.qp = qp,
		.wr = wr,
		.refused_at_once = true,
	};

	return fault_async(b, &c);
}

static void
fault_access(struct backend *b, struct bk_pd *pd, struct bk_qp *qp,
    const struct access *a, struct verdict *v)
{
	struct backend *in = inner_of(b);

	in->ops->access(in, pd, qp, a, v);
}

/* What the inner kind cannot do, the wrapper cannot do either. */
#define WRAPPED(op) .op = inner->op != NULL ? fault_##op : NULL

void
fault_wrap(struct backend_ops *out, const struct backend_ops *inner)
{
	*out = (struct backend_ops){
		.kind = inner->kind,
		.open = fault_open,
		.close = fault_close,
		WRAPPED(port_query),
		WRAPPED(gid_query),
		WRAPPED(watch),
		WRAPPED(pd_alloc),
		WRAPPED(pd_free),
		WRAPPED(mr_reg),
		WRAPPED(mr_rereg),
		WRAPPED(mr_dereg),
		WRAPPED(mw_alloc),
		WRAPPED(mw_free),
		WRAPPED(mw_bind),
		WRAPPED(mw_invalidate),
		WRAPPED(mw_flush),
		WRAPPED(qp_create),
		WRAPPED(qp_destroy),
		WRAPPED(qp_connect),
		WRAPPED(qp_rights),
		WRAPPED(qp_state),
		WRAPPED(qp_post),
		WRAPPED(qp_recv),
		WRAPPED(access),
	};
}
