/* SPDX-License-Identifier: MIT */
/*
 * core/soft: how queue pairs are made, joined and bound over, and sends and
 * receives over them (A4 to A6, I2, I3, W8, W10, W11).
 */
#include <errno.h>
#include <string.h>

#include "soft.h"
#include "softrig.h"
#include "tap.h"

#define SIZE 8192u /* bytes of either side's memory */

static void
ignore(void *arg, enum qp_state state)
{
}

static void
test_create(void)
{
	struct qp_args a = { QP_RC, .gid = -1, .changed = ignore };
	struct gid want[2];
	struct qp_addr one, two;
	struct bk_qp *qp[2];
	struct rig rig;
	int i;

	rig_open(&rig, QP_RC, SIZE, ALL, ALL);
	for (i = 0; i < 2; i++)
		(void)backend_gid_query(
		    &rig.a.b, 1, (unsigned)i, &want[i], &rig_err);
	for (i = -1; i < 2; i++) {
		a.gid = i;
		a.port = i == 0;
		is_int(backend_qp_create(
			   &rig.a.b, rig.a.pd, &a, &qp[0], &one, &rig_err),
		    0, "create with gid %d", i);
		ok(memcmp(&one.gid, &want[i != 0], sizeof(one.gid)) == 0,
		    "it has it");
		ok(one.qpn > 1 && one.qpn < 1u << 24 && one.psn < 1u << 24,
		    "24 bits each");
		is_int(one.mtu, 4096, "mtu");
		is_int(one.lid, 0, "no lid");
		is_int(rig_state(&rig.a, qp[0]), QP_RESET, "in reset");
		is_int(backend_qp_destroy(&rig.a.b, qp[0], &rig_err), 0,
		    "destroy");
	}
	a.gid = 2;
	is_int(
	    backend_qp_create(&rig.a.b, rig.a.pd, &a, &qp[0], &one, &rig_err),
	    -EINVAL, "no third gid");
	is_str(rig_err.arg, "gid", "is to blame");
	qp[0] = rig_qp(&rig.a, rig.a.other, QP_RC, &one);
	is_int(backend_qp_destroy(&rig.a.b, qp[0], &rig_err), 0, "destroy");
	qp[1] = rig_qp(&rig.a, rig.a.other, QP_RC, &two);
	ok(one.qpn != two.qpn && one.psn != two.psn, "a number is not reused");
	is_int(backend_pd_free(&rig.a.b, rig.a.other, &rig_err), -EBUSY,
	    "P2: a domain with a queue pair");
	is_int(backend_qp_destroy(&rig.a.b, qp[1], &rig_err), 0, "destroy");
	rig_close(&rig);
}

/* What is posted before connect, and connect twice. */
static void
test_reset(void)
{
	struct posted p;
	struct qp_addr addr;
	struct rig rig;
	struct bk_qp *old;

	rig_open(&rig, QP_RC, SIZE, ALL, ALL);
	is_int(backend_qp_connect(&rig.a.b, rig.a.qp, &rig.b.addr, 0, &rig_err),
	    -EINVAL, "it is connected already");
	old = rig.a.qp;
	rig.a.qp = rig_qp(&rig.a, rig.a.pd, QP_RC, &addr);
	rig_wr(&p, &rig, WR_WRITE, 1);
	(void)rig_do(&rig.a, &p);
	is_int(p.r, -EINVAL, "a request in reset");
	rig_wr(&p, &rig, WR_RECV, 1);
	(void)rig_do(&rig.a, &p);
	is_int(p.r, -EINVAL, "a receive in reset");
	is_int(backend_qp_destroy(&rig.a.b, old, &rig_err), 0, "destroy");
	rig_close(&rig);
}

/* Who does not answer on RC, and is not missed on UC. */
enum absence { GONE, IN_RESET, OTHER_TYPE, ELSEWHERE, PSN, WRONG_GID };

