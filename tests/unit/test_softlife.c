/* SPDX-License-Identifier: MIT */
/*
 * core/soft: what happens to transfers while they are under way: order, dead
 * keys (I1), destroyed queue pairs, memory that is taken away.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soft.h"
#include "softrig.h"
#include "tap.h"

#define MIB    UINT64_C(1048576)
#define BIG    (3 * MIB) /* in pieces, by a thread of the fabric's */
#define PIECES 8u /* of a MiB, of a transfer whose key ends */

static void
test_big(void)
{
	struct posted p;
	struct rig rig;

	rig_open(&rig, QP_RC, BIG + 5, ALL, ALL);
	rig_fill(&rig.a, 0xaa);
	rig_wr(&p, &rig, WR_WRITE, BIG + 5);
	rig_post(&rig.a, &p);
	is_int(rig_wait(&p), WC_SUCCESS, "a big write");
	is_int(atomic_load(&p.dones), 1, "is told late, once");
	is_int(p.wr.req.wc.bytes, BIG + 5, "all bytes");
	ok(rig_is(&rig.b, 0, BIG + 5, 0xaa), "are there");
	rig_fill(&rig.b, 0xbb);
	rig_wr(&p, &rig, WR_READ, BIG + 5);
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "a big read");
	ok(rig_is(&rig.a, 0, BIG + 5, 0xbb), "came");
	rig_close(&rig);
}

/* Each writes over what the one before has written, big and small mixed. */
static void
test_order(void)
{
	enum { N = 20 };
	static struct posted p[N];
	static char bufs[N];
	unsigned i, bad = 0;
	struct rig rig;

	rig_open(&rig, QP_RC, BIG, ALL, ALL);
	rig_fill(&rig.a, 0xaa);
	for (i = 0; i < N; i++) {
		bufs[i] = (char)i;
		rig_wr(&p[i], &rig, WR_WRITE, i % 2 ? 1 : BIG);
		p[i].wr.buf = i % 2 ? &bufs[i] : NULL;
		rig_post(&rig.a, &p[i]);
	}
	for (i = 0; i < N; i++)
		bad += rig_wait(&p[i]) != WC_SUCCESS;
	is_int(bad, 0, "all went");
	ok(rig_is(&rig.b, 0, 1, N - 1) && rig_is(&rig.b, 1, BIG - 1, 0xaa),
	    "the last came last");
	rig_close(&rig);
}

/* What is behind a request that fails is flushed, in order. */
static void
test_flush(void)
{
	enum { N = 4 };
	static struct posted p[N];
	struct rig rig;
	unsigned i;

	rig_open(&rig, QP_RC, BIG, ALL, ALL);
	for (i = 0; i < N; i++) {
		rig_wr(&p[i], &rig, WR_WRITE, i < 2 ? BIG : 1);
		if (i == 1)
			p[i].wr.rkey ^= 0x5500;
	}
	for (i = 0; i < N; i++)
		rig_post(&rig.a, &p[i]);
	is_int(rig_wait(&p[0]), WC_SUCCESS, "what is before succeeds");
	is_int(rig_wait(&p[1]), WC_REM_ACCESS_ERR, "this fails");
	for (i = 2; i < N; i++) {
		is_int(rig_wait(&p[i]), WC_WR_FLUSH_ERR, "A5: flushed");
		is_int(p[i].r, -EIO, "with its errno");
	}
	rig_close(&rig);
}

/* Posts again on the same queue pair, so often. */
struct chain {
	struct posted p; /* first */
	struct side *s;
	void (*done)(struct bk_req *req, int r);
	atomic_int left;
};

static void
again(struct bk_req *req, int r)
{
	struct chain *c = (struct chain *)req;

	if (r < 0 || atomic_fetch_sub(&c->left, 1) <= 1) {
		c->done(req, r);
		return;
	}
	r = backend_qp_post(&c->s->b, c->s->qp, &c->p.wr);
	if (r != PENDING)
		c->done(req, r);
}

static void
test_post_in_done(void)
{
	struct chain c = { 0 };
	struct rig rig;

	rig_open(&rig, QP_RC, MIB, ALL, ALL);
	rig_wr(&c.p, &rig, WR_WRITE, MIB);
	c.s = &rig.a;
	c.left = 30;
	c.done = c.p.wr.req.done;
	c.p.wr.req.done = again;
	is_int(rig_do(&rig.a, &c.p), WC_SUCCESS, "posted again in done");
	is_int(c.left, 0, "30 times");
	rig_close(&rig);
}

