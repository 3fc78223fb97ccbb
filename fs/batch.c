/* SPDX-License-Identifier: MIT */
/*
 * One write of a batch after the other, one line after the other; see batch.h.
 *
 * Who begins a line goes on with the next one when it is over at once.  If not,
 * whoever ends it does; batch_met() decides which of the two comes last.
 */
#include "batch_impl.h"

#define LINES_ATONCE 64 /* before others have the world's lock */

struct batch *
batch_new(struct fs *fs, const struct node *n, const struct cred *cred)
{
	struct batch *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->node = *n;
	b->call.fs = fs;
	b->call.cmd = &b->cmd;
	b->call.cred = cred;
	b->call.answer = &b->said;
	b->rows = rows_new(); /* without it all is as well, and slower */
	STAILQ_INIT(&b->jobs);
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

void
batch_free(struct batch *b)
{
	if (b == NULL)
		return;
	if (b->failed == 0 && b->stream.len > 0) {
		b->nobody.uid = b->call.cred->uid;
		b->nobody.pid = b->call.pid;
		b->job = &b->nobody;
		b->stream.line++;
		(void)fail(&b->why, EINVAL,
		    "closed before its newline came: it has not run");
		(void)line_refuse(b, NULL);
	}
	obj_unref(b->place.dir.o);
	obj_unref(b->last);
	stream_fini(&b->stream);
	text_fini(&b->said);
	free(b->rows);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* The present line is not where it was; the beginning of one that came in two
 * writes is the stream's. */
static void
line_moved(struct batch *b, const char *from, const char *to)
{
	if (b->path < from || b->path >= from + b->line_len)
		return;
	b->path = to + (b->path - from);
	b->rest = to + (b->rest - from);
}

/* What the writer's buffer still has, from the present line on, for who goes on without him. */
static void
job_keep(struct batch *b)
{
	struct batch_job *job = b->job;
	size_t from = b->pos - b->line_len, left = job->n - from;

	if (job->copy != NULL)
		return;
	if ((job->copy = malloc(left)) != NULL) {
		memcpy(job->copy, job->buf + from, left);
		line_moved(b, job->buf + from, job->copy);
	} else {
		b->lost = true;
		b->path_len = b->rest_len = left = 0;
	}
	job->buf = job->copy;
	job->n = left;
	b->pos = job->copy != NULL ? b->line_len : 0;
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
line_next(struct batch *b, const char **line, size_t *len, char **answer)
{
	struct batch_job *job = b->job;
	size_t from = b->pos;
	int r;

	err_clear(&b->why);
	r = stream_next(
	    &b->stream, job->buf, job->n, &b->pos, line, len, &b->why);
	b->line_len = b->pos - from;
	if (r == 0 && b->lost) {
		b->stream.line++;
		r = fail(&b->why, ENOMEM, "out of memory for the rest");
	}
	if (r == 0)
		r = stream_keep(&b->stream, job->buf, job->n, b->pos, &b->why);
	return r < 0 ? line_refuse(b, answer) : r;
}

/* From the next line on: 0, -errno, or PENDING. */
static int
batch_go(struct batch *b, char **answer)
{
	struct world *w = b->node.o->world;
	const char *line;
	unsigned n;
	size_t len;
	int r;

	for (n = 1; (r = line_next(b, &line, &len, answer)) > 0; n++) {
		atomic_store_explicit(&b->met, 0, memory_order_relaxed);
		if ((r = line_begin(b, line, len)) == LINE_EMPTY)
			continue;
		b->running = true;
		if ((r = line_ends(b, r)) == PENDING)
			return PENDING;
		if ((r = line_over(b, r, answer)) < 0)
			return r;
		if (n % LINES_ATONCE == 0)
			world_give_way(w);
	}
	return r;
}

/* What the error of the batch's object says when all went well. */
static void
batch_clear_error(struct batch *b)
{
	struct obj *o = b->node.o;
	char *error;

	world_lock(o->world);
	error = o->error;
	o->error = NULL;
	obj_restat(o, false);
	world_unlock(o->world);
	free(error);
}

/* The write is over with r, but for its reply: what it returns. */
static int
batch_over(struct batch *b, int r, char **answer)
{
	if (r == 0 && atomic_load(&b->stop)) {
		/* Its writer has been told that it was. */
		r = fail(&b->why, EINTR,
		    "interrupted: the lines up to this one are done, others "
		    "do not run");
		(void)line_refuse(b, answer);
	}
	if (r == 0 && b->running)
		batch_clear_error(b);
	b->failed = r;
	if (b->job->copy != NULL)
		freezero(b->job->copy, b->job->n);
	b->job->copy = NULL;
	return r;
}

/* Why nothing runs any more. */
static int
batch_ended(const struct batch *b, char **answer)
{
	struct text t = { 0 };

	text_errno(&t, -b->failed);
	text_printf(&t, ": the batch has ended in line %llu\n",
	    (unsigned long long)b->stream.line);
	if (t.nomem)
		text_fini(&t);
	else
		*answer = t.buf;
	return b->failed;
}

/* The present job, from its start on. */
static int
batch_start(struct batch *b, char **answer)
{
	int r;

	if (b->failed < 0)
		return batch_ended(b, answer);
	b->call.pid = b->job->pid;
	b->pos = 0;
	b->running = b->lost = false;
	r = batch_go(b, answer);
	return r == PENDING ? r : batch_over(b, r, answer);
}

/* The one that waits next is the present one: true; or nobody is. */
static bool
batch_next(struct batch *b)
{
	struct batch_job *job;

	pthread_mutex_lock(&b->lock);
	job = STAILQ_FIRST(&b->jobs);
	b->busy = job != NULL;
	b->job = job;
	if (job != NULL)
		STAILQ_REMOVE_HEAD(&b->jobs, next);
	atomic_store(&b->stop, false);
	pthread_mutex_unlock(&b->lock);
	return job != NULL;
}

static void batch_work(struct work *w);

/* The present write has its result: those that wait go on elsewhere. */
static void
batch_leave(struct batch *b)
{
	if (!batch_next(b))
		return;
	b->work.fn = batch_work;
	pool_submit(b->node.o->world->slow, &b->work);
}

/* A job that did not end in its writer's thread is told; b may be gone. */
static void
job_tell(struct batch *b, struct batch_job *job, int r, char *answer)
{
	batch_leave(b);
	job->done(job, r, answer);
	answer_free(answer);
}

static void
batch_work(struct work *w)
{
	struct batch *b = (void *)((char *)w - offsetof(struct batch, work));
	struct batch_job *job = b->job;
	char *answer = NULL;
	int r;

	if ((r = batch_start(b, &answer)) != PENDING)
		job_tell(b, job, r, answer);
}

/* The present line is over with r: on with the rest. */
static void
batch_resume(struct batch *b, int r)
{
	struct batch_job *job = b->job;
	char *answer = NULL;

	r = line_over(b, r, &answer);
	if (r == 0 && (r = batch_go(b, &answer)) == PENDING)
		return;
	r = batch_over(b, r, &answer);
	job_tell(b, job, r, answer);
}

void
batch_met(struct batch *b, int r)
{
	b->result = r;
	if (met(b))
		batch_resume(b, r);
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
	if (r == 0 && (r = b->cmd.verb->run(&b->call)) == PENDING)
		return;
	batch_met(b, r);
}

/* Behind the present write: PENDING, or -errno.  After an interrupt nothing
 * runs any more, though what has begun then may not be over yet. */
static int
job_queue(struct batch *b, struct batch_job *job)
{
	if (atomic_load(&b->stop))
		return -EINTR;
	if ((job->copy = malloc(job->n > 0 ? job->n : 1)) == NULL)
		return -ENOMEM;
	job->buf = memcpy(job->copy, job->buf, job->n);
	STAILQ_INSERT_TAIL(&b->jobs, job, next);
	return PENDING;
}

int
batch_write(struct batch *b, struct batch_job *job, const char *buf, size_t n,
    char **answer)
{
	bool waits;
	int r = 0;

	job->buf = buf;
	job->copy = NULL;
	job->n = n;
	pthread_mutex_lock(&b->lock);
	if ((waits = b->busy))
		r = job_queue(b, job);
	else
		b->job = job;
	b->busy = true;
	pthread_mutex_unlock(&b->lock);
	if (waits)
		return r;
	if ((r = batch_start(b, answer)) != PENDING)
		batch_leave(b);
	return r;
}

/* A write that waits for those before it: nothing of it has been done. */
static bool
job_give_up(struct batch *b, struct batch_job *job)
{
	struct batch_job *j;

	STAILQ_FOREACH (j, &b->jobs, next)
		if (j == job) {
			STAILQ_REMOVE(&b->jobs, job, batch_job, next);
			return true;
		}
	return false;
}

static void
job_given_up(struct work *w)
{
	struct batch_job *job =
	    (void *)((char *)w - offsetof(struct batch_job, work));

	freezero(job->copy, job->n);
	job->done(job, -EINTR, NULL);
}

bool
batch_interrupt(struct batch *b, struct batch_job *job)
{
	bool waited = false, given_up;

	pthread_mutex_lock(&b->lock);
	given_up = job_give_up(b, job);
	if (!given_up && b->job == job) {
		atomic_store(&b->stop, true);
		if (b->waits)
			waited = op_cancel(&b->call.op);
		else if (b->change != NULL)
			waited = change_interrupt(b->change);
	}
	pthread_mutex_unlock(&b->lock);
	if (!given_up)
		return waited;
	/* Not from here: whoever interrupts has locks of his own. */
	job->work.fn = job_given_up;
	pool_submit(b->node.o->world->runner, &job->work);
	return true;
}