static const struct {
	enum absence how;
	const char *what;
	bool uc; /* can be tried on UC, where the result is success */
} absences[] = {
	{ GONE, "no such queue pair", true },
	{ IN_RESET, "it is in reset", true },
	{ OTHER_TYPE, "of another type", true },
	{ ELSEWHERE, "connected to another", true },
	{ WRONG_GID, "no such device", true },
	{ PSN, "another psn", false },
};

/* A new queue pair of a's, connected to what does not answer. */
static void
be_absent(struct rig *rig, enum absence how, enum qp_type type)
{
	enum qp_type other = type == QP_RC ? QP_UC : QP_RC;
	struct qp_addr addr, peer;
	struct bk_qp *old = rig->a.qp, *old_b = rig->b.qp;

	rig->a.qp = rig_qp(&rig->a, rig->a.pd, type, &addr);
	rig->b.qp =
	    rig_qp(&rig->b, rig->b.pd, how == OTHER_TYPE ? other : type, &peer);
	if (how == PSN)
		addr.psn ^= 1;
	if (how != IN_RESET)
		(void)backend_qp_connect(&rig->b.b, rig->b.qp,
		    how == ELSEWHERE ? &rig->a.addr : &addr, ALL, &rig_err);
	if (how == GONE)
		peer.qpn ^= 0x800000;
	if (how == WRONG_GID)
		peer.gid.raw[15] ^= 0x10;
	(void)backend_qp_connect(&rig->a.b, rig->a.qp, &peer, ALL, &rig_err);
	(void)backend_qp_destroy(&rig->a.b, old, &rig_err);
	(void)backend_qp_destroy(&rig->b.b, old_b, &rig_err);
}

static void
try_absence(size_t i, enum qp_type type)
{
	const char *what = absences[i].what;
	struct posted p;
	struct rig rig;

	rig_open(&rig, type, SIZE, ALL, ALL);
	be_absent(&rig, absences[i].how, type);
	rig_fill(&rig.b, 0xbb);
	rig_wr(&p, &rig, WR_WRITE, 10);
	is_int(rig_do(&rig.a, &p),
	    type == QP_RC ? WC_RETRY_EXC_ERR : WC_SUCCESS, "%s", what);
	if (type == QP_RC) {
		is_int(p.r, -ETIMEDOUT, "%s: the errno", what);
		has_str(p.e.text, "answer", "%s: the reason", what);
	}
	is_int(rig_state(&rig.a, rig.a.qp), type == QP_RC ? QP_ERR : QP_RTS,
	    "%s: the requester's state", what);
	is_int(
	    atomic_load(&rig.b.changes), 0, "%s: the peer hears nothing", what);
	ok(rig_is(&rig.b, 0, SIZE, 0xbb), "%s: not one byte", what);
	rig_close(&rig);
}

/* Each message counts as many packets as it has. */
static void
test_psn(void)
{
	static const uint64_t lengths[] = { 0, 1, 4096, 4097, SIZE, 1 };
	struct posted p;
	struct rig rig;
	size_t i;

	rig_open(&rig, QP_RC, SIZE, ALL, ALL);
	for (i = 0; i < 2 * NELEM(lengths); i++) {
		rig_wr(&p, &rig, i % 2 ? WR_READ : WR_WRITE, lengths[i / 2]);
		is_int(rig_do(&rig.a, &p), WC_SUCCESS, "message %zu", i);
	}
	rig_close(&rig);
}

/* One queue pair that is its own peer; and addressed by the other gid. */
static void
test_self(void)
{
	struct qp_addr addr;
	struct posted p, recv;
	struct rig rig;
	struct bk_qp *old;

	rig_open(&rig, QP_RC, SIZE, ALL, ALL);
	old = rig.a.qp;
	rig.a.qp = rig_qp(&rig.a, rig.a.pd, QP_RC, &addr);
	(void)backend_gid_query(&rig.a.b, 1, 0, &addr.gid, &rig_err);
	is_int(backend_qp_connect(&rig.a.b, rig.a.qp, &addr, ALL, &rig_err), 0,
	    "connected to itself, by its other gid");
	rig_wr(&recv, &rig, WR_RECV, 8);
	recv.wr.lkey = rig.a.keys.lkey;
	recv.wr.local = IOVA + 100;
	rig_post(&rig.a, &recv);
	rig_fill(&rig.a, 0x11);
	rig_wr(&p, &rig, WR_SEND, 8);
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "a send to itself");
	is_int(rig_wait(&recv), WC_SUCCESS, "comes");
	rig_wr(&p, &rig, WR_WRITE, 8);
	p.wr.rkey ^= 0x5500;
	is_int(rig_do(&rig.a, &p), WC_REM_ACCESS_ERR, "a refused write");
	is_int(atomic_load(&rig.a.changes), 1, "it is in error once");
	is_int(backend_qp_destroy(&rig.a.b, old, &rig_err), 0, "destroy");
	rig_close(&rig);
}

