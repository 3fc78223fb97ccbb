/* SPDX-License-Identifier: MIT */
/* core/fault: calls that fail or wait when a test says so. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "fault.h"
#include "soft.h"
#include "tap.h"

/* A fault device around soft0 with something of each kind in it. */
static struct {
	struct fault *f;
	struct backend b;
	struct bk_pd *pd;
	struct bk_mr *mr;
	struct bk_mw *mw;
	struct mem mem;
	struct mr_keys keys;
	struct err e;
} dev;

static void
set_up(void)
{
	if ((dev.f = fault_new(&soft_ops)) == NULL ||
	    backend_open(&dev.b, fault_ops(dev.f), "soft0", NULL, NULL, NULL,
		&dev.e) < 0 ||
	    backend_pd_alloc(&dev.b, &dev.pd, &dev.e) < 0 ||
	    mem_new(&dev.mem, 4096, 0, &dev.e) < 0 ||
	    backend_mr_reg(&dev.b, dev.pd, &dev.mem, 0, RIGHT_MW_BIND, &dev.mr,
		&dev.keys, &dev.e) < 0 ||
	    backend_mw_alloc(&dev.b, dev.pd, MW_TYPE_1, &dev.mw, &dev.e) < 0)
		bail_out("set-up: %s", dev.e.text);
	fault_fail(dev.f, NULL, 0, 0, false);
}

static void
tear_down(void)
{
	fault_fail(dev.f, NULL, 0, 0, false);
	is_int(backend_mw_free(&dev.b, dev.mw, &dev.e), 0, "nothing is left");
	is_int(backend_mr_dereg(&dev.b, dev.mr, &dev.e), 0, "nothing is left");
	is_int(backend_pd_free(&dev.b, dev.pd, &dev.e), 0, "nothing is left");
	backend_close(&dev.b);
	fault_free(dev.f);
	mem_free(&dev.mem);
}

/* A bind whose end is waited for. */
struct wish {
	struct bk_req req;
	struct err e;
	pthread_t by; /* who called done */
	int result;
	unsigned done; /* times */
};

static void
wish_done(struct bk_req *req, int r)
{
	struct wish *w =
	    (struct wish *)((char *)req - offsetof(struct wish, req));

	w->by = pthread_self();
	w->result = r;
	w->done++;
}

static int
bind(struct wish *w, uint32_t rights)
{
	struct bind_args a = { 0, 4096, rights };

	*w = (struct wish){ 0 };
	w->req.done = wish_done;
	w->req.e = &w->e;
	return backend_mw_bind(&dev.b, dev.mw, dev.mr, NULL, &a, &w->req);
}

static int
invalidate(struct wish *w)
{
	*w = (struct wish){ 0 };
	w->req.done = wish_done;
	w->req.e = &w->e;
	return backend_mw_invalidate(&dev.b, dev.mw, &w->req);
}

static bool
opens(uint32_t rkey)
{
	struct access a = { ACCESS_READ, rkey, 0, 1 };
	struct verdict v;

	(void)backend_access(&dev.b, dev.pd, NULL, &a, &v);
	return v.allowed;
}

static int
make_pd(struct err *e)
{
	struct bk_pd *pd;
	int r;

	if ((r = backend_pd_alloc(&dev.b, &pd, e)) == 0)
		r = backend_pd_free(&dev.b, pd, e);
	return r;
}

static void
test_transparent(void)
{
	static const struct backend_ops lacking = { .kind = "lacking" };
	struct fault *f;
	struct wish w;

	set_up();
	is_str(dev.b.ops->kind, "soft", "it looks like what it wraps");
	is_str(dev.b.info.name, "soft0", "by name");
	is_str(dev.b.info.fw_ver, "soft", "and in all it says");
	is_int(bind(&w, RIGHT_REMOTE_READ), 0, "calls pass");
	ok(opens(w.req.rkey), "with what they bring");
	is_int(w.done, 0, "what is over at once is over at once");
	tear_down();
	if ((f = fault_new(&lacking)) == NULL)
		bail_out("fault_new");
	ok(fault_ops(f)->mw_bind == NULL && fault_ops(f)->qp_post == NULL &&
		fault_ops(f)->access == NULL,
	    "a NULL operation stays one");
	fault_free(f);
	fault_free(NULL);
}

