/* SPDX-License-Identifier: MIT */
/* core/backend: the contract that the wrapper keeps for every device kind. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "soft.h"
#include "tap.h"

#define LINE 256

/* Trace lines since the last trace_clear(). */
static struct {
	unsigned n;
	char line[16][LINE];
} seen;

static void
listen(void *arg, const char *line)
{
	if (seen.n < NELEM(seen.line))
		(void)snprintf(seen.line[seen.n], LINE, "%s", line);
	seen.n++;
}

static void
trace_clear(void)
{
	memset(&seen, 0, sizeof(seen));
}

static const char *
last_line(void)
{
	return seen.n > 0 ? seen.line[seen.n - 1] : NULL;
}

static void
no_done(struct bk_req *req, int r)
{
	bail_out("done was called");
}

/* A device that can do nothing. */
static int
bare_open(struct backend *b, const char *name, struct err *e)
{
	b->info.port_count = 1;
	return strcmp(name, "bad0") == 0 ? -ENODEV : 0;
}

static void
bare_close(struct backend *b)
{
}

static const struct backend_ops bare_ops = {
	.kind = "bare",
	.open = bare_open,
	.close = bare_close,
};

/* Objects that no device made: the wrapper looks into none of them. */
static char things[4];
static struct bk_pd *const a_pd = (struct bk_pd *)&things[0];
static struct bk_mr *const a_mr = (struct bk_mr *)&things[1];
static struct bk_mw *const a_mw = (struct bk_mw *)&things[2];
static struct bk_qp *const a_qp = (struct bk_qp *)&things[3];

static struct mem a_mem = { .length = 4096, .addr = things };

static int
call_port_query(struct backend *b, struct err *e)
{
	struct port_info port;

	return backend_port_query(b, 1, &port, e);
}

static int
call_gid_query(struct backend *b, struct err *e)
{
	struct gid gid;

	return backend_gid_query(b, 1, 0, &gid, e);
}

static int
call_pd_alloc(struct backend *b, struct err *e)
{
	struct bk_pd *pd;

	return backend_pd_alloc(b, &pd, e);
}

static int
call_pd_free(struct backend *b, struct err *e)
{
	return backend_pd_free(b, a_pd, e);
}

static int
call_mr_reg(struct backend *b, struct err *e)
{
	struct bk_mr *mr;
	struct mr_keys keys;

	return backend_mr_reg(b, a_pd, &a_mem, (uintptr_t)a_mem.addr,
	    RIGHT_REMOTE_READ | RIGHT_MW_BIND | RIGHT_LOCAL_WRITE, &mr, &keys,
	    e);
}

static int
call_mr_rereg(struct backend *b, struct err *e)
{
	struct mr_keys keys;
	bool gone;

	return backend_mr_rereg(
	    b, a_mr, NULL, RIGHT_REMOTE_READ, &keys, &gone, e);
}

static int
call_mr_dereg(struct backend *b, struct err *e)
{
	return backend_mr_dereg(b, a_mr, e);
}

static int
call_mw_alloc(struct backend *b, struct err *e)
{
	struct bk_mw *mw;

	return backend_mw_alloc(b, a_pd, MW_TYPE_2, &mw, e);
}

static int
call_mw_free(struct backend *b, struct err *e)
{
	return backend_mw_free(b, a_mw, e);
}

static int
call_mw_bind(struct backend *b, struct err *e)
{
	struct bind_args a = { 64, 128, RIGHT_REMOTE_WRITE };
	struct bk_req req = { .done = no_done, .e = e };

	return backend_mw_bind(b, a_mw, a_mr, NULL, &a, &req);
}

static int
call_mw_invalidate(struct backend *b, struct err *e)
{
	struct bk_req req = { .done = no_done, .e = e };

	return backend_mw_invalidate(b, a_mw, &req);
}

static void
no_change(void *arg, enum qp_state state)
{
}