static void
test_send(void)
{
	struct posted p, recv[3];
	struct rig rig;
	unsigned i;

	rig_open(&rig, QP_RC, SIZE, 0, 0);
	rig_fill(&rig.a, 0xaa);
	rig_fill(&rig.b, 0xbb);
	for (i = 0; i < 3; i++) {
		rig_wr(&recv[i], &rig, WR_RECV, 100);
		recv[i].wr.local = IOVA + i * 1000;
		rig_post(&rig.b, &recv[i]);
	}
	recv[1].wr.lkey ^= 0x5500;
	rig_wr(&p, &rig, WR_SEND, 100);
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "a send needs no right");
	is_int(rig_wait(&recv[0]), WC_SUCCESS, "the oldest receive has it");
	is_int(recv[0].wr.req.wc.bytes, 100, "all of it");
	ok(!recv[0].wr.req.wc.with_imm && !recv[0].wr.req.wc.with_inv,
	    "nothing else");
	ok(rig_is(&rig.b, 0, 100, 0xaa) && rig_is(&rig.b, 100, 999, 0xbb),
	    "the bytes are there");
	rig_wr(&p, &rig, WR_SEND, 0);
	p.wr.with_imm = true;
	p.wr.imm = 0x12345678;
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "a send of nothing");
	is_int(rig_wait(&recv[1]), WC_SUCCESS, "looks at no buffer");
	ok(recv[1].wr.req.wc.with_imm && recv[1].wr.req.wc.imm == 0x12345678 &&
		recv[1].wr.req.wc.bytes == 0,
	    "its immediate data came");
	rig_wr(&p, &rig, WR_SEND, 30);
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "a shorter send");
	is_int(rig_wait(&recv[2]), WC_SUCCESS, "comes");
	is_int(recv[2].wr.req.wc.bytes, 30, "shorter");
	rig_wr(&p, &rig, WR_SEND, 1);
	is_int(rig_do(&rig.a, &p), WC_RNR_RETRY_EXC_ERR, "no receive is left");
	is_int(p.r, -ETIMEDOUT, "the errno");
	is_int(rig_state(&rig.a, rig.a.qp), QP_ERR, "the requester's state");
	is_int(rig_state(&rig.b, rig.b.qp), QP_RTS, "the peer's state");
	rig_close(&rig);
}

/* A receive that cannot take what comes. */
static const struct {
	const char *what;
	enum qp_type type;
	uint64_t length; /* of the receive, of 100 bytes that are sent */
	uint32_t lkey; /* xored */
	uint64_t local;
	enum wc_status recv, send;
} bad_receives[] = {
	{ "too short", QP_RC, 99, 0, IOVA, WC_LOC_LEN_ERR, WC_REM_INV_REQ_ERR },
	{ "a bad key", QP_RC, 100, 0x5500, IOVA, WC_LOC_PROT_ERR,
	    WC_REM_OP_ERR },
	{ "a bad range", QP_RC, 100, 0, IOVA + SIZE - 99, WC_LOC_PROT_ERR,
	    WC_REM_OP_ERR },
	{ "UC, too short", QP_UC, 99, 0, IOVA, WC_LOC_LEN_ERR, WC_SUCCESS },
	{ "UC, a bad key", QP_UC, 100, 0x5500, IOVA, WC_LOC_PROT_ERR,
	    WC_SUCCESS },
};

