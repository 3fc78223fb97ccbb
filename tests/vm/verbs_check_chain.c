/* SPDX-License-Identifier: MIT */
/*
 * verbs_check: chains of both types.  What stands before a refused bind is
 * bound, what stands behind it has not run, and others go on.
 */
#include <errno.h>
#include <string.h>

#include "verbs_check_pair.h"

#define CHAIN  300 /* more than a queue holds */
#define GUILTY 100
#define NOBODY CHAIN

struct chained {
	struct check *c;
	enum mw_type type;
	struct bk_qp *qp; /* NULL for type 1 */
	struct bk_chain chain;
	struct bk_mw *mw[CHAIN];
	struct job jobs[CHAIN];
};

static void
chained_new(
    struct chained *s, struct check *c, enum mw_type type, struct bk_qp *qp)
{
	struct err e;
	unsigned i;

	s->c = c;
	s->type = type;
	s->qp = qp;
	for (i = 0; i < CHAIN; i++)
		if (backend_mw_alloc(&c->dev, c->pd, type, &s->mw[i], &e) < 0)
			bail_out("%s", e.text);
}

static void
chained_free(struct chained *s)
{
	struct err e;
	unsigned i;

	for (i = 0; i < CHAIN; i++)
		if (backend_mw_free(&s->c->dev, s->mw[i], &e) < 0)
			bail_out("%s", e.text);
}

static void
bind_one(struct chained *s, unsigned i, bool good, struct bk_chain *chain)
{
	const struct bind_args args = {
		.offset = (uint64_t)i * PIECE % SIZE,
		.length = PIECE,
		.rights = RIGHT_REMOTE_READ,
	};
	struct check *c = s->c;
	struct job *j = &s->jobs[i];

	job_init(j);
	j->wr.req.chain = chain;
	job_posted(j, backend_mw_bind(&c->dev, s->mw[i],
			  good ? c->good : c->bad, s->qp, &args, &j->wr.req));
}

static void
end_one(struct chained *s, unsigned i)
{
	struct job *j = &s->jobs[i];

	job_init(j);
	j->wr.req.chain = &s->chain;
	job_posted(j, backend_mw_invalidate(&s->c->dev, s->mw[i], &j->wr.req));
}

/* How many from i to end did not end with want. */
static unsigned
others(struct chained *s, unsigned i, unsigned end, int want)
{
	unsigned wrong = 0;

	for (; i < end; i++)
		wrong += job_wait(&s->jobs[i]) != want;
	return wrong;
}

static void
chain_bind(struct chained *s, unsigned guilty)
{
	unsigned i;

	s->chain.failed = false;
	for (i = 0; i < CHAIN; i++)
		bind_one(s, i, i != guilty, &s->chain);
	backend_mw_flush(&s->c->dev, s->c->pd, s->qp);
	is_int(others(s, 0, guilty, 0), 0,
	    "type %d: binds of a chain that failed", s->type);
	if (guilty == NOBODY)
		return;
	is_int(job_wait(&s->jobs[guilty]), -EIO, "%s", s->jobs[guilty].e.text);
	is_int(others(s, guilty + 1, CHAIN, -ECANCELED), 0,
	    "behind a refused one that were not as if never posted");
}

/* off: this one's key a peer has ended before it is posted. */
static void
chain_end(struct chained *s, unsigned off)
{
	unsigned i;

	s->chain.failed = false;
	for (i = 0; i < CHAIN; i++)
		end_one(s, i);
	if (off < CHAIN)
		atomic_store(&s->jobs[off].wr.req.off, true);
	backend_mw_flush(&s->c->dev, s->c->pd, s->qp);
	is_int(others(s, 0, off, 0), 0, "ends of a chain that failed");
	is_int(others(s, off, CHAIN, -ECANCELED), 0,
	    "from one that is off on: posted");
}

static void
check_chain_1(struct check *c)
{
	static struct chained s;
	uint32_t keys[2];

	chained_new(&s, c, MW_TYPE_1, NULL);
	chain_bind(&s, NOBODY);
	keys[0] = s.jobs[0].wr.req.rkey;
	keys[1] = s.jobs[CHAIN - 1].wr.req.rkey;
	ok(opens(c, keys[0], 0) && opens(c, keys[1], CHAIN - 1), "keys work");
	chain_end(&s, NOBODY);
	ok(!opens(c, keys[0], 0) && !opens(c, keys[1], CHAIN - 1), "and end");
	chain_bind(&s, GUILTY);
	keys[0] = s.jobs[GUILTY - 1].wr.req.rkey;
	ok(opens(c, keys[0], GUILTY - 1), "the one before it has its key");
	bind_one(&s, GUILTY + 1, true, NULL);
	is_int(job_wait(&s.jobs[GUILTY + 1]), 0, "bound alone: %s",
	    s.jobs[GUILTY + 1].e.text);
	keys[0] = s.jobs[GUILTY + 1].wr.req.rkey;
	ok(opens(c, keys[0], GUILTY + 1), "its key works");
	chained_free(&s);
}

/* The windows after their queue pair: D2; once bound, for D8. */
static void
check_chain_2(struct check *c, unsigned guilty, unsigned off)
{
	static struct chained s;
	struct pair p;
	struct job j;
	char buf[8];

	pair_new(c, &p, QP_RC, RIGHTS_ALL);
	chained_new(&s, c, MW_TYPE_2, p.b.qp);
	chain_bind(&s, guilty);
	if (guilty == NOBODY) {
		move_init(c, &j, WR_READ, buf, sizeof(buf));
		j.wr.addr = (uintptr_t)c->mem.addr;
		j.wr.rkey = s.jobs[0].wr.req.rkey;
		is_str(status_name(move_now(c, &p.a, &j)), "success",
		    "its key works %s", j.e.text);
		chain_end(&s, off);
		is_str(status_name(move_now(c, &p.a, &j)), "rem_access_err",
		    "and ends");
	}
	chained_free(&s);
	pair_free(&p);
}

void
check_chains(struct check *c)
{
	check_chain_1(c);
	check_chain_2(c, NOBODY, NOBODY);
	check_chain_2(c, NOBODY, GUILTY);
	check_chain_2(c, GUILTY, NOBODY);
}