static void
test_nth(void)
{
	set_up();
	fault_fail(dev.f, NULL, 3, ENOMEM, false);
	is_int(make_pd(&dev.e), 0, "calls 1 and 2 pass");
	ok(!fault_struck(dev.f), "not yet");
	is_int(make_pd(&dev.e), -ENOMEM, "call 3 fails");
	has_str(dev.e.text, "pd_alloc", "with a reason");
	ok(fault_struck(dev.f), "it has struck");
	is_int(make_pd(&dev.e), 0, "once");
	is_int(fault_calls(dev.f), 5, "all are counted");

	fault_fail(dev.f, "pd_free", 1, EIO, false);
	is_int(fault_calls(dev.f), 0, "counting starts again");
	is_int(backend_pd_free(&dev.b, dev.pd, &dev.e), -EIO,
	    "one operation alone");
	fault_fail(dev.f, "mr_dereg", 1, EIO, false);
	is_int(make_pd(&dev.e), 0, "others pass");
	is_int(fault_calls(dev.f), 0, "and are not counted");
	tear_down();
}

static void
test_open_fails(void)
{
	struct fault *f = fault_new(&soft_ops);
	struct backend b;
	struct err e = { 0 };

	if (f == NULL)
		bail_out("fault_new");
	fault_fail(f, "open", 1, EIO, false);
	is_int(backend_open(&b, fault_ops(f), "soft0", NULL, NULL, NULL, &e),
	    -EIO, "opening fails on purpose");
	is_int(backend_open(&b, fault_ops(f), "none", NULL, NULL, NULL, &e),
	    -ENODEV, "or because of the inner device");
	has_str(e.text, "soft0 to", "whose reason it is");
	fault_free(f);
}

static void
test_async_failure(void)
{
	struct wish first, w;

	set_up();
	(void)bind(&first, RIGHT_REMOTE_READ);
	fault_fail(dev.f, "mw_bind", 1, EIO, false);
	is_int(bind(&w, 0), -EIO, "a bind fails by its posting");
	is_int(w.done, 0, "and done is not called");
	fault_fail(dev.f, "mw_bind", 1, EIO, true);
	is_int(bind(&w, 0), PENDING, "or by its completion");
	ok(w.done == 1 && w.result == -EIO, "which says so");
	has_str(w.e.text, "mw_bind", "with a reason");
	ok(opens(first.req.rkey), "the inner device was not asked");
	is_int(w.req.rkey, 0, "there is no new key");
	is_int(w.req.wc.status, WC_SUCCESS, "over no queue pair, no status");
	fault_fail(dev.f, "mw_invalidate", 1, EIO, true);
	is_int(invalidate(&w), PENDING, "so does an invalidation");
	ok(w.result == -EIO && opens(first.req.rkey), "which did nothing");
	tear_down();
}

static void
test_async_hold(void)
{
	struct wish first, w, refused;

	set_up();
	(void)bind(&first, RIGHT_REMOTE_READ);
	fault_hold(dev.f, "mw_bind");
	is_int(bind(&w, RIGHT_REMOTE_READ), PENDING, "a bind is held");
	is_int(w.done, 0, "its completion is");
	ok(!opens(first.req.rkey), "but it has been posted");
	fault_fail(dev.f, "mw_bind", 1, EIO, true);
	is_int(bind(&refused, 0), PENDING, "one that fails is held too");
	is_int(fault_held(dev.f), 2, "two wait");
	fault_release(dev.f);
	is_int(fault_held(dev.f), 0, "released");
	ok(w.done == 1 && w.result == 0 && opens(w.req.rkey),
	    "the first has its key");
	ok(pthread_equal(w.by, pthread_self()), "from who released it");
	ok(refused.done == 1 && refused.result == -EIO, "the second failed");
	is_int(bind(&w, RIGHT_REMOTE_READ), 0, "the next one passes");
	tear_down();
}

static void *
pd_thread(void *arg)
{
	int *r = arg;

	*r = make_pd(NULL);
	return NULL;
}

static void
wait_held(unsigned n)
{
	while (fault_held(dev.f) != n)
		(void)sched_yield();
}

