/* SPDX-License-Identifier: MIT */
/* core/soft: queue pairs, and what a request over one meets (A1 to A6). */
#include <errno.h>
#include <string.h>

#include "soft.h"
#include "softrig.h"
#include "tap.h"

#define SIZE 8192u /* bytes of either side's memory */
#define LONG 65536u /* over what is the poster's to move */

/* The keys of the peer's side that a request may bring. */
enum key {
	K_ALL,
	K_READ_ONLY,
	K_ZERO_BASED,
	K_OTHER_PD,
	K_DEAD,
	K_STALE, /* of a region that has others since */
	K_UNKNOWN,
	K_LKEY,
	K_WINDOW_1, /* of 100 bytes at 1000, write */
	K_WINDOW_2, /* the same, over the queue pair */
	K_WINDOW_2_ELSEWHERE,
	K_WINDOW_FREED,
	KEYS
};

/* Regions and windows of a side, and another queue pair of it. */
struct keys {
	struct bk_mr *mr[4];
	struct bk_mw *mw[3];
	struct bk_qp *qp;
	struct mr_keys mk[5];
	uint32_t rkey[KEYS], lkey[KEYS];
};

static void
make_stale(struct keys *k, struct side *s)
{
	struct mr_keys now;
	bool gone;

	k->mr[3] = rig_reg(s, s->pd, &s->mem, LW | ALL, &k->mk[4]);
	if (backend_mr_rereg(
		&s->b, k->mr[3], NULL, LW | ALL, &now, &gone, &rig_err) < 0)
		bail_out("rereg: %s", rig_err.text);
	k->rkey[K_STALE] = k->mk[4].rkey;
	k->lkey[K_STALE] = k->mk[4].lkey;
}

static void
make_regions(struct keys *k, struct side *s)
{
	static const struct {
		enum key key;
		uint32_t rights;
	} want[3] = {
		{ K_READ_ONLY, R },
		{ K_ZERO_BASED, LW | ALL | Z },
		{ K_OTHER_PD, LW | ALL },
	};
	unsigned i;

	for (i = 0; i < 3; i++) {
		k->mr[i] =
		    rig_reg(s, want[i].key == K_OTHER_PD ? s->other : s->pd,
			&s->mem, want[i].rights, &k->mk[i]);
		k->rkey[want[i].key] = k->mk[i].rkey;
		k->lkey[want[i].key] = k->mk[i].lkey;
	}
	rig_dereg(s, rig_reg(s, s->pd, &s->mem, LW | ALL, &k->mk[3]));
	k->rkey[K_DEAD] = k->mk[3].rkey;
	k->lkey[K_DEAD] = k->mk[3].lkey;
	k->rkey[K_ALL] = s->keys.rkey;
	k->lkey[K_ALL] = s->keys.lkey;
	k->rkey[K_UNKNOWN] = s->keys.rkey ^ 0x5500;
	k->lkey[K_UNKNOWN] = s->keys.lkey ^ 0x5500;
	k->rkey[K_LKEY] = s->keys.lkey;
	k->lkey[K_LKEY] = s->keys.rkey;
	make_stale(k, s);
}

static void
make_windows(struct keys *k, struct side *s, const struct side *peer)
{
	struct qp_addr addr;

	k->qp = rig_qp(s, s->pd, QP_RC, &addr);
	if (backend_qp_connect(&s->b, k->qp, &peer->addr, ALL, &rig_err) < 0)
		bail_out("connect: %s", rig_err.text);
	k->mw[0] = rig_bind(s, NULL, s->mr, 1000, 100, W, &k->rkey[K_WINDOW_1]);
	k->mw[1] =
	    rig_bind(s, s->qp, s->mr, 1000, 100, W, &k->rkey[K_WINDOW_2]);
	k->mw[2] = rig_bind(
	    s, k->qp, s->mr, 1000, 100, W, &k->rkey[K_WINDOW_2_ELSEWHERE]);
	k->lkey[K_WINDOW_1] = k->rkey[K_WINDOW_1];
	rig_free(s,
	    rig_bind(s, NULL, s->mr, 1000, 100, W, &k->rkey[K_WINDOW_FREED]));
}

