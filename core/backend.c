/* SPDX-License-Identifier: MIT */
/*
 * The one wrapper around every kind of device; see backend.h.  Owns the
 * contract between core and the kinds, and the trace.  Knows no kind.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backend_impl.h"

#define TRACE_LINE 256
#define UNTIMED    INT64_MIN

const struct name bk_call_names[] = {
	{ "open", BK_OPEN },
	{ "close", BK_CLOSE },
	{ "port_query", BK_PORT_QUERY },
	{ "gid_query", BK_GID_QUERY },
	{ "pd_alloc", BK_PD_ALLOC },
	{ "pd_free", BK_PD_FREE },
	{ "mr_reg", BK_MR_REG },
	{ "mr_rereg", BK_MR_REREG },
	{ "mr_dereg", BK_MR_DEREG },
	{ "mw_alloc", BK_MW_ALLOC },
	{ "mw_free", BK_MW_FREE },
	{ "mw_bind", BK_MW_BIND },
	{ "mw_invalidate", BK_MW_INVALIDATE },
	{ "qp_create", BK_QP_CREATE },
	{ "qp_destroy", BK_QP_DESTROY },
	{ "qp_connect", BK_QP_CONNECT },
	{ "qp_rights", BK_QP_RIGHTS },
	{ "qp_state", BK_QP_STATE },
	{ "qp_post", BK_QP_POST },
	{ "qp_recv", BK_QP_RECV },
	{ "access", BK_ACCESS },
	{ NULL, 0 },
};

struct err *
backend_enter(struct entry *in, enum bk_call call, struct err *e)
{
	in->call = call;
	if (e == NULL)
		e = &in->spare;
	err_clear(e);
	in->since = timing_now();
	return e;
}

/* What is over at once takes less than it costs to read the clock. */
static int64_t
request_begins(const struct backend *b, enum bk_call call)
{
	bool window = call == BK_MW_BIND || call == BK_MW_INVALIDATE;

	return window && b->info.windows_at_once ? UNTIMED : timing_now();
}

static void
take_time(struct backend *b, enum bk_call call, int64_t since)
{
	timing_add(
	    &b->times[call], since == UNTIMED ? 0 : timing_now() - since);
}

/* The request is over: its time is taken, and its owner is told. */
static void
request_done(struct bk_req *req, int r)
{
	struct backend *b = req->under_way.b;

	take_time(b, req->under_way.call, req->under_way.since);
	req->done = req->under_way.done;
	req->done(req, r);
}

void
backend_request(
    struct entry *in, struct backend *b, enum bk_call call, struct bk_req *req)
{
	in->call = call;
	err_clear(req->e);
	in->since = request_begins(b, call);
	in->done = req->done;
	req->wc = (struct bk_wc){ .status = WC_SUCCESS };
	req->under_way.b = b;
	req->under_way.call = call;
	req->under_way.since = in->since;
	req->under_way.done = req->done;
	req->done = request_done;
}

int
backend_posted(const struct entry *in, struct bk_req *req, int r)
{
	if (r != PENDING)
		req->done = in->done;
	return r;
}

int
backend_lacks(const struct backend *b, enum bk_call call, struct err *e)
{
	return fail(e, EOPNOTSUPP, "device %s (%s) has no %s", b->info.name,
	    b->ops->kind, name_of(bk_call_names, call));
}

static const char *
result_name(int r)
{
	const char *name;

	if (r == 0)
		return "0";
	if (r == PENDING)
		return "pending";
	name = strerrorname_np(-r);
	return name != NULL ? name : "unknown errno";
}

static void
trace_call(const struct backend *b, enum bk_call call, const char *result,
    const char *fmt, va_list ap)
{
	char line[TRACE_LINE], args[TRACE_LINE / 2];

	if (b->trace == NULL)
		return;
	(void)vsnprintf(args, sizeof(args), fmt, ap);
	(void)snprintf(line, sizeof(line), "%s %s%s -> %s", b->info.name,
	    name_of(bk_call_names, call), args, result);
	b->trace(b->trace_arg, line);
}