static void
test_sync_hold(void)
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];
	int i, r[THREADS];

	set_up();
	fault_hold(dev.f, "pd_alloc");
	fault_fail(dev.f, "pd_alloc", 2, EIO, false);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, pd_thread, &r[i]) != 0)
			bail_out("pthread_create");
	wait_held(THREADS);
	ok(true, "%d calls wait", THREADS);
	fault_release(dev.f);
	for (i = 0; i < THREADS; i++)
		(void)pthread_join(thread[i], NULL);
	is_int(fault_held(dev.f), 0, "and go on");
	is_int(r[0] + r[1] + r[2] + r[3], -EIO, "all but the second well");
	tear_down();
}

/*
 * A device of queue pairs whose requests end when a test says so.  What it
 * keeps in a request is its own: the wrapper must not need it.
 */
static struct {
	struct bk_reqs posted;
	struct bk_wr last; /* the last one that was posted */
	unsigned calls; /* of all operations */
	int answer; /* of those that are synchronous, and of a posting */
	const void *seen; /* what the last call was given */
	atomic_bool destroyed;
} toy;

/* Objects that no device made: the wrapper looks into none of them. */
static char things[3];
static struct bk_pd *const a_pd = (struct bk_pd *)&things[0];
static struct bk_qp *const a_qp = (struct bk_qp *)&things[1];
static struct bk_qp *const other_qp = (struct bk_qp *)&things[2];

static int
toy_open(struct backend *b, const char *name, struct err *e)
{
	TAILQ_INIT(&toy.posted);
	b->info.port_count = 1;
	return 0;
}

static void
toy_close(struct backend *b)
{
}

static int
toy_call(const void *given)
{
	toy.calls++;
	toy.seen = given;
	return toy.answer;
}

static int
toy_create(struct backend *b, struct bk_pd *pd, const struct qp_args *a,
    struct bk_qp **out, struct qp_addr *local, struct err *e)
{
	*out = toy.answer == 0 ? a_qp : NULL;
	local->qpn = 17;
	return toy_call(a);
}

/* The oldest request of qp, or NULL. */
static struct bk_req *
toy_first(const struct bk_qp *qp)
{
	struct bk_req *req;

	TAILQ_FOREACH (req, &toy.posted, link)
		if (req->id == (uintptr_t)qp)
			break;
	return req;
}

/* The oldest request of qp ends.  Whether there was one. */
static bool
toy_end(const struct bk_qp *qp, struct bk_wc wc)
{
	struct bk_req *req = toy_first(qp);

	if (req == NULL)
		return false;
	TAILQ_REMOVE(&toy.posted, req, link);
	req->wc = wc;
	req->rkey = 99;
	req->done(req,
	    wc.status == WC_SUCCESS ? 0 : fail(req->e, EIO, "the toy broke"));
	return true;
}

static int
toy_destroy(struct backend *b, struct bk_qp *qp, struct err *e)
{
	int r = toy_call(qp);

	while (
	    r == 0 && toy_end(qp, (struct bk_wc){ .status = WC_WR_FLUSH_ERR }))
		;
	toy.destroyed = true;
	return r;
}

static int
toy_connect(struct backend *b, struct bk_qp *qp, const struct qp_addr *remote,
    uint32_t rights, struct err *e)
{
	return toy_call(remote);
}

static int
toy_rights(struct backend *b, struct bk_qp *qp, uint32_t rights, struct err *e)
{
	return toy_call(qp);
}

static int
toy_state(
    struct backend *b, struct bk_qp *qp, enum qp_state *state, struct err *e)
{
	*state = QP_RTS;
	return toy_call(qp);
}

static int
toy_queue(struct bk_qp *qp, struct bk_req *req)
{
	int r = toy_call(qp);

	if (r == 0)
		req->wc.bytes = 1;
	if (r != PENDING)
		return r;
	req->id = (uintptr_t)qp;
	TAILQ_INSERT_TAIL(&toy.posted, req, link);
	return r;
}

static int
toy_post(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	toy.last = *wr;
	wr->own = &toy;
	return toy_queue(qp, &wr->req);
}

static int
toy_bind(struct backend *b, struct bk_mw *mw, struct bk_mr *mr,
    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req)
{
	return toy_queue(qp, req);
}

static const struct backend_ops toy_ops = {
	.kind = "toy",
	.open = toy_open,
	.close = toy_close,
	.mw_bind = toy_bind,
	.qp_create = toy_create,
	.qp_destroy = toy_destroy,
	.qp_connect = toy_connect,
	.qp_rights = toy_rights,
	.qp_state = toy_state,
	.qp_post = toy_post,
	.qp_recv = toy_post,
};