static int
call_qp_create(struct backend *b, struct err *e)
{
	struct qp_args a = { .type = QP_UC, .port = 1, .changed = no_change };
	struct qp_addr local;
	struct bk_qp *qp;

	return backend_qp_create(b, a_pd, &a, &qp, &local, e);
}

static int
call_qp_destroy(struct backend *b, struct err *e)
{
	return backend_qp_destroy(b, a_qp, e);
}

static int
call_qp_connect(struct backend *b, struct err *e)
{
	struct qp_addr remote = { .qpn = 17, .psn = 0xffffff, .mtu = 1024 };

	return backend_qp_connect(b, a_qp, &remote, RIGHT_REMOTE_READ, e);
}

static int
call_qp_rights(struct backend *b, struct err *e)
{
	return backend_qp_rights(
	    b, a_qp, RIGHT_REMOTE_WRITE | RIGHT_MW_BIND, e);
}

static int
call_qp_state(struct backend *b, struct err *e)
{
	enum qp_state state;

	return backend_qp_state(b, a_qp, &state, e);
}

static int
call_qp_post(struct backend *b, struct err *e)
{
	struct bk_wr wr = {
		.req = { .done = no_done, .e = e },
		.op = WR_READ,
		.length = 64,
	};

	return backend_qp_post(b, a_qp, &wr);
}

static int
call_qp_recv(struct backend *b, struct err *e)
{
	struct bk_wr wr = {
		.req = { .done = no_done, .e = e },
		.op = WR_RECV,
		.length = 128,
	};

	return backend_qp_recv(b, a_qp, &wr);
}

/* What the operations of the silent device below answer. */
static int answer;

static int
silent_port_query(
    struct backend *b, unsigned port, struct port_info *out, struct err *e)
{
	*out = (struct port_info){ .state_name = "", .link_layer = "" };
	return answer;
}

static int
silent_gid_query(struct backend *b, unsigned port, unsigned index,
    struct gid *out, struct err *e)
{
	return answer;
}

static int
silent_pd_alloc(struct backend *b, struct bk_pd **out, struct err *e)
{
	*out = answer == 0 ? a_pd : NULL;
	return answer;
}

static int
silent_pd_free(struct backend *b, struct bk_pd *pd, struct err *e)
{
	return answer;
}

static int
silent_mr_reg(struct backend *b, struct bk_pd *pd, struct mem *mem,
    uint64_t iova, uint32_t rights, struct bk_mr **out, struct mr_keys *keys,
    struct err *e)
{
	*out = answer == 0 ? a_mr : NULL;
	return answer;
}

static int
silent_mr_rereg(struct backend *b, struct bk_mr *mr, struct bk_pd *pd,
    uint32_t rights, struct mr_keys *keys, bool *gone, struct err *e)
{
	*gone = answer < 0;
	return answer;
}

static int
silent_mr_dereg(struct backend *b, struct bk_mr *mr, struct err *e)
{
	return answer;
}

static int
silent_mw_alloc(struct backend *b, struct bk_pd *pd, enum mw_type type,
    struct bk_mw **out, struct err *e)
{
	*out = answer == 0 ? a_mw : NULL;
	return answer;
}

static int
silent_mw_free(struct backend *b, struct bk_mw *mw, struct err *e)
{
	return answer;
}

static int
silent_mw_bind(struct backend *b, struct bk_mw *mw, struct bk_mr *mr,
    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req)
{
	return answer;
}

static int
silent_mw_invalidate(struct backend *b, struct bk_mw *mw, struct bk_req *req)
{
	return answer;
}

static int
silent_qp_create(struct backend *b, struct bk_pd *pd, const struct qp_args *a,
    struct bk_qp **out, struct qp_addr *local, struct err *e)
{
	*out = answer == 0 ? a_qp : NULL;
	return answer;
}

static int
silent_qp_destroy(struct backend *b, struct bk_qp *qp, struct err *e)
{
	return answer;
}

static int
silent_qp_connect(struct backend *b, struct bk_qp *qp,
    const struct qp_addr *remote, uint32_t rights, struct err *e)
{
	return answer;
}