static void
end_keys(struct keys *k, struct side *s)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		rig_free(s, k->mw[i]);
	for (i = 0; i < 4; i++)
		rig_dereg(s, k->mr[i]);
	is_int(backend_qp_destroy(&s->b, k->qp, &rig_err), 0, "destroy");
}

/* How a request over a fresh pair must end. */
struct target {
	const char *what;
	enum qp_type type;
	uint32_t rights; /* of the peer's queue pair */
	enum wr_op op;
	enum key key;
	uint64_t addr, length;
	enum wc_status want;
	const char *rule; /* NULL: bytes move */
	bool peer_fails;
};

static const struct target targets[] = {
	{ "write", QP_RC, ALL, WR_WRITE, K_ALL, IOVA + 100, 50, WC_SUCCESS },
	{ "read", QP_RC, ALL, WR_READ, K_ALL, IOVA + 100, 50, WC_SUCCESS },
	{ "all of it", QP_RC, ALL, WR_WRITE, K_ALL, IOVA, SIZE, WC_SUCCESS },
	{ "read of read only", QP_RC, ALL, WR_READ, K_READ_ONLY, IOVA, 50,
	    WC_SUCCESS },
	{ "zero based", QP_RC, ALL, WR_WRITE, K_ZERO_BASED, 0, 50, WC_SUCCESS },
	{ "window 1", QP_RC, ALL, WR_WRITE, K_WINDOW_1, IOVA + 1000, 100,
	    WC_SUCCESS },
	{ "window 2", QP_RC, ALL, WR_WRITE, K_WINDOW_2, IOVA + 1000, 100,
	    WC_SUCCESS },
	{ "fetch_add", QP_RC, ALL, WR_FETCH_ADD, K_ALL, IOVA + 8, 8,
	    WC_SUCCESS },
	{ "UC write", QP_UC, ALL, WR_WRITE, K_ALL, IOVA + 100, 50, WC_SUCCESS },

	{ "an unknown key", QP_RC, ALL, WR_WRITE, K_UNKNOWN, IOVA, 1,
	    WC_REM_ACCESS_ERR, "A1", true },
	{ "a dead key", QP_RC, ALL, WR_READ, K_DEAD, IOVA, 1, WC_REM_ACCESS_ERR,
	    "A1", true },
	{ "a stale key", QP_RC, ALL, WR_WRITE, K_STALE, IOVA, 1,
	    WC_REM_ACCESS_ERR, "A1", true },
	{ "a freed window's", QP_RC, ALL, WR_WRITE, K_WINDOW_FREED, IOVA + 1000,
	    1, WC_REM_ACCESS_ERR, "A1", true },
	{ "the lkey", QP_RC, ALL, WR_WRITE, K_LKEY, IOVA, 1, WC_REM_ACCESS_ERR,
	    "A1", true },
	{ "another domain's", QP_RC, ALL, WR_READ, K_OTHER_PD, IOVA, 1,
	    WC_REM_ACCESS_ERR, "A1", true },
	{ "a right that the key lacks", QP_RC, ALL, WR_WRITE, K_READ_ONLY, IOVA,
	    1, WC_REM_ACCESS_ERR, "A1", true },
	{ "atomic right", QP_RC, ALL, WR_CMP_SWAP, K_READ_ONLY, IOVA, 8,
	    WC_REM_ACCESS_ERR, "A1", true },
	{ "a byte before", QP_RC, ALL, WR_WRITE, K_ALL, IOVA - 1, 2,
	    WC_REM_ACCESS_ERR, "A1", true },
	{ "a byte behind", QP_RC, ALL, WR_WRITE, K_ALL, IOVA + 1, SIZE,
	    WC_REM_ACCESS_ERR, "A1", true },
	{ "a byte before the window", QP_RC, ALL, WR_WRITE, K_WINDOW_1,
	    IOVA + 999, 2, WC_REM_ACCESS_ERR, "A1", true },
	{ "a byte behind the window", QP_RC, ALL, WR_WRITE, K_WINDOW_2,
	    IOVA + 1000, 101, WC_REM_ACCESS_ERR, "A1", true },
	{ "the window's rights decide", QP_RC, ALL, WR_READ, K_WINDOW_1,
	    IOVA + 1000, 1, WC_REM_ACCESS_ERR, "A1", true },
	{ "W8: another queue pair's", QP_RC, ALL, WR_WRITE,
	    K_WINDOW_2_ELSEWHERE, IOVA + 1000, 1, WC_REM_ACCESS_ERR, "A1",
	    true },

	{ "no remote_write", QP_RC, R | A, WR_WRITE, K_ALL, IOVA, 1,
	    WC_REM_INV_REQ_ERR, "A2", true },
	{ "no remote_read", QP_RC, W | A, WR_READ, K_ALL, IOVA, 1,
	    WC_REM_INV_REQ_ERR, "A2", true },
	{ "no remote_atomic", QP_RC, R | W, WR_FETCH_ADD, K_ALL, IOVA, 8,
	    WC_REM_INV_REQ_ERR, "A2", true },
	{ "zero length too", QP_RC, R, WR_WRITE, K_ALL, IOVA, 0,
	    WC_REM_INV_REQ_ERR, "A2", true },

	{ "zero length: no key", QP_RC, ALL, WR_WRITE, K_UNKNOWN, 7, 0,
	    WC_SUCCESS },
	{ "zero length: read", QP_RC, ALL, WR_READ, K_UNKNOWN, 7, 0,
	    WC_SUCCESS },
	{ "an atomic of 4", QP_RC, ALL, WR_FETCH_ADD, K_ALL, IOVA, 4,
	    WC_REM_INV_REQ_ERR, "A3", true },
	{ "an atomic at 4", QP_RC, ALL, WR_CMP_SWAP, K_ALL, IOVA + 4, 8,
	    WC_REM_INV_REQ_ERR, "A3", true },

	{ "A6: a bad key", QP_UC, ALL, WR_WRITE, K_UNKNOWN, IOVA, 9, WC_SUCCESS,
	    "A6" },
	{ "A6: a bad range", QP_UC, ALL, WR_WRITE, K_ALL, IOVA + SIZE, 9,
	    WC_SUCCESS, "A6" },
	{ "A6: no right", QP_UC, R, WR_WRITE, K_ALL, IOVA, 9, WC_SUCCESS,
	    "A6" },
	{ "UC cannot read", QP_UC, ALL, WR_READ, K_ALL, IOVA, 9,
	    WC_LOC_QP_OP_ERR, NULL },
	{ "UC has no atomics", QP_UC, ALL, WR_FETCH_ADD, K_ALL, IOVA, 8,
	    WC_LOC_QP_OP_ERR, NULL },
};