static void
toy_set_up(void)
{
	memset(&toy, 0, sizeof(toy));
	if ((dev.f = fault_new(&toy_ops)) == NULL ||
	    backend_open(
		&dev.b, fault_ops(dev.f), "toy0", NULL, NULL, NULL, &dev.e) < 0)
		bail_out("set-up: %s", dev.e.text);
	fault_fail(dev.f, NULL, 0, 0, false);
}

static void
toy_tear_down(void)
{
	is_int(fault_held(dev.f), 0, "nothing waits");
	ok(TAILQ_EMPTY(&toy.posted), "nothing is under way");
	backend_close(&dev.b);
	fault_free(dev.f);
}

static int
destroy(struct bk_qp *qp)
{
	toy.answer = 0;
	return backend_qp_destroy(&dev.b, qp, &dev.e);
}

/* A transfer whose end is waited for. */
struct transfer {
	struct bk_wr wr;
	struct err e;
	int result;
	unsigned done; /* times */
	unsigned turn; /* which of all it was that were told, from 1 */
};

static unsigned turns;

static void
transfer_done(struct bk_req *req, int r)
{
	struct transfer *t = (struct transfer *)(void *)req;

	t->result = r;
	t->done++;
	t->turn = ++turns;
}

static void
transfer_init(struct transfer *t, enum wr_op op)
{
	*t = (struct transfer){ 0 };
	t->wr.req.done = transfer_done;
	t->wr.req.e = &t->e;
	t->wr.op = op;
	t->wr.buf = things;
	t->wr.length = 8;
}

static int
transfer(struct transfer *t, struct bk_qp *qp, enum wr_op op, int answer)
{
	transfer_init(t, op);
	toy.answer = answer;
	if (op == WR_RECV)
		return backend_qp_recv(&dev.b, qp, &t->wr);
	return backend_qp_post(&dev.b, qp, &t->wr);
}

static bool
told(const struct transfer *t, int result, enum wc_status status)
{
	return t->done == 1 && t->result == result &&
	       t->wr.req.wc.status == status;
}

static void
no_change(void *arg, enum qp_state state)
{
	bail_out("changed was called");
}

static int
call_create(void)
{
	struct qp_args a = { .type = QP_RC, .changed = no_change };
	struct bk_qp *qp;
	struct qp_addr local;
	int r = backend_qp_create(&dev.b, a_pd, &a, &qp, &local, &dev.e);

	if (r == 0)
		ok(toy.seen == &a && qp == a_qp && local.qpn == 17,
		    "qp_create brings what the inner one has");
	return r;
}

static int
call_destroy(void)
{
	return backend_qp_destroy(&dev.b, a_qp, &dev.e);
}

static int
call_connect(void)
{
	struct qp_addr remote = { .qpn = 17, .mtu = 1024 };

	return backend_qp_connect(
	    &dev.b, a_qp, &remote, RIGHT_REMOTE_READ, &dev.e);
}

static int
call_rights(void)
{
	return backend_qp_rights(&dev.b, a_qp, 0, &dev.e);
}

static int
call_state(void)
{
	enum qp_state state = QP_RESET;
	int r = backend_qp_state(&dev.b, a_qp, &state, &dev.e);

	if (r == 0)
		is_int(state, QP_RTS, "qp_state brings it");
	return r;
}

static void
test_qp_calls(void)
{
	static const struct {
		const char *op;
		int (*call)(void);
	} calls[] = {
		{ "qp_create", call_create },
		{ "qp_destroy", call_destroy },
		{ "qp_connect", call_connect },
		{ "qp_rights", call_rights },
		{ "qp_state", call_state },
	};
	size_t i;

	toy_set_up();
	for (i = 0; i < NELEM(calls); i++) {
		const char *op = calls[i].op;

		toy.calls = 0;
		fault_fail(dev.f, op, 2, EIO, false);
		is_int(calls[i].call(), 0, "%s passes", op);
		is_int(toy.calls, 1, "%s is passed on", op);
		is_int(calls[i].call(), -EIO, "%s fails on purpose", op);
		is_int(toy.calls, 1, "%s was not passed on", op);
		has_str(dev.e.text, op, "%s gives a reason", op);
		toy.answer = -ENOMEM;
		is_int(calls[i].call(), -ENOMEM, "%s fails inside", op);
		toy.answer = 0;
	}
	toy_tear_down();
}