/* No errno leaves without a reason, even if the operation forgot it. */
static void
complete_reason(
    const struct backend *b, enum bk_call call, int r, struct err *e)
{
	if (e->text[0] == '\0')
		(void)fail(e, -r, "device %s: %s failed and gave no reason",
		    b->info.name, name_of(bk_call_names, call));
	e->code = -r;
}

int
backend_over(struct backend *b, const struct entry *in, int r, struct err *e,
    const char *fmt, ...)
{
	va_list ap;

	assert(r <= 0 || r == PENDING);
	if (r != PENDING)
		take_time(b, in->call, in->since);
	if (r < 0)
		complete_reason(b, in->call, r, e);
	va_start(ap, fmt);
	trace_call(b, in->call, result_name(r), fmt, ap);
	va_end(ap);
	return r;
}

int
backend_over_plain(
    struct backend *b, const struct entry *in, int r, struct err *e)
{
	return backend_over(b, in, r, e, "%s", "");
}

/* Rights that core lets through to a device (M3). */
static bool
rights_sane(uint32_t rights)
{
	return (rights & ~RIGHT_KNOWN) == 0;
}

/* M5; a zero based region has no address of its own. */
static bool
iova_sane(const struct mem *mem, uint64_t iova, uint32_t rights)
{
	uint64_t end;

	if (rights & RIGHT_ZERO_BASED)
		return true;
	return (iova & 4095) == ((uintptr_t)mem->addr & 4095) &&
	       !__builtin_add_overflow(iova, mem->length - 1, &end);
}

int
backend_open(struct backend *b, const struct backend_ops *ops, const char *name,
    struct fabric *fabric, void (*trace)(void *, const char *), void *trace_arg,
    struct err *e)
{
	struct entry in;
	int r;

	assert(ops->kind != NULL && ops->open != NULL && ops->close != NULL);
	*b = (struct backend){ .ops = ops,
		.fabric = fabric,
		.trace = trace,
		.trace_arg = trace_arg };
	(void)strlcpy(b->info.name, name, sizeof(b->info.name));
	e = backend_enter(&in, BK_OPEN, e);
	r = ops->open(b, name, e);
	assert(r < 0 || b->info.name[0] != '\0');
	return backend_over_plain(b, &in, r, e);
}

void
backend_close(struct backend *b)
{
	struct entry in;

	(void)backend_enter(&in, BK_CLOSE, NULL);
	b->ops->close(b);
	(void)backend_over_plain(b, &in, 0, NULL);
	b->priv = NULL;
}

int
backend_port_query(
    struct backend *b, unsigned port, struct port_info *out, struct err *e)
{
	struct entry in;
	int r;

	assert(port >= 1 && port <= b->info.port_count);
	if (b->ops->port_query == NULL)
		return backend_lacks(b, BK_PORT_QUERY, e);
	e = backend_enter(&in, BK_PORT_QUERY, e);
	r = b->ops->port_query(b, port, out, e);
	assert(r < 0 || (out->state_name != NULL && out->link_layer != NULL));
	return backend_over(b, &in, r, e, " port=%u", port);
}

int
backend_gid_query(struct backend *b, unsigned port, unsigned index,
    struct gid *out, struct err *e)
{
	struct entry in;
	int r;

	assert(port >= 1 && port <= b->info.port_count);
	if (b->ops->gid_query == NULL)
		return backend_lacks(b, BK_GID_QUERY, e);
	e = backend_enter(&in, BK_GID_QUERY, e);
	r = b->ops->gid_query(b, port, index, out, e);
	return backend_over(b, &in, r, e, " port=%u index=%u", port, index);
}

bool
backend_watch(struct backend *b,
    void (*told)(void *arg, const struct bk_event *ev), void *arg)
{
	if (b->ops->watch == NULL)
		return false;
	b->ops->watch(b, told, arg);
	return true;
}

