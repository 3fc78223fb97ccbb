/* SPDX-License-Identifier: MIT */
/*
 * A batch, one line after the other; see batch.h.
 *
 * Who begins a line goes on with the next one when it is over at once.  If not,
 * whoever ends it does; batch_met() decides which of the two comes last.
 */
#include "../core/dev.h"
#include "batch_impl.h"

#define LINES_ATONCE 64 /* before others have the world's lock */

static bool
device_chains(struct obj *o)
{
	return o->dev != NULL && dev_of(o)->b.info.chains;
}

struct batch *
batch_new(struct fs *fs, const struct node *n, const struct cred *cred)
{
	struct batch *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->node = *n;
	b->call.fs = fs;
	parsed_leave(b);
	b->call.cred = cred;
	b->call.answer = &b->said;
	b->chains = device_chains(n->o);
	STAILQ_INIT(&b->jobs);
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

void
batch_free(struct batch *b)
{
	if (b == NULL)
		return;
	if (b->failed == 0 && stream_is_unfinished(&b->stream)) {
		b->nobody.uid = b->call.cred->uid;
		b->nobody.pid = b->call.pid;
		b->job = &b->nobody;
		b->stream.line++;
		(void)fail(&b->why, EINVAL,
		    "closed before its newline came: it has not run");
		(void)line_refuse(b, NULL);
	}
	chain_free(b);
	parsed_wipe(b);
	obj_unref(b->place.dir.o);
	obj_unref(b->last);
	stream_fini(&b->stream);
	text_fini(&b->said);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* The line is over, or its end comes later: whoever is the second to call
 * this, its starter or its end, goes on. */
static bool
met(struct batch *b)
{
	return atomic_exchange(&b->met, 1) == 1;
}

/* The line that was begun with r: its end, or PENDING. */
static int
line_ends(struct batch *b, int r)
{
	if (r != PENDING)
		return r;
	if (atomic_load(&b->met) == 0)
		job_keep(b);
	return met(b) ? b->result : PENDING;
}

/* The next line of the write: 1, 0: there is none, -errno. */
static int
line_next(struct batch *b)
{
	struct batch_job *job = b->job;
	size_t from = b->pos;
	int r;

	err_clear(&b->why);
	r = stream_next(
	    &b->stream, job->buf, job->n, &b->pos, &b->line, &b->len, &b->why);
	b->line_len = b->pos - from;
	if (r == 0 && b->lost) {
		b->stream.line++;
		r = fail(&b->why, ENOMEM, "out of memory for the rest");
	}
	if (r == 0)
		r = stream_keep(&b->stream, job->buf, job->n, b->pos, &b->why);
	return r;
}

/* Others are let in, and the writer may have given up: who has a copy of what
 * he wrote is told that by batch_interrupt(). */
static void
batch_pause(struct batch *b)
{
	struct batch_job *job = b->job;

	world_give_way(b->node.o->world);
	if (job->copy == NULL && job->given_up(job))
		atomic_store(&b->stop, true);
}

/* Cuts lines as long as they join the chain, and it has room. */
static void
batch_cut(struct batch *b)
{
	unsigned n;

	for (n = 1; (b->cut = line_next(b)) > 0; n++) {
		if (!b->chains || !chain_join(b, b->line, b->len)) {
			b->phase = PHASE_BEGIN;
			return;
		}
		b->running = true;
		if (chain_is_full(b))
			return;
		if (n % LINES_ATONCE == 0)
			batch_pause(b);
	}
	b->phase = PHASE_END;
}

/* What stands alone begins when all before it is over: 0, PENDING or -errno. */
static int
batch_begin(struct batch *b, char **answer)
{
	int r;

	b->phase = PHASE_NEXT;
	atomic_store_explicit(&b->met, 0, memory_order_relaxed);
	if ((r = line_begin(b, b->line, b->len)) == LINE_EMPTY)
		return 0;
	b->running = true;
	if ((r = line_ends(b, r)) == PENDING)
		return PENDING;
	return line_over(b, r, answer);
}

int
batch_go(struct batch *b, char **answer)
{
	unsigned n;
	int r = 0;

	for (n = 1; r == 0; n++) {
		if (b->phase == PHASE_NEXT && !chain_is_ending(b))
			batch_cut(b);
		if (b->chains && (r = chain_over(b, answer)) != 0)
			return r;
		if (b->phase == PHASE_BEGIN)
			r = batch_begin(b, answer);
		else if (b->phase == PHASE_END)
			return b->cut < 0 ? line_refuse(b, answer) : 0;
		if (n % LINES_ATONCE == 0)
			batch_pause(b);
	}
	return r;
}

static void
batch_resumes(struct work *w)
{
	struct batch *b = batch_of_work(w);

	batch_resume(b, b->result);
}

void
batch_met(struct batch *b, int r)
{
	b->result = r;
	if (!met(b))
		return;
	if (!b->chains) {
		batch_resume(b, r);
		return;
	}
	b->work.fn = batch_resumes;
	pool_submit(b->node.o->world->slow, &b->work);
}

void
batch_done(struct op *op, int r)
{
	batch_met(batch_of(op), r);
}

void
batch_turn(struct op *op, int r)
{
	struct batch *b = batch_of(op);

	/* Not before its starter is through. */
	pthread_mutex_lock(&b->lock);
	b->waits = false;
	b->turn = r == 0;
	pthread_mutex_unlock(&b->lock);
	if (r == 0 && (r = b->cmd->verb->run(&b->call)) == PENDING)
		return;
	batch_met(b, r);
}