static int
silent_qp_rights(
    struct backend *b, struct bk_qp *qp, uint32_t rights, struct err *e)
{
	return answer;
}

static int
silent_qp_state(
    struct backend *b, struct bk_qp *qp, enum qp_state *state, struct err *e)
{
	*state = QP_RTS;
	return answer;
}

/* Of both queues.  A request is seen as no device has told it yet. */
static int
silent_post(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	if (wr->req.wc.status != WC_SUCCESS || wr->req.wc.bytes != 0 ||
	    wr->req.wc.with_imm || wr->req.wc.with_inv ||
	    wr->req.wc.why != NULL || wr->req.e->text[0] != '\0')
		bail_out("a request has an old completion in it");
	return answer;
}

/* A device that can do everything and never says why it fails. */
static const struct backend_ops silent_ops = {
	.kind = "silent",
	.open = bare_open,
	.close = bare_close,
	.port_query = silent_port_query,
	.gid_query = silent_gid_query,
	.pd_alloc = silent_pd_alloc,
	.pd_free = silent_pd_free,
	.mr_reg = silent_mr_reg,
	.mr_rereg = silent_mr_rereg,
	.mr_dereg = silent_mr_dereg,
	.mw_alloc = silent_mw_alloc,
	.mw_free = silent_mw_free,
	.mw_bind = silent_mw_bind,
	.mw_invalidate = silent_mw_invalidate,
	.qp_create = silent_qp_create,
	.qp_destroy = silent_qp_destroy,
	.qp_connect = silent_qp_connect,
	.qp_rights = silent_qp_rights,
	.qp_state = silent_qp_state,
	.qp_post = silent_post,
	.qp_recv = silent_post,
};

static const struct {
	const char *op;
	int (*call)(struct backend *b, struct err *e);
	const char *good, *bad; /* trace: its arguments and result */
	int well; /* the answer of good */
} calls[] = {
	{ "port_query", call_port_query, " port=1 -> 0", " port=1 -> EIO" },
	{ "gid_query", call_gid_query, " port=1 index=0 -> 0",
	    " port=1 index=0 -> EIO" },
	{ "pd_alloc", call_pd_alloc, " -> 0", " -> EIO" },
	{ "pd_free", call_pd_free, " -> 0", " -> EIO" },
	{ "mr_reg", call_mr_reg, " length=4096 rights=0x15 -> 0",
	    " length=4096 rights=0x15 -> EIO" },
	{ "mr_rereg", call_mr_rereg, " rights=0x4 -> 0",
	    " rights=0x4 gone -> EIO" },
	{ "mr_dereg", call_mr_dereg, " -> 0", " -> EIO" },
	{ "mw_alloc", call_mw_alloc, " type=2 -> 0", " type=2 -> EIO" },
	{ "mw_free", call_mw_free, " -> 0", " -> EIO" },
	{ "mw_bind", call_mw_bind, " offset=64 length=128 rights=0x2 -> 0",
	    " offset=64 length=128 rights=0x2 -> EIO" },
	{ "mw_invalidate", call_mw_invalidate, " -> 0", " -> EIO" },
	{ "qp_create", call_qp_create, " type=uc port=1 -> 0",
	    " type=uc port=1 -> EIO" },
	{ "qp_destroy", call_qp_destroy, " -> 0", " -> EIO" },
	{ "qp_connect", call_qp_connect, " qpn=17 mtu=1024 rights=0x4 -> 0",
	    " qpn=17 mtu=1024 rights=0x4 -> EIO" },
	{ "qp_rights", call_qp_rights, " rights=0x12 -> 0",
	    " rights=0x12 -> EIO" },
	{ "qp_state", call_qp_state, " -> 0", " -> EIO" },
	{ "qp_post", call_qp_post, " rdma_read length=64 -> 0",
	    " rdma_read length=64 -> EIO" },
	{ "qp_post", call_qp_post, " rdma_read length=64 -> pending",
	    " rdma_read length=64 -> EIO", PENDING },
	{ "qp_recv", call_qp_recv, " length=128 -> pending",
	    " length=128 -> EIO", PENDING },
};

