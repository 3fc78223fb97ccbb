/* SPDX-License-Identifier: MIT */
/* verbs_check: type 1 windows, alone, by several threads, and in a crowd. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "verbs_check.h"

#define THREADS 4
#define ROUNDS  125
#define CROWD   600 /* windows at once: more than a queue holds */
#define GUILTY  37 /* each so many-th bind of a crowd is refused */

static void
bind_start(
    struct check *c, struct job *job, struct bk_mw *mw, bool good, unsigned i)
{
	const struct bind_args args = {
		.offset = (uint64_t)i * PIECE % SIZE,
		.length = PIECE,
		.rights = RIGHT_REMOTE_READ,
	};
	struct bk_mr *mr = good ? c->good : c->bad;

	job_init(job);
	job_posted(
	    job, backend_mw_bind(&c->dev, mw, mr, NULL, &args, &job->wr.req));
}

static int
bind_now(struct check *c, struct bk_mw *mw, bool good, unsigned i,
    uint32_t *key, struct err *e)
{
	struct job job;
	int r;

	bind_start(c, &job, mw, good, i);
	r = job_wait(&job);
	*e = job.e;
	if (r == 0)
		*key = job.wr.req.rkey;
	return r;
}

static int
invalidate_now(struct check *c, struct bk_mw *mw, struct err *e)
{
	struct job job;
	int r;

	job_init(&job);
	job_posted(&job, backend_mw_invalidate(&c->dev, mw, &job.wr.req));
	r = job_wait(&job);
	*e = job.e;
	return r;
}

/* One window through its life; what its keys open says who is right. */
static void
check_window(struct check *c)
{
	uint32_t one = 0, two = 0;
	struct bk_mw *mw;
	struct err e;
	int r;

	r = backend_mw_alloc(&c->dev, c->pd, MW_TYPE_1, &mw, &e);
	must(r, &e, "window");
	must(bind_now(c, mw, true, 1, &one, &e), &e, "bound");
	ok(opens(c, one, 1), "its key opens it");
	is_int(bind_now(c, mw, false, 1, &two, &e), -EIO, "%s", e.text);
	ok(opens(c, one, 1), "the old key still does (W6)");
	must(bind_now(c, mw, true, 2, &two, &e), &e, "bound anew");
	ok(two >> 8 == one >> 8 && two != one, "same index (W9)");
	ok(opens(c, two, 2) && !opens(c, one, 2), "only the new key");
	must(invalidate_now(c, mw, &e), &e, "invalidated");
	ok(!opens(c, two, 2), "no key");
	must(bind_now(c, mw, true, 3, &one, &e), &e, "bound again");
	must(backend_mw_free(&c->dev, mw, &e), &e, "freed while bound");
	ok(!opens(c, one, 3), "no key");
	r = backend_mw_alloc(&c->dev, c->pd, MW_TYPE_2, &mw, &e);
	must(r, &e, "type 2 window");
	is_int(bind_now(c, mw, true, 0, &one, &e), -EOPNOTSUPP, "%s", e.text);
	must(backend_mw_free(&c->dev, mw, &e), &e, "freed");
}

static void
windows_alloc(struct check *c, struct bk_mw **mw, unsigned n)
{
	struct err e;

	while (n-- > 0)
		if (backend_mw_alloc(&c->dev, c->pd, MW_TYPE_1, mw++, &e) < 0)
			bail_out("%s", e.text);
}

static void
windows_free(struct check *c, struct bk_mw **mw, unsigned n)
{
	struct err e;

	while (n-- > 0)
		if (backend_mw_free(&c->dev, *mw++, &e) < 0)
			bail_out("%s", e.text);
}

/* One thread: rounds of binds of four windows, and one refused. */
static void *
bind_some(void *arg)
{
	struct check *c = arg;
	struct bk_mw *mw[4];
	struct job jobs[4];
	struct err e;
	uint32_t key;
	intptr_t wrong = 0;
	unsigned i, round;

	windows_alloc(c, mw, 4);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < 4; i++)
			bind_start(c, &jobs[i], mw[i], true, i);
		for (i = 0; i < 4; i++)
			wrong += job_wait(&jobs[i]) != 0;
		wrong += invalidate_now(c, mw[round % 4], &e) != 0;
		wrong += bind_now(c, mw[round % 4], false, 0, &key, &e) != -EIO;
	}
	windows_free(c, mw, 4);
	return (void *)wrong;
}

static void
check_threads(struct check *c)
{
	pthread_t threads[THREADS];
	intptr_t wrong = 0;
	void *result;
	int i;

	for (i = 0; i < THREADS; i++)
		(void)pthread_create(&threads[i], NULL, bind_some, c);
	for (i = 0; i < THREADS; i++) {
		(void)pthread_join(threads[i], &result);
		wrong += (intptr_t)result;
	}
	is_int(wrong, 0, "%d requests of %d threads", THREADS * ROUNDS * 6,
	    THREADS);
}

/*
 * More than a queue holds at once, and refused ones among them (D5).  Those
 * right behind a refused one must be bound in truth.
 */
static void
check_crowd(struct check *c)
{
	static struct bk_mw *mw[CROWD];
	static struct job jobs[CROWD];
	unsigned i, blamed = 0, spared = 0, dead = 0;

	windows_alloc(c, mw, CROWD);
	for (i = 0; i < CROWD; i++)
		bind_start(c, &jobs[i], mw[i], i % GUILTY != 0, i);
	for (i = 0; i < CROWD; i++)
		if (i % GUILTY == 0)
			spared += job_wait(&jobs[i]) != -EIO;
		else
			blamed += job_wait(&jobs[i]) != 0;
	for (i = 1; i < CROWD; i += GUILTY)
		dead += !opens(c, jobs[i].wr.req.rkey, i);
	is_int(blamed, 0, "good binds of %d that failed", CROWD);
	is_int(spared, 0, "bad ones that were not refused");
	is_int(dead, 0, "good ones behind them without a key that works");
	windows_free(c, mw, CROWD);
}

void
check_type_1(struct check *c)
{
	int i;

	check_window(c);
	check_threads(c);
	for (i = 0; i < 4; i++)
		check_crowd(c);
}