static void
test_transfer_passes(void)
{
	const struct bk_wc wc = { WC_SUCCESS, 8, 5, 6, true, true, NULL, NULL };
	struct transfer t;

	toy_set_up();
	is_int(transfer(&t, a_qp, WR_READ, PENDING), PENDING, "a transfer");
	ok(toy_first(a_qp) == &t.wr.req, "passes as it is");
	ok(toy_end(a_qp, wc) && told(&t, 0, WC_SUCCESS), "it ends");
	is_int(t.wr.req.wc.bytes, 8, "with its completion");
	is_int(transfer(&t, a_qp, WR_READ, 0), 0, "one is over at once");
	is_int(t.done, 0, "and is not told again");
	is_int(transfer(&t, a_qp, WR_RECV, -ENOSPC), -ENOSPC, "one is refused");
	toy_tear_down();
}

static void
test_transfer_fails(void)
{
	static const struct {
		const char *name;
		enum wr_op op;
	} ops[] = { { "qp_post", WR_WRITE }, { "qp_recv", WR_RECV } };
	struct transfer t;
	size_t i;

	toy_set_up();
	for (i = 0; i < NELEM(ops); i++) {
		fault_fail(dev.f, ops[i].name, 1, EIO, false);
		is_int(transfer(&t, a_qp, ops[i].op, PENDING), -EIO,
		    "%s fails by its posting", ops[i].name);
		ok(t.done == 0 && t.wr.req.wc.status == WC_SUCCESS,
		    "there is no completion");
		fault_fail(dev.f, ops[i].name, 1, EIO, true);
		is_int(transfer(&t, a_qp, ops[i].op, PENDING), PENDING,
		    "%s fails by its completion", ops[i].name);
		ok(told(&t, -EIO, WC_GENERAL_ERR), "whose status says so");
		has_str(t.wr.req.wc.why, "test", "it has a reason");
		has_str(t.e.text, ops[i].name, "so has the request");
	}
	is_int(toy.calls, 0, "the inner device was not asked");
	toy_tear_down();
}

/* A held request is another one for the inner device, but says the same. */
static void
test_transfer_whole(void)
{
	struct transfer t;
	struct bk_wr want;

	toy_set_up();
	fault_hold(dev.f, "qp_post");
	transfer_init(&t, WR_CMP_SWAP);
	t.wr.lkey = 1;
	t.wr.local = 2;
	t.wr.addr = 3;
	t.wr.rkey = 4;
	t.wr.operand = 5;
	t.wr.swap = 6;
	t.wr.imm = 7;
	t.wr.inv = 8;
	t.wr.with_imm = true;
	want = t.wr;
	toy.answer = PENDING;
	is_int(backend_qp_post(&dev.b, a_qp, &t.wr), PENDING, "it is posted");
	ok(toy.last.op == want.op && toy.last.buf == want.buf &&
		toy.last.lkey == 1 && toy.last.local == 2 &&
		toy.last.length == 8 && toy.last.addr == 3 &&
		toy.last.rkey == 4 && toy.last.operand == 5 &&
		toy.last.swap == 6 && toy.last.imm == 7 && toy.last.inv == 8 &&
		toy.last.with_imm && !toy.last.with_inv,
	    "the inner device gets all of it");
	is_int(fault_held(dev.f), 0, "it has not ended");
	(void)toy_end(a_qp, (struct bk_wc){ WC_REM_ACCESS_ERR, 9, 10, 11, true,
				false, "A1", "why" });
	is_int(t.done, 0, "it has ended, and waits");
	is_int(fault_held(dev.f), 1, "it is counted");
	fault_release(dev.f);
	ok(told(&t, -EIO, WC_REM_ACCESS_ERR), "released, it is told");
	ok(t.wr.req.wc.bytes == 9 && t.wr.req.wc.imm == 10 &&
		t.wr.req.wc.rkey == 11 && t.wr.req.wc.with_imm &&
		!t.wr.req.wc.with_inv,
	    "with all that the device said");
	is_str(t.wr.req.wc.rule, "A1", "the rule");
	is_str(t.wr.req.wc.why, "why", "the reason");
	is_str(t.e.text, "the toy broke", "and its text");
	toy_tear_down();
}