int
backend_pd_alloc(struct backend *b, struct bk_pd **out, struct err *e)
{
	struct entry in;
	int r;

	if (b->ops->pd_alloc == NULL)
		return backend_lacks(b, BK_PD_ALLOC, e);
	*out = NULL;
	e = backend_enter(&in, BK_PD_ALLOC, e);
	r = b->ops->pd_alloc(b, out, e);
	assert((r == 0) == (*out != NULL));
	return backend_over_plain(b, &in, r, e);
}

int
backend_pd_free(struct backend *b, struct bk_pd *pd, struct err *e)
{
	struct entry in;
	int r;

	assert(pd != NULL);
	if (b->ops->pd_free == NULL)
		return backend_lacks(b, BK_PD_FREE, e);
	e = backend_enter(&in, BK_PD_FREE, e);
	r = b->ops->pd_free(b, pd, e);
	return backend_over_plain(b, &in, r, e);
}

int
backend_mr_reg(struct backend *b, struct bk_pd *pd, struct mem *mem,
    uint64_t iova, uint32_t rights, struct bk_mr **out, struct mr_keys *keys,
    struct err *e)
{
	struct entry in;
	int r;

	assert(pd != NULL && mem->addr != NULL && mem->length > 0);
	assert(rights_sane(rights) && iova_sane(mem, iova, rights));
	if (b->ops->mr_reg == NULL)
		return backend_lacks(b, BK_MR_REG, e);
	*out = NULL;
	e = backend_enter(&in, BK_MR_REG, e);
	r = b->ops->mr_reg(b, pd, mem, iova, rights, out, keys, e);
	assert((r == 0) == (*out != NULL));
	return backend_over(b, &in, r, e, " length=%" PRIu64 " rights=0x%x",
	    mem->length, rights);
}

int
backend_mr_rereg(struct backend *b, struct bk_mr *mr, struct bk_pd *pd,
    uint32_t rights, struct mr_keys *keys, bool *gone, struct err *e)
{
	struct entry in;
	int r;

	assert(mr != NULL && rights_sane(rights));
	*gone = false;
	if (b->ops->mr_rereg == NULL)
		return backend_lacks(b, BK_MR_REREG, e);
	e = backend_enter(&in, BK_MR_REREG, e);
	r = b->ops->mr_rereg(b, mr, pd, rights, keys, gone, e);
	assert(r < 0 || !*gone);
	return backend_over(b, &in, r, e, "%s rights=0x%x%s",
	    pd != NULL ? " pd" : "", rights, *gone ? " gone" : "");
}

int
backend_mr_dereg(struct backend *b, struct bk_mr *mr, struct err *e)
{
	struct entry in;
	int r;

	assert(mr != NULL);
	if (b->ops->mr_dereg == NULL)
		return backend_lacks(b, BK_MR_DEREG, e);
	e = backend_enter(&in, BK_MR_DEREG, e);
	r = b->ops->mr_dereg(b, mr, e);
	return backend_over_plain(b, &in, r, e);
}

int
backend_access(struct backend *b, struct bk_pd *pd, struct bk_qp *qp,
    const struct access *a, struct verdict *v)
{
	static const char *const op_names[] = {
		[ACCESS_READ] = "read",
		[ACCESS_WRITE] = "write",
		[ACCESS_ATOMIC] = "atomic",
	};

	struct entry in;

	assert(pd != NULL);
	*v = (struct verdict){ 0 };
	if (b->ops->access == NULL)
		return -EOPNOTSUPP;
	(void)backend_enter(&in, BK_ACCESS, NULL);
	b->ops->access(b, pd, qp, a, v);
	assert(v->allowed || (v->rule != NULL && v->why != NULL));
	return backend_over(b, &in, 0, NULL, " op=%s length=%" PRIu64 " %s",
	    op_names[a->op], a->length, v->allowed ? "allowed" : v->rule);
}