/* The first byte of the peer's memory that t means. */
static uint64_t
offset_of(const struct target *t)
{
	return t->key == K_ZERO_BASED ? t->addr : t->addr - IOVA;
}

static void
check_bytes(const struct rig *rig, const struct target *t)
{
	const bool moves = t->want == WC_SUCCESS && t->rule == NULL;
	const uint64_t off = offset_of(t);

	if (moves && t->op == WR_WRITE && t->length > 0) {
		ok(rig_is(&rig->b, off, t->length, 0xaa) &&
			rig_is(&rig->b, 0, off, 0xbb) &&
			rig_is(&rig->b, off + t->length, SIZE - off - t->length,
			    0xbb),
		    "%s: these bytes and no others", t->what);
	} else if (moves && t->op == WR_READ) {
		ok(rig_is(&rig->a, 0, t->length, 0xbb) &&
			rig_is(&rig->a, t->length, SIZE - t->length, 0xaa),
		    "%s: these bytes and no others", t->what);
	} else if (!moves) {
		ok(rig_is(&rig->a, 0, SIZE, 0xaa) &&
			rig_is(&rig->b, 0, SIZE, 0xbb),
		    "A7: %s: not one byte", t->what);
	}
}

static void
check_states(struct rig *rig, bool a_fails, bool b_fails, const char *what)
{
	is_int(rig_state(&rig->a, rig->a.qp), a_fails ? QP_ERR : QP_RTS,
	    "A5: %s: the requester's state", what);
	is_int(rig_state(&rig->b, rig->b.qp), b_fails ? QP_ERR : QP_RTS,
	    "A5: %s: the peer's state", what);
	is_int(atomic_load(&rig->a.changes), a_fails, "%s: is told", what);
	is_int(atomic_load(&rig->b.changes), b_fails, "%s: is told", what);
}