static void
test_destroy(bool peer)
{
	enum { N = 6 };
	static struct posted p[N];
	unsigned i, over = 0, odd = 0;
	struct rig rig;
	struct side *s;
	int r;

	rig_open(&rig, QP_RC, 2 * BIG, ALL, ALL);
	s = peer ? &rig.b : &rig.a;
	for (i = 0; i < N; i++)
		rig_wr(&p[i], &rig, WR_WRITE, 2 * BIG);
	for (i = 0; i < N; i++)
		rig_post(&rig.a, &p[i]);
	r = backend_qp_destroy(&s->b, s->qp, &rig_err);
	is_int(r, 0, "destroyed under transfers");
	s->qp = NULL;
	for (i = 0; i < N && !peer; i++)
		over += atomic_load(&p[i].dones) == 1;
	if (!peer)
		is_int(over, N, "all were told before it returned");
	for (i = 0; i < N; i++)
		odd += rig_wait(&p[i]) != WC_SUCCESS &&
		       p[i].wr.req.wc.status != WC_WR_FLUSH_ERR &&
		       p[i].wr.req.wc.status != WC_RETRY_EXC_ERR;
	is_int(odd, 0, "done, flushed, or not answered");
	is_int(p[N - 1].wr.req.wc.status, WC_WR_FLUSH_ERR, "the last flushed");
	is_int(atomic_load(&rig.a.changes), peer, "who is told");
	rig_close(&rig);
}

/* A receive that is being filled when its queue pair goes. */
static void
test_destroy_receiver(void)
{
	struct posted p, recv;
	struct rig rig;

	rig_open(&rig, QP_RC, 8 * BIG, ALL, ALL);
	rig_wr(&recv, &rig, WR_RECV, 8 * BIG);
	rig_post(&rig.b, &recv);
	rig_wr(&p, &rig, WR_SEND, 8 * BIG);
	rig_post(&rig.a, &p);
	is_int(backend_qp_destroy(&rig.b.b, rig.b.qp, &rig_err), 0, "destroy");
	rig.b.qp = NULL;
	is_int(atomic_load(&recv.dones), 1, "its receive is over");
	if (rig_wait(&p) == WC_SUCCESS)
		is_int(rig_wait(&recv), WC_SUCCESS, "both went before");
	else
		is_int(rig_wait(&recv), WC_WR_FLUSH_ERR, "it was flushed");
	rig_close(&rig);
}

/* How a key ends while bytes move by it (I1). */
enum end { INVALIDATE, FREE, REBIND, DEREG, REREG, ENDS };

static const char *const end_names[ENDS] = {
	[INVALIDATE] = "invalidate",
	[FREE] = "free the window",
	[REBIND] = "bind again",
	[DEREG] = "deregister",
	[REREG] = "reregister",
};

static void
no_done(struct bk_req *req, int r)
{
	bail_out("late");
}

static void
rebind(struct rig *rig, struct bk_mw *mw)
{
	const struct bind_args a = { 0, 1, W, 0 };
	struct bk_req req = { .done = no_done, .e = &rig_err };

	is_int(backend_mw_bind(&rig->b.b, mw, rig->b.mr, NULL, &a, &req), 0,
	    "bind again");
}

/* The peer of a queue pair of b's own sends that its window be invalidated. */
static void
remote(struct rig *rig, struct bk_qp *to, struct bk_qp *from, uint32_t key)
{
	struct bk_qp *a = rig->a.qp, *b = rig->b.qp;
	struct posted p, recv;

	rig_wr(&recv, rig, WR_RECV, 0);
	rig->b.qp = to;
	rig_post(&rig->b, &recv);
	rig_wr(&p, rig, WR_SEND, 0);
	p.wr.with_inv = true;
	p.wr.inv = key;
	rig->a.qp = from;
	rig_post(&rig->a, &p);
	is_int(rig_wait(&recv), WC_SUCCESS, "the peer invalidates");
	(void)rig_wait(&p);
	rig->a.qp = a;
	rig->b.qp = b;
}

static void
end_key(struct rig *rig, enum end how, struct bk_mw *mw)
{
	struct mr_keys keys;
	bool gone;

	switch (how) {
	case INVALIDATE:
		is_int(rig_invalidate(&rig->b, mw), 0, "invalidate");
		break;
	case FREE:
		rig_free(&rig->b, mw);
		break;
	case REBIND:
		rebind(rig, mw);
		break;
	case DEREG:
		rig_dereg(&rig->b, rig->b.mr);
		rig->b.mr = NULL;
		break;
	case REREG:
		is_int(backend_mr_rereg(&rig->b.b, rig->b.mr, NULL, LW | ALL,
			   &keys, &gone, &rig_err),
		    0, "reregister");
		break;
	default:
		break;
	}
}

/* How many pieces have byte off of theirs; these are the first. */
static unsigned
pieces(const struct side *into, uint64_t off)
{
	unsigned n = 0;

	while (n < PIECES && !rig_is(into, n * MIB + off, 1, 0))
		n++;
	return n;
}