static void
test_many_held(void)
{
	enum { MANY = 200 };
	static struct transfer t[MANY];
	unsigned i, early = 0, bad = 0;

	toy_set_up();
	turns = 0;
	fault_hold(dev.f, "qp_post");
	for (i = 0; i < MANY; i++) {
		/* Some are over at once, some refused, some go on. */
		(void)transfer(&t[i], a_qp, WR_WRITE,
		    i % 3 == 0   ? PENDING
		    : i % 3 == 1 ? 0
				 : -ENOMEM);
		early += t[i].done;
		(void)toy_end(a_qp, (struct bk_wc){ .bytes = 1 });
	}
	is_int(fault_held(dev.f), MANY, "%d transfers wait", MANY);
	is_int(early + turns, 0, "none is told");
	fault_release(dev.f);
	for (i = 0; i < MANY; i++)
		bad += !told(&t[i], i % 3 == 2 ? -ENOMEM : 0, WC_SUCCESS) ||
		       t[i].turn != i + 1 ||
		       t[i].wr.req.wc.bytes != (i % 3 != 2);
	is_int(bad, 0, "released, each is told once, in order");
	toy_tear_down();
}

static void
test_receive_held(void)
{
	struct transfer t, full;

	toy_set_up();
	fault_hold(dev.f, "qp_recv");
	is_int(transfer(&t, a_qp, WR_RECV, PENDING), PENDING, "it is posted");
	is_int(transfer(&full, a_qp, WR_RECV, -ENOSPC), -ENOSPC,
	    "that there is no room is told at once");
	is_int(full.done + fault_held(dev.f), 0, "and only so");
	(void)toy_end(a_qp, (struct bk_wc){ .bytes = 3 });
	is_int(fault_held(dev.f), 1, "what came waits");
	is_int(t.done, 0, "and is not told");
	fault_release(dev.f);
	ok(told(&t, 0, WC_SUCCESS) && t.wr.req.wc.bytes == 3, "until released");
	toy_tear_down();
}

static void
test_destroy(void)
{
	struct transfer recv, ended, going, other[2];
	struct wish w = { .req = { .done = wish_done, .e = &w.e } };
	struct bind_args a = { 0, 4096, RIGHT_REMOTE_READ };

	toy_set_up();
	turns = 0;
	(void)transfer(&recv, a_qp, WR_RECV, PENDING);
	fault_hold(dev.f, "qp_post");
	(void)transfer(&other[0], other_qp, WR_SEND, 0);
	(void)transfer(&ended, a_qp, WR_SEND, 0);
	(void)transfer(&going, a_qp, WR_SEND, PENDING);
	(void)transfer(&other[1], other_qp, WR_SEND, 0);
	fault_hold(dev.f, "mw_bind");
	toy.answer = PENDING;
	is_int(backend_mw_bind(&dev.b, (struct bk_mw *)&things[0],
		   (struct bk_mr *)&things[0], a_qp, &a, &w.req),
	    PENDING, "a bind over a queue pair");
	fault_fail(dev.f, "qp_destroy", 1, EBUSY, false);
	is_int(destroy(a_qp), -EBUSY, "destruction fails");
	is_int(turns + w.done, 0, "nobody is told");
	is_int(destroy(a_qp), 0, "it is destroyed");
	ok(told(&recv, -EIO, WC_WR_FLUSH_ERR), "a receive is flushed, once");
	ok(told(&ended, 0, WC_SUCCESS), "what had ended well says so, once");
	ok(told(&going, -EIO, WC_WR_FLUSH_ERR),
	    "what had not is flushed, once");
	ok(w.done == 1 && w.result == -EIO &&
		w.req.wc.status == WC_WR_FLUSH_ERR,
	    "so is the bind");
	is_int(other[0].done + other[1].done, 0,
	    "those of another queue pair wait on");
	is_int(fault_held(dev.f), 2, "alone");
	fault_release(dev.f);
	ok(told(&other[0], 0, WC_SUCCESS) && told(&other[1], 0, WC_SUCCESS) &&
		other[0].turn < other[1].turn,
	    "until they are released, in order");
	ok(recv.done + ended.done + going.done + w.done == 4,
	    "the others hear nothing more");
	toy_tear_down();
}