static void
open_silent(struct backend *b)
{
	struct err e = { 0 };

	trace_clear();
	if (backend_open(b, &silent_ops, "silent0", NULL, listen, NULL, &e) < 0)
		bail_out("open: %s", e.text);
}

static void
test_open(void)
{
	struct backend b;
	struct err e = { 0 };

	trace_clear();
	memset(&b, 0xff, sizeof(b));
	is_int(backend_open(&b, &bare_ops, "bad0", NULL, listen, NULL, &e),
	    -ENODEV, "a device that is not there");
	has_str(e.text, "bad0", "the reason has its name");
	is_str(last_line(), "bad0 open -> ENODEV", "trace");
	is_int(backend_open(&b, &bare_ops, "bare0", NULL, listen, NULL, &e), 0,
	    "one that is");
	is_str(b.info.name, "bare0", "the wrapper fills in its name");
	is_str(last_line(), "bare0 open -> 0", "trace");
	backend_close(&b);
	is_str(last_line(), "bare0 close -> 0", "trace");
}

static void
test_missing(void)
{
	struct backend b;
	struct access a = { 0 };
	struct verdict v;
	size_t i;

	(void)backend_open(&b, &bare_ops, "bare0", NULL, NULL, NULL, NULL);
	for (i = 0; i < NELEM(calls); i++) {
		struct err e = { 0 };

		is_int(calls[i].call(&b, &e), -EOPNOTSUPP,
		    "a device without %s", calls[i].op);
		has_str(e.text, calls[i].op, "the reason names it");
		has_str(e.text, "bare0", "and the device");
	}
	is_int(backend_access(&b, a_pd, NULL, &a, &v), -EOPNOTSUPP, "access");
	backend_close(&b);
}

static void
test_reasons(void)
{
	struct backend b;
	char want[LINE];
	size_t i;

	open_silent(&b);
	answer = -EIO;
	for (i = 0; i < NELEM(calls); i++) {
		struct err e = { .code = 1, .text = "stale" };

		is_int(calls[i].call(&b, &e), -EIO, "%s fails", calls[i].op);
		(void)snprintf(want, sizeof(want),
		    "device silent0: %s failed and gave no reason",
		    calls[i].op);
		is_str(e.text, want, "a reason is made up");
		is_int(e.code, EIO, "with its code");
	}
	is_int(call_pd_alloc(&b, NULL), -EIO, "nobody needs to want it");
	backend_close(&b);
}

static void
test_trace(void)
{
	struct backend b;
	struct err e = { 0 };
	char want[LINE];
	size_t i;

	open_silent(&b);
	for (i = 0; i < 2 * NELEM(calls); i++) {
		const bool bad = i % 2;

		answer = bad ? -EIO : calls[i / 2].well;
		(void)calls[i / 2].call(&b, &e);
		(void)snprintf(want, sizeof(want), "silent0 %s%s",
		    calls[i / 2].op,
		    bad ? calls[i / 2].bad : calls[i / 2].good);
		trace_clear();
		(void)calls[i / 2].call(&b, &e);
		is_int(seen.n, 1, "one line for each call");
		is_str(last_line(), want, "trace of %s", calls[i / 2].op);
	}
	answer = PENDING;
	is_int(call_mw_invalidate(&b, &e), PENDING, "it goes on");
	is_str(last_line(), "silent0 mw_invalidate -> pending", "trace");
	backend_close(&b);
}

/* Whether a trace line has key in it, as hexadecimal or decimal. */
static bool
traced(uint32_t key)
{
	char hex[16], decimal[16];
	unsigned i;

	(void)snprintf(hex, sizeof(hex), "%x", key);
	(void)snprintf(decimal, sizeof(decimal), "%u", key);
	for (i = 0; i < seen.n; i++)
		if (strstr(seen.line[i], hex) != NULL ||
		    strstr(seen.line[i], decimal) != NULL)
			return true;
	return false;
}