/* Once the end of a key has returned no byte moves by it any more. */
static void
check_still(const struct side *into, struct posted *p, const char *what)
{
	const unsigned tails = pieces(into, MIB - 1), heads = pieces(into, 0);

	is_int(heads, tails, "I1: %s: no piece is under way", what);
	(void)rig_wait(p);
	is_int(pieces(into, 0), tails, "I1: %s: none came later", what);
	ok(rig_is(into, tails * MIB, (PIECES - tails) * MIB, 0),
	    "I1: %s: not one byte", what);
	is_int(p->wr.req.wc.bytes, (long long)(tails * MIB),
	    "%s: what moved was told", what);
	is_int(p->wr.req.wc.status,
	    tails == PIECES ? WC_SUCCESS : WC_REM_ACCESS_ERR, "%s: the rest",
	    what);
}

/* The transfer is under way when its key ends: its first byte has come. */
static void
try_end(enum end how, enum wr_op op)
{
	const bool region = how == DEREG || how == REREG;
	struct bk_mw *mw = NULL;
	struct side *into;
	struct posted p;
	struct rig rig;

	rig_open(&rig, QP_RC, PIECES * MIB, ALL, ALL);
	into = op == WR_READ ? &rig.a : &rig.b;
	rig_fill(op == WR_READ ? &rig.b : &rig.a, 0xaa);
	rig_wr(&p, &rig, op, PIECES * MIB);
	if (!region)
		mw = rig_bind(&rig.b, how == REBIND ? NULL : rig.b.qp, rig.b.mr,
		    0, PIECES * MIB, R | W, &p.wr.rkey);
	rig_post(&rig.a, &p);
	while (rig_is(into, 0, 1, 0))
		(void)sched_yield();
	end_key(&rig, how, mw);
	check_still(into, &p, end_names[how]);
	if (mw != NULL && how != FREE)
		rig_free(&rig.b, mw);
	rig_close(&rig);
}

/* I3: over a pair of queue pairs of its own. */
static void
test_remote_end(void)
{
	struct qp_addr to_addr, from_addr;
	struct bk_qp *to, *from;
	struct bk_mw *mw;
	struct verdict v;
	struct access a = { ACCESS_WRITE, 0, IOVA, 1 };
	struct rig rig;

	rig_open(&rig, QP_RC, MIB, ALL, ALL);
	to = rig_qp(&rig.b, rig.b.pd, QP_RC, &to_addr);
	from = rig_qp(&rig.a, rig.a.pd, QP_RC, &from_addr);
	(void)backend_qp_connect(&rig.b.b, to, &from_addr, ALL, &rig_err);
	(void)backend_qp_connect(&rig.a.b, from, &to_addr, ALL, &rig_err);
	mw = rig_bind(&rig.b, to, rig.b.mr, 0, 1, W, &a.rkey);
	remote(&rig, to, from, a.rkey);
	(void)backend_access(&rig.b.b, rig.b.pd, to, &a, &v);
	is_str(v.rule, "A1", "I3: the key is dead");
	rig_free(&rig.b, mw);
	is_int(backend_qp_destroy(&rig.b.b, to, &rig_err), 0, "destroy");
	is_int(backend_qp_destroy(&rig.a.b, from, &rig_err), 0, "destroy");
	rig_close(&rig);
}

/* A region over a file that its owner truncates: no SIGBUS, but a status. */
static const struct {
	const char *what;
	bool ours; /* the requester's file */
	bool buf; /* the other side's is own memory */
	enum wr_op op;
	uint64_t length;
	enum wc_status want, recv;
} cuts[] = {
	{ "the target", false, false, WR_WRITE, 4096, WC_REM_OP_ERR, 0 },
	{ "the target", false, false, WR_WRITE, BIG, WC_REM_OP_ERR, 0 },
	{ "the target", false, false, WR_READ, 4096, WC_REM_OP_ERR, 0 },
	{ "the target", false, false, WR_FETCH_ADD, 8, WC_REM_OP_ERR, 0 },
	{ "the target", false, true, WR_WRITE, 4096, WC_REM_OP_ERR, 0 },
	{ "the target", false, true, WR_READ, 4096, WC_REM_OP_ERR, 0 },
	{ "the receive", false, false, WR_SEND, 4096, WC_REM_OP_ERR,
	    WC_LOC_PROT_ERR },
	{ "our side", true, false, WR_WRITE, 4096, WC_LOC_PROT_ERR, 0 },
	{ "our side", true, false, WR_READ, BIG, WC_LOC_PROT_ERR, 0 },
	{ "our side", true, false, WR_FETCH_ADD, 8, WC_LOC_PROT_ERR, 0 },
	{ "our side", true, false, WR_SEND, 4096, WC_LOC_PROT_ERR,
	    WC_WR_FLUSH_ERR },
};

