/* SPDX-License-Identifier: MIT */
/*
 * verbs_check: queue pairs in error, and destroyed.  The reasons that it prints
 * tell how kernels differ (D5, D15).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verbs_check_pair.h"

#define FOLLOW   3 /* requests behind one that is refused */
#define RECEIVES 256

/* j is refused, the rest flushed, and the queue pair in error (A5). */
static enum wc_status
refused(struct check *c, struct pair *p, struct job *j, const char *what)
{
	struct job rest[FOLLOW];
	char buf[8] = "flushed";
	enum wc_status status;
	unsigned i, flushed = 0;

	move_start(c, &p->a, j);
	for (i = 0; i < FOLLOW; i++) {
		move_init(c, &rest[i], WR_WRITE, buf, 8);
		move_start(c, &p->a, &rest[i]);
	}
	status = move_end(j);
	for (i = 0; i < FOLLOW; i++)
		flushed += move_end(&rest[i]) == WC_WR_FLUSH_ERR;
	ok(status != WC_SUCCESS, "%s: %s", what, j->e.text);
	is_int(flushed, FOLLOW, "flushed is what follows");
	ok(p->a.changes == 1 && side_state(c, &p->a) == QP_ERR,
	    "in error, heard of once");
	return status;
}

static void
refused_as(struct check *c, struct job *j, uint32_t rights, enum wc_status want,
    const char *what)
{
	char *far = (char *)c->mem.addr + SIZE / 2;
	struct pair p;

	far[0] = '\0';
	pair_new(c, &p, QP_RC, rights);
	is_str(status_name(refused(c, &p, j, what)), status_name(want),
	    "by the peer");
	is_int(far[0], '\0', "not a byte has moved (A7)");
	pair_free(&p);
}

/* The requester's own refusal: WR_FLUSH_ERR from 6.12 on (D5). */
static void
refused_here(struct check *c, struct job *j, const char *what)
{
	struct pair p;

	pair_new(c, &p, QP_RC, RIGHTS_ALL);
	(void)refused(c, &p, j, what);
	ok(p.b.changes == 0 && side_state(c, &p.b) == QP_RTS,
	    "the peer's is not in error");
	pair_free(&p);
}

static void
check_refusals(struct check *c)
{
	char buf[8] = "secret";
	struct job j;

	move_init(c, &j, WR_WRITE, buf, 8);
	j.wr.rkey ^= 1;
	refused_as(c, &j, RIGHTS_ALL, WC_REM_ACCESS_ERR, "a key that is none");
	move_init(c, &j, WR_READ, buf, 8);
	j.wr.addr += SIZE;
	refused_as(c, &j, RIGHTS_ALL, WC_REM_ACCESS_ERR, "out of range");
	is_str(buf, "secret", "nothing was read");
	move_init(c, &j, WR_WRITE, buf, 8);
	refused_as(c, &j, RIGHT_REMOTE_READ, WC_REM_INV_REQ_ERR,
	    "a right that the queue pair lacks");
	move_init(c, &j, WR_WRITE, NULL, 8);
	j.wr.lkey ^= 1;
	refused_here(c, &j, "a bad lkey");
	move_init(c, &j, WR_WRITE, NULL, 8);
	j.wr.local += SIZE;
	refused_here(c, &j, "a bad local range");
	move_init(c, &j, WR_SEND, buf, 8);
	refused_as(c, &j, RIGHTS_ALL, WC_RNR_RETRY_EXC_ERR, "no receive");
}

/* A region whose local memory cannot be written (A4). */
static void
check_local_write(struct check *c)
{
	const uint64_t addr = (uintptr_t)c->mem.addr;
	struct mr_keys keys;
	struct bk_mr *mr;
	struct job j;
	struct err e;

	must(reg(c, addr, RIGHT_REMOTE_READ, &mr, &keys, &e), &e, "region");
	move_init(c, &j, WR_READ, NULL, 8);
	j.wr.lkey = keys.lkey;
	refused_here(c, &j, "a read without local_write");
	must(backend_mr_dereg(&c->dev, mr, &e), &e, "deregistered");
}