static void
try_bad_receive(size_t i)
{
	const char *what = bad_receives[i].what;
	struct posted p, recv, other;
	struct rig rig;

	rig_open(&rig, bad_receives[i].type, SIZE, ALL, ALL);
	rig_fill(&rig.b, 0xbb);
	rig_wr(&recv, &rig, WR_RECV, bad_receives[i].length);
	recv.wr.lkey ^= bad_receives[i].lkey;
	recv.wr.local = bad_receives[i].local;
	rig_post(&rig.b, &recv);
	rig_wr(&other, &rig, WR_RECV, 100);
	rig_post(&rig.b, &other);
	rig_wr(&p, &rig, WR_SEND, 100);
	is_int(
	    rig_do(&rig.a, &p), bad_receives[i].send, "%s: the sender", what);
	is_int(rig_wait(&recv), bad_receives[i].recv, "%s: the receiver", what);
	is_int(rig_wait(&other), WC_WR_FLUSH_ERR, "A5: %s: the next receive",
	    what);
	is_int(rig_state(&rig.b, rig.b.qp), QP_ERR, "%s: is in error", what);
	is_int(rig_state(&rig.a, rig.a.qp),
	    bad_receives[i].type == QP_RC ? QP_ERR : QP_RTS,
	    "%s: and the sender", what);
	ok(rig_is(&rig.b, 0, SIZE, 0xbb), "%s: not one byte", what);
	rig_wr(&other, &rig, WR_RECV, 1);
	is_int(rig_do(&rig.b, &other), WC_WR_FLUSH_ERR, "%s: a later receive",
	    what);
	is_int(other.r, -EIO, "%s: its errno", what);
	rig_close(&rig);
}

static void
test_uc_rnr(void)
{
	struct posted p;
	struct rig rig;

	rig_open(&rig, QP_UC, SIZE, ALL, ALL);
	rig_wr(&p, &rig, WR_SEND, 1);
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "UC: no receive, no matter");
	is_int(rig_state(&rig.a, rig.a.qp), QP_RTS, "no error");
	rig_close(&rig);
}

/* The receive queue is finite, and flushed by destroy. */
static void
test_receive_queue(void)
{
	enum { MANY = 1025 };
	static struct posted recv[MANY];
	unsigned i, flushed = 0, pending = 0;
	struct rig rig;

	rig_open(&rig, QP_RC, SIZE, ALL, ALL);
	is_int(rig.b.b.info.max_qp_wr, MANY - 1, "what the device says");
	for (i = 0; i < MANY; i++) {
		rig_wr(&recv[i], &rig, WR_RECV, 1);
		rig_post(&rig.b, &recv[i]);
		pending += recv[i].r == 0;
	}
	is_int(pending, MANY - 1, "so many wait");
	is_int(recv[MANY - 1].r, -ENOSPC, "one too many");
	is_int(backend_qp_destroy(&rig.b.b, rig.b.qp, &rig_err), 0, "destroy");
	rig.b.qp = NULL;
	for (i = 0; i < MANY - 1; i++)
		flushed += atomic_load(&recv[i].dones) == 1 &&
			   recv[i].wr.req.wc.status == WC_WR_FLUSH_ERR &&
			   recv[i].r == -EIO;
	is_int(flushed, MANY - 1, "all were flushed before it returned");
	rig_close(&rig);
}

/* What the key of a send with invalidate may be (I3). */
enum inv { OWN, UNBOUND, STALE, TYPE_1, REGION, OTHERS, NOBODYS };

static const struct {
	enum inv key;
	const char *what, *why;
} invs[] = {
	{ OWN, "I3: its own window's", NULL },
	{ UNBOUND, "I4: a window that is not bound", "not bound" },
	{ STALE, "I4: a stale key", "died" },
	{ TYPE_1, "a type 1 window's", "type 1" },
	{ REGION, "a region's", "region" },
	{ OTHERS, "W8: another queue pair's window", "another queue pair" },
	{ NOBODYS, "nobody's", "nothing has" },
};