static void
try_target(const struct target *t)
{
	struct keys k = { 0 };
	struct posted p, next;
	struct rig rig;

	rig_open(&rig, t->type, SIZE, ALL, t->rights);
	make_regions(&k, &rig.b);
	make_windows(&k, &rig.b, &rig.a);
	rig_fill(&rig.a, 0xaa);
	rig_fill(&rig.b, 0xbb);
	rig_wr(&p, &rig, t->op, t->length);
	p.wr.rkey = k.rkey[t->key];
	p.wr.addr = t->addr;
	is_int(rig_do(&rig.a, &p), t->want, "%s: the status", t->what);
	is_int(p.r < 0, t->want != WC_SUCCESS, "%s: the result", t->what);
	if (t->want != WC_SUCCESS)
		is_str(p.wr.req.wc.rule, t->rule, "%s: the rule", t->what);
	if (p.r < 0)
		ok(p.wr.req.wc.why != NULL && p.wr.req.wc.bytes == 0 &&
			strstr(p.e.text, p.wr.req.wc.why) != NULL,
		    "%s: the reason", t->what);
	else
		is_int(p.wr.req.wc.bytes, t->length, "%s: bytes", t->what);
	check_bytes(&rig, t);
	check_states(&rig, p.r < 0, t->peer_fails, t->what);
	rig_wr(&next, &rig, WR_WRITE, 0);
	if (p.r < 0)
		is_int(rig_do(&rig.a, &next), WC_WR_FLUSH_ERR,
		    "A5: %s: the next", t->what);
	end_keys(&k, &rig.b);
	rig_close(&rig);
}

/* A4: the requester's own side. */
static const struct {
	const char *what;
	enum wr_op op;
	enum key key;
	uint64_t addr, length;
	bool good;
} locals[] = {
	{ "its lkey", WR_WRITE, K_ALL, IOVA, 1, true },
	{ "zero based", WR_WRITE, K_ZERO_BASED, 0, 1, true },
	{ "write from read only", WR_WRITE, K_READ_ONLY, IOVA, 1, true },
	{ "zero length", WR_WRITE, K_UNKNOWN, 7, 0, true },
	{ "read into read only", WR_READ, K_READ_ONLY, IOVA, 1, false },
	{ "an unknown lkey", WR_WRITE, K_UNKNOWN, IOVA, 1, false },
	{ "a dead lkey", WR_WRITE, K_DEAD, IOVA, 1, false },
	{ "a stale lkey", WR_WRITE, K_STALE, IOVA, 1, false },
	{ "the rkey", WR_WRITE, K_LKEY, IOVA, 1, false },
	{ "a window's key", WR_WRITE, K_WINDOW_1, IOVA + 1000, 1, false },
	{ "P1: another domain's", WR_WRITE, K_OTHER_PD, IOVA, 1, false },
	{ "a byte before", WR_WRITE, K_ALL, IOVA - 1, 2, false },
	{ "a byte behind", WR_READ, K_ALL, IOVA + 1, SIZE, false },
	{ "a bad send", WR_SEND, K_UNKNOWN, IOVA, 1, false },
};