/* What a request had in it of an earlier time is gone when it is posted. */
static void
test_fresh_request(void)
{
	struct err e = { 0 };
	struct bk_wr wr = {
		.req = { .done = no_done, .e = &e },
		.op = WR_SEND,
		.length = 4096,
		.with_imm = true,
	};
	struct backend b;

	open_silent(&b);
	answer = 0;
	wr.req.wc = (struct bk_wc){ WC_GENERAL_ERR, 5, 6, 7, true, true, "A1",
		"it was so" };
	(void)fail(&e, EIO, "stale");
	is_int(backend_qp_post(&b, a_qp, &wr), 0, "a request is used again");
	is_int(wr.req.wc.status, WC_SUCCESS, "its status is new");
	is_str(e.text, "", "so is its reason");
	backend_close(&b);
}

static void
test_no_peer_keys(void)
{
	struct err e = { 0 };
	struct bk_wr wr = {
		.req = { .done = no_done, .e = &e },
		.op = WR_CMP_SWAP,
		.length = 8,
		.addr = 0x1a2b3c00,
		.rkey = 0x4d5e6f01,
		.lkey = 0x71829301,
		.operand = 0x1122334455,
		.swap = 0x66778899,
	};
	struct backend b;

	open_silent(&b);
	answer = PENDING;
	(void)backend_qp_post(&b, a_qp, &wr);
	wr.op = WR_SEND;
	wr.with_inv = true;
	wr.inv = 0x2f3e4d01;
	(void)backend_qp_post(&b, a_qp, &wr);
	is_str(last_line(), "silent0 qp_post send length=8 -> pending",
	    "a send with invalidate is traced");
	ok(!traced(0x4d5e6f01) && !traced(0x71829301) && !traced(0x2f3e4d01),
	    "without a key");
	ok(!traced(0x1a2b3c00) && !traced(0x66778899),
	    "nor an address or data");
	backend_close(&b);
}

static void
test_no_keys(void)
{
	struct bind_args a = { 0, 4096, RIGHT_REMOTE_READ };
	struct access look = { ACCESS_READ, 0, 0x10000, 8 };
	struct err e = { 0 };
	struct bk_req req = { .done = no_done, .e = &e };
	struct backend b;
	struct mem mem;
	struct bk_pd *pd;
	struct bk_mr *mr;
	struct bk_mw *mw;
	struct mr_keys keys;
	struct verdict v;

	trace_clear();
	if (backend_open(&b, &soft_ops, "soft0", NULL, listen, NULL, &e) < 0 ||
	    mem_new(&mem, 4096, 0, &e) < 0 ||
	    backend_pd_alloc(&b, &pd, &e) < 0 ||
	    backend_mr_reg(
		&b, pd, &mem, 0x10000, RIGHT_MW_BIND, &mr, &keys, &e) < 0 ||
	    backend_mw_alloc(&b, pd, MW_TYPE_1, &mw, &e) < 0 ||
	    backend_mw_bind(&b, mw, mr, NULL, &a, &req) < 0)
		bail_out("set-up: %s", e.text);
	look.rkey = req.rkey;
	is_int(
	    backend_access(&b, pd, NULL, &look, &v), 0, "a model can be asked");
	is_str(last_line(), "soft0 access op=read length=8 allowed -> 0",
	    "trace of an access, its address left out");
	ok(!traced(req.rkey) && !traced(keys.lkey) && !traced(keys.rkey),
	    "no key stands in the trace");
	(void)backend_mw_free(&b, mw, &e);
	(void)backend_mr_dereg(&b, mr, &e);
	(void)backend_pd_free(&b, pd, &e);
	backend_close(&b);
	mem_free(&mem);
}

int
main(void)
{
	test_open();
	test_missing();
	test_reasons();
	test_trace();
	test_fresh_request();
	test_no_peer_keys();
	test_no_keys();
	return done_testing();
}