static struct bk_qp *
other_qp(struct rig *rig)
{
	struct qp_addr addr;
	struct bk_qp *qp = rig_qp(&rig->b, rig->b.pd, QP_RC, &addr);

	if (backend_qp_connect(&rig->b.b, qp, &rig->a.addr, ALL, &rig_err) < 0)
		bail_out("connect: %s", rig_err.text);
	return qp;
}

static void
try_inv(size_t i)
{
	const char *what = invs[i].what;
	const bool good = invs[i].key == OWN;
	struct posted p, recv;
	struct bk_mw *mw;
	struct bk_qp *other;
	struct rig rig;
	uint32_t key;

	rig_open(&rig, QP_RC, SIZE, ALL, ALL);
	other = other_qp(&rig);
	mw = rig_bind(&rig.b,
	    invs[i].key == TYPE_1   ? NULL
	    : invs[i].key == OTHERS ? other
				    : rig.b.qp,
	    rig.b.mr, 0, 100, W, &key);
	if (invs[i].key == UNBOUND)
		is_int(rig_invalidate(&rig.b, mw), 0, "I2: invalidate");
	if (invs[i].key == STALE)
		key ^= 1;
	if (invs[i].key == REGION)
		key = rig.b.keys.rkey;
	if (invs[i].key == NOBODYS)
		key ^= 0x5500;
	rig_fill(&rig.a, 0xaa);
	rig_wr(&recv, &rig, WR_RECV, 100);
	rig_post(&rig.b, &recv);
	rig_wr(&p, &rig, WR_SEND, 100);
	p.wr.with_inv = true;
	p.wr.inv = key;
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "%s: the sender", what);
	is_int(rig_wait(&recv), good ? WC_SUCCESS : WC_REM_INV_REQ_ERR,
	    "%s: the receiver", what);
	ok(rig_is(&rig.b, 0, 100, 0xaa), "%s: the payload has landed", what);
	is_int(rig_state(&rig.b, rig.b.qp), good ? QP_RTS : QP_ERR,
	    "%s: its state", what);
	is_int(rig_state(&rig.a, rig.a.qp), QP_RTS, "%s: the sender's", what);
	is_int(recv.wr.req.wc.with_inv, good, "%s: with_inv", what);
	if (good) {
		is_int(recv.wr.req.wc.rkey, key, "I3: the key");
		is_int(rig_invalidate(&rig.b, mw), -ENODATA, "I4: twice");
	} else {
		is_str(recv.wr.req.wc.rule, "I3", "%s: the rule", what);
		has_str(recv.wr.req.wc.why, invs[i].why, "%s: why", what);
	}
	rig_wr(&p, &rig, WR_WRITE, 1);
	p.wr.rkey = key;
	is_int(rig_do(&rig.a, &p), good ? WC_REM_ACCESS_ERR : WC_RETRY_EXC_ERR,
	    "%s: what the sender sees next", what);
	if (!good)
		has_str(p.e.text, "in error", "%s: why", what);
	rig_free(&rig.b, mw);
	is_int(backend_qp_destroy(&rig.b.b, other, &rig_err), 0, "destroy");
	rig_close(&rig);
}

static void
no_done(struct bk_req *req, int r)
{
	bail_out("late");
}