/* A receive that is too short, and one in bad memory (D15). */
static void
check_receives(struct check *c, bool bad)
{
	char buf[64] = "too long";
	struct pair p;
	struct job j, got;

	pair_new(c, &p, QP_RC, RIGHTS_ALL);
	move_init(c, &got, WR_RECV, NULL, bad ? 64 : 8);
	got.wr.lkey ^= bad ? 1 : 0;
	move_start(c, &p.b, &got);
	move_init(c, &j, WR_SEND, buf, sizeof(buf));
	(void)refused(c, &p, &j, bad ? "bad receive" : "short receive");
	ok(move_end(&got) != WC_SUCCESS, "there: %s", got.e.text);
	is_int(p.b.changes, 1, "in error too");
	pair_free(&p);
}

/* All that can stand is there; one more is refused. */
static void
check_receives_end(struct check *c)
{
	static struct job jobs[RECEIVES + 1];
	struct pair p;
	unsigned i, flushed = 0;

	pair_new(c, &p, QP_RC, RIGHTS_ALL);
	for (i = 0; i <= RECEIVES; i++) {
		move_init(c, &jobs[i], WR_RECV, NULL, 8);
		move_start(c, &p.b, &jobs[i]);
	}
	is_int(job_wait(&jobs[RECEIVES]), -ENOSPC, "%s", jobs[RECEIVES].e.text);
	pair_free(&p);
	for (i = 0; i < RECEIVES; i++)
		flushed += move_end(&jobs[i]) == WC_WR_FLUSH_ERR;
	is_int(flushed, RECEIVES, "receives are flushed by the end");
	is_int(p.b.changes, 0, "which is no error");
}

/* Requests to a peer that is gone; now: nobody waits for the device. */
static void
check_peer_gone(struct check *c, bool now)
{
	static struct job jobs[RECEIVES * 2]; /* half of them wait */
	static char buf[8];
	struct pair p;
	unsigned i, ended[WC_GENERAL_ERR + 1] = { 0 };

	pair_new(c, &p, QP_RC, RIGHTS_ALL);
	side_free(c, &p.b);
	for (i = 0; i < RECEIVES * 2; i++) {
		move_init(c, &jobs[i], WR_READ, i % 2 ? buf : NULL, 8);
		move_start(c, &p.a, &jobs[i]);
	}
	if (now)
		side_free(c, &p.a);
	for (i = 0; i < RECEIVES * 2; i++)
		ended[move_end(&jobs[i])]++;
	ok(ended[WC_SUCCESS] == 0, "a peer that is gone: %s", jobs[0].e.text);
	is_int(ended[WC_WR_FLUSH_ERR] + ended[WC_RETRY_EXC_ERR], RECEIVES * 2,
	    "requests ended");
	if (!now)
		is_int(ended[WC_RETRY_EXC_ERR], 1, "one has tried");
	if (!now)
		side_free(c, &p.a);
}

/* Another in its place has a number of its own. */
static void
check_anew(struct check *c)
{
	struct pair p;
	uint32_t qpn, psn;
	struct job j;

	pair_new(c, &p, QP_RC, RIGHTS_ALL);
	qpn = p.a.at.qpn;
	psn = p.a.at.psn;
	side_free(c, &p.a);
	side_free(c, &p.b);
	pair_new(c, &p, QP_RC, RIGHTS_ALL);
	ok(p.a.at.qpn != qpn || p.a.at.psn != psn, "made anew: another one");
	move_init(c, &j, WR_READ, NULL, 8);
	is_str(status_name(move_now(c, &p.a, &j)), "success", "that works");
	pair_free(&p);
}

void
check_ends(struct check *c)
{
	check_refusals(c);
	check_local_write(c);
	check_receives(c, false);
	check_receives(c, true);
	check_receives_end(c);
	check_peer_gone(c, true);
	check_peer_gone(c, false);
	check_anew(c);
}