static void
test_destroy_order(void)
{
	struct transfer t[3], recv;

	toy_set_up();
	turns = 0;
	fault_hold(dev.f, "qp_post");
	(void)transfer(&t[0], a_qp, WR_SEND, 0);
	(void)transfer(&t[1], a_qp, WR_SEND, PENDING);
	(void)transfer(&t[2], a_qp, WR_SEND, PENDING);
	fault_hold(dev.f, "qp_recv");
	(void)transfer(&recv, a_qp, WR_RECV, PENDING);
	fault_hold(dev.f, "qp_post");
	is_int(destroy(a_qp), 0, "it is destroyed");
	ok(t[0].turn < t[1].turn && t[1].turn < t[2].turn,
	    "those of one queue are told in their order");
	ok(told(&recv, -EIO, WC_WR_FLUSH_ERR), "the other queue too");
	fault_release(dev.f);
	toy_tear_down();
}

/* Is late: who does not wait for it goes on without. */
static void
slow_done(struct bk_req *req, int r)
{
	unsigned i;

	while (!toy.destroyed)
		(void)sched_yield();
	for (i = 0; i < 500; i++)
		(void)sched_yield();
	transfer_done(req, r);
}

static void *
release_thread(void *arg)
{
	fault_release(dev.f);
	return arg;
}

/* What another thread has released is told before the queue pair is gone. */
static void
test_destroy_waits(void)
{
	struct transfer t[2];
	pthread_t thread;

	toy_set_up();
	fault_hold(dev.f, "qp_post");
	(void)transfer(&t[0], a_qp, WR_SEND, 0);
	(void)transfer(&t[1], a_qp, WR_SEND, 0);
	t[0].wr.req.done = slow_done;
	if (pthread_create(&thread, NULL, release_thread, NULL) != 0)
		bail_out("pthread_create");
	wait_held(0);
	is_int(t[0].done + t[1].done, 0, "released, but not told yet");
	is_int(destroy(a_qp), 0, "it is destroyed");
	ok(told(&t[0], 0, WC_SUCCESS) && told(&t[1], 0, WC_SUCCESS),
	    "not before both were told");
	(void)pthread_join(thread, NULL);
	toy_tear_down();
}

/* How often the time of a call has been taken. */
static uint64_t
times_of(enum bk_call call)
{
	uint64_t n = 0;
	unsigned i;

	for (i = 0; i <= TIMING_BOUNDS; i++)
		n += atomic_load(&dev.b.times[call].counts[i]);
	return n;
}

/* A request takes until it is done, not until it is posted. */
static void
test_times(void)
{
	struct wish w;

	set_up();
	is_int((long long)times_of(BK_MR_REG), 1, "a call is one");
	is_int((long long)times_of(BK_MW_BIND), 0, "none is none");
	is_int(bind(&w, RIGHT_REMOTE_READ), 0, "a bind that is over at once");
	is_int((long long)times_of(BK_MW_BIND), 1, "is one");
	ok(w.req.done == wish_done, "its request is its owner's again");
	fault_hold(dev.f, "mw_bind");
	is_int(bind(&w, RIGHT_REMOTE_READ), PENDING, "one that is held");
	is_int((long long)times_of(BK_MW_BIND), 1, "is none while it is held");
	ok(w.req.done != wish_done, "and the wrapper's");
	fault_release(dev.f);
	is_int(w.done, 1, "it is told once");
	is_int((long long)times_of(BK_MW_BIND), 2, "and is one when done");
	ok(w.req.done == wish_done, "its request is its owner's again");
	fault_fail(dev.f, "mw_bind", 1, EIO, true);
	is_int(bind(&w, RIGHT_REMOTE_READ), PENDING, "one that fails late");
	is_int((long long)times_of(BK_MW_BIND), 3, "is one");
	fault_fail(dev.f, "mw_bind", 1, EIO, false);
	is_int(bind(&w, RIGHT_REMOTE_READ), -EIO, "one that fails at once");
	is_int((long long)times_of(BK_MW_BIND), 4, "too");
	tear_down();
}

int
main(void)
{
	test_transparent();
	test_nth();
	test_open_fails();
	test_async_failure();
	test_async_hold();
	test_sync_hold();
	test_qp_calls();
	test_transfer_passes();
	test_transfer_fails();
	test_transfer_whole();
	test_many_held();
	test_receive_held();
	test_destroy();
	test_destroy_order();
	test_destroy_waits();
	test_times();
	return done_testing();
}