static void
try_local(size_t i)
{
	const char *what = locals[i].what;
	struct keys k = { 0 };
	struct posted p;
	struct rig rig;

	rig_open(&rig, QP_RC, SIZE, ALL, ALL);
	make_regions(&k, &rig.a);
	make_windows(&k, &rig.a, &rig.b);
	rig_fill(&rig.a, 0xaa);
	rig_fill(&rig.b, 0xbb);
	rig_wr(&p, &rig, locals[i].op, locals[i].length);
	p.wr.lkey = k.lkey[locals[i].key];
	p.wr.local = locals[i].addr;
	is_int(rig_do(&rig.a, &p),
	    locals[i].good ? WC_SUCCESS : WC_LOC_PROT_ERR, "A4: %s", what);
	check_states(&rig, !locals[i].good, false, what);
	if (!locals[i].good) {
		is_int(p.r, -EFAULT, "A4: %s: the errno", what);
		ok(rig_is(&rig.a, 0, SIZE, 0xaa) &&
			rig_is(&rig.b, 0, SIZE, 0xbb),
		    "A7: %s: not one byte", what);
	}
	end_keys(&k, &rig.a);
	rig_close(&rig);
}

/* A side that is the daemon's own memory needs no key. */
static void
test_buf(void)
{
	static char buf[LONG + 1];
	struct posted p;
	struct rig rig;

	rig_open(&rig, QP_RC, sizeof(buf), ALL, ALL);
	rig_fill(&rig.b, 0xbb);
	rig_wr(&p, &rig, WR_READ, sizeof(buf));
	p.wr.buf = buf;
	p.wr.lkey = 0;
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "read into own memory");
	ok((uint8_t)buf[0] == 0xbb && (uint8_t)buf[LONG] == 0xbb, "it came");
	memset(buf, 0xcc, sizeof(buf));
	rig_wr(&p, &rig, WR_WRITE, sizeof(buf));
	p.wr.buf = buf;
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "write from own memory");
	ok(rig_is(&rig.b, 0, sizeof(buf), 0xcc), "it went");
	rig_close(&rig);
}

static uint64_t
word(const struct side *s, uint64_t off)
{
	uint64_t v = 0;

	(void)mem_read(&s->mem, &v, sizeof(v), off, &rig_err);
	return v;
}

static void
test_atomics(void)
{
	struct posted p;
	struct rig rig;

	rig_open(&rig, QP_RC, SIZE, ALL, ALL);
	rig_wr(&p, &rig, WR_FETCH_ADD, 8);
	p.wr.operand = 5;
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "fetch_add");
	is_int((long long)word(&rig.b, 0), 5, "added");
	is_int((long long)word(&rig.a, 0), 0, "the old value is back");
	rig_wr(&p, &rig, WR_CMP_SWAP, 8);
	p.wr.operand = 4;
	p.wr.swap = 9;
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "cmp_swap of another value");
	is_int((long long)word(&rig.b, 0), 5, "does not swap");
	is_int((long long)word(&rig.a, 0), 5, "the old value is back");
	rig_wr(&p, &rig, WR_CMP_SWAP, 8);
	p.wr.operand = 5;
	p.wr.swap = 9;
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "cmp_swap");
	is_int((long long)word(&rig.b, 0), 9, "swaps");
	rig_wr(&p, &rig, WR_FETCH_ADD, 8);
	p.wr.operand = 1;
	p.wr.lkey ^= 0x5500;
	is_int(rig_do(&rig.a, &p), WC_LOC_PROT_ERR,
	    "A4: the result cannot be stored");
	is_int((long long)word(&rig.b, 0), 10, "the target changed");
	check_states(&rig, true, false, "A4: a lost result");
	rig_close(&rig);
}

int
main(void)
{
	size_t i;

	for (i = 0; i < NELEM(targets); i++)
		try_target(&targets[i]);
	for (i = 0; i < NELEM(locals); i++)
		try_local(i);
	test_buf();
	test_atomics();
	rig_end();
	return done_testing();
}