/* Puts a region of somebody else's file in the place of a side's. */
static int
use_file(struct side *s)
{
	int fd = memfd_create("theirs", MFD_CLOEXEC), own;

	if (fd == -1 || (own = dup(fd)) == -1 ||
	    ftruncate(fd, (off_t)BIG) == -1)
		bail_out("memfd: %s", strerror(errno));
	rig_dereg(s, s->mr);
	mem_free(&s->mem);
	if (mem_from_fd(&s->mem, fd, 0, 0, &rig_err) < 0)
		bail_out("mem_from_fd: %s", rig_err.text);
	s->mr = rig_reg(s, s->pd, &s->mem, LW | ALL, &s->keys);
	return own;
}

static void
try_cut(size_t i)
{
	static char buf[4096];
	const char *what = cuts[i].what;
	struct posted p, recv;
	struct rig rig;
	int fd;

	rig_open(&rig, QP_RC, BIG, ALL, ALL);
	fd = use_file(cuts[i].ours ? &rig.a : &rig.b);
	rig_wr(&recv, &rig, WR_RECV, cuts[i].length);
	if (cuts[i].op == WR_SEND)
		rig_post(&rig.b, &recv);
	rig_wr(&p, &rig, cuts[i].op, cuts[i].length);
	p.wr.buf = cuts[i].buf ? buf : NULL;
	if (ftruncate(fd, cuts[i].length == BIG ? (off_t)MIB : 0) == -1)
		bail_out("ftruncate: %s", strerror(errno));
	is_int(
	    rig_do(&rig.a, &p), cuts[i].want, "%s is cut, case %zu", what, i);
	ok(p.wr.req.wc.why != NULL, "%s: the reason", what);
	is_int(p.wr.req.wc.bytes, cuts[i].length == BIG ? MIB : 0,
	    "%s: what moved", what);
	if (cuts[i].op == WR_SEND && cuts[i].ours)
		(void)backend_qp_destroy(&rig.b.b, rig.b.qp, &rig_err);
	if (cuts[i].op == WR_SEND && cuts[i].ours)
		rig.b.qp = NULL;
	if (cuts[i].op == WR_SEND)
		is_int(rig_wait(&recv), cuts[i].recv, "%s: the receive", what);
	(void)close(fd);
	rig_close(&rig);
}

/* Both sides write to each other and invalidate, all at once. */
struct churn {
	struct rig *rig;
	atomic_bool stop;
};

static void *
bind_and_invalidate(void *arg)
{
	const struct bind_args a = { 0, MIB, R | W, 0 };
	struct churn *c = arg;
	struct side *s = &c->rig->b;
	struct err e;
	struct bk_req req = { .done = no_done, .e = &e };
	struct bk_mw *mw;

	if (backend_mw_alloc(&s->b, s->pd, MW_TYPE_2, &mw, &e) < 0)
		bail_out("mw_alloc: %s", e.text);
	while (!atomic_load(&c->stop)) {
		(void)backend_mw_bind(&s->b, mw, s->mr, s->qp, &a, &req);
		(void)backend_mw_invalidate(&s->b, mw, &req);
	}
	(void)backend_mw_free(&s->b, mw, &e);
	return NULL;
}

/* Nobody starves: an invalidation waits for older movers only. */
static void
test_churn(void)
{
	enum { N = 200 };
	static struct posted p[N];
	struct churn c = { 0 };
	unsigned i, bad = 0;
	struct rig rig;
	pthread_t t;

	rig_open(&rig, QP_RC, MIB, ALL, ALL);
	c.rig = &rig;
	if (pthread_create(&t, NULL, bind_and_invalidate, &c) != 0)
		bail_out("pthread_create");
	for (i = 0; i < N; i++) {
		rig_wr(&p[i], &rig, i % 2 ? WR_READ : WR_WRITE, MIB);
		rig_post(&rig.a, &p[i]);
	}
	for (i = 0; i < N; i++)
		bad += rig_wait(&p[i]) != WC_SUCCESS;
	atomic_store(&c.stop, true);
	(void)pthread_join(t, NULL);
	is_int(bad, 0, "transfers beside binds and invalidations");
	rig_close(&rig);
}

int
main(void)
{
	size_t i;

	test_big();
	test_order();
	test_flush();
	test_post_in_done();
	test_destroy(false);
	test_destroy(true);
	test_destroy_receiver();
	for (i = 0; i < ENDS; i++) {
		try_end((enum end)i, WR_WRITE);
		try_end((enum end)i, WR_READ);
	}
	test_remote_end();
	for (i = 0; i < NELEM(cuts); i++)
		try_cut(i);
	test_churn();
	rig_end();
	return done_testing();
}