/* P1, W8, W10, W11: binds over queue pairs. */
static void
test_bind(void)
{
	const struct bind_args a = { 0, 100, W, 0 };
	struct bk_req req = { .done = no_done, .e = &rig_err };
	struct bk_qp *reset, *foreign, *failing;
	struct qp_addr addr;
	struct bk_mw *mw, *bound;
	struct posted p;
	struct rig rig;
	uint32_t key;

	rig_open(&rig, QP_RC, SIZE, ALL, ALL);
	reset = rig_qp(&rig.b, rig.b.pd, QP_RC, &addr);
	foreign = rig_qp(&rig.b, rig.b.other, QP_RC, &addr);
	(void)backend_qp_connect(&rig.b.b, foreign, &rig.a.addr, ALL, &rig_err);
	if (backend_mw_alloc(&rig.b.b, rig.b.pd, MW_TYPE_2, &mw, &rig_err) < 0)
		bail_out("mw_alloc: %s", rig_err.text);
	is_int(backend_mw_bind(&rig.b.b, mw, rig.b.mr, NULL, &a, &req), -EINVAL,
	    "W8: over no queue pair");
	is_int(backend_mw_bind(&rig.b.b, mw, rig.b.mr, foreign, &a, &req),
	    -EINVAL, "P1: over another domain's");
	is_int(backend_mw_bind(&rig.b.b, mw, rig.b.mr, reset, &a, &req), -EIO,
	    "W11: over one in reset");
	is_int(rig_invalidate(&rig.b, mw), -ENODATA, "I4: it is not bound");

	bound = rig_bind(&rig.b, rig.b.qp, rig.b.mr, 0, 100, W, &key);
	is_int(backend_qp_destroy(&rig.b.b, rig.b.qp, &rig_err), -EBUSY,
	    "W10: a window is bound over it");
	has_str(rig_err.text, "(W10)", "and it says so");
	rig_wr(&p, &rig, WR_WRITE, 1);
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "the queue pair is unharmed");
	rig_wr(&p, &rig, WR_WRITE, 1);
	p.wr.rkey ^= 0x5500;
	(void)rig_do(&rig.a, &p);
	failing = rig.b.qp;
	is_int(rig_invalidate(&rig.b, bound), -EIO, "I2: in error");
	is_int(backend_mw_bind(&rig.b.b, mw, rig.b.mr, failing, &a, &req), -EIO,
	    "W11: over one in error");
	is_int(req.wc.status, WC_WR_FLUSH_ERR, "which flushes it");
	rig_free(&rig.b, bound);
	rig_free(&rig.b, mw);
	is_int(backend_qp_destroy(&rig.b.b, reset, &rig_err), 0, "destroy");
	is_int(backend_qp_destroy(&rig.b.b, foreign, &rig_err), 0, "destroy");
	rig_close(&rig);
}

/* The operation access, over a queue pair. */
static void
test_access(void)
{
	struct access acc = { ACCESS_WRITE, 0, IOVA, 1 };
	struct bk_qp *other;
	struct bk_mw *mw;
	struct verdict v;
	struct rig rig;

	rig_open(&rig, QP_RC, SIZE, ALL, W);
	other = other_qp(&rig);
	mw = rig_bind(&rig.b, rig.b.qp, rig.b.mr, 0, 1, W | R, &acc.rkey);
	(void)backend_access(&rig.b.b, rig.b.pd, rig.b.qp, &acc, &v);
	ok(v.allowed && v.mr == rig.b.mr, "over its own");
	(void)backend_access(&rig.b.b, rig.b.pd, NULL, &acc, &v);
	ok(v.allowed, "over any");
	(void)backend_access(&rig.b.b, rig.b.pd, other, &acc, &v);
	is_str(v.rule, "A1", "W8: over another");
	acc.op = ACCESS_READ;
	(void)backend_access(&rig.b.b, rig.b.pd, rig.b.qp, &acc, &v);
	is_str(v.rule, "A2", "a right that the queue pair lacks");
	is_int(backend_qp_rights(&rig.b.b, rig.b.qp, ALL, &rig_err), 0,
	    "it gets it");
	(void)backend_access(&rig.b.b, rig.b.pd, rig.b.qp, &acc, &v);
	ok(v.allowed, "and has it");
	rig_free(&rig.b, mw);
	is_int(backend_qp_destroy(&rig.b.b, other, &rig_err), 0, "destroy");
	rig_close(&rig);
}

int
main(void)
{
	size_t i;

	test_create();
	test_reset();
	for (i = 0; i < NELEM(absences); i++) {
		try_absence(i, QP_RC);
		if (absences[i].uc)
			try_absence(i, QP_UC);
	}
	test_psn();
	test_self();
	test_send();
	for (i = 0; i < NELEM(bad_receives); i++)
		try_bad_receive(i);
	test_uc_rnr();
	test_receive_queue();
	for (i = 0; i < NELEM(invs); i++)
		try_inv(i);
	test_bind();
	test_access();
	rig_end();
	return done_testing();
}
