/* SPDX-License-Identifier: MIT */
/*
 * The writes of a batch: one after the other, and what becomes of one that is
 * interrupted.  Knows nothing of lines.
 */
#include "batch_impl.h"

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

void
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

static void
job_wipe(struct batch_job *job)
{
	if (job->copy != NULL)
		freezero(job->copy, job->n);
	job->copy = NULL;
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
	job_wipe(b->job);
	return r;
}

/* Why nothing runs any more.  EINTR is told once: many write again until it is
 * something else. */
static int
batch_ended(const struct batch *b, char **answer)
{
	const int r = b->failed == -EINTR ? -ECANCELED : b->failed;
	struct text t = { 0 };

	text_errno(&t, -r);
	text_printf(&t, ": the batch has ended in line %llu\n",
	    (unsigned long long)b->stream.line);
	if (t.nomem)
		text_fini(&t);
	else
		*answer = t.buf;
	return r;
}

/* The present job, from its start on. */
static int
batch_start(struct batch *b, char **answer)
{
	int r;

	if (b->failed < 0) {
		job_wipe(b->job);
		return batch_ended(b, answer);
	}
	b->call.pid = b->job->pid;
	b->pos = 0;
	b->phase = PHASE_NEXT;
	b->alone = 0;
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
	struct batch *b = batch_of_work(w);
	struct batch_job *job = b->job;
	char *answer = NULL;
	int r;

	if ((r = batch_start(b, &answer)) != PENDING)
		job_tell(b, job, r, answer);
}

/* The present line is over with r: on with the rest. */
void
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
batch_goes_on(struct work *w)
{
	struct batch *b = batch_of_work(w);
	struct batch_job *job = b->job;
	char *answer = NULL;
	int r;

	if ((r = batch_go(b, &answer)) == PENDING)
		return;
	r = batch_over(b, r, &answer);
	job_tell(b, job, r, answer);
}

/* Its writer does not wait with it. */
static int
job_copy(struct batch_job *job)
{
	if ((job->copy = malloc(job->n > 0 ? job->n : 1)) == NULL)
		return -ENOMEM;
	job->buf = memcpy(job->copy, job->buf, job->n);
	return PENDING;
}

/* Behind the present write: PENDING, or -errno.  After an interrupt nothing
 * runs any more, though what has begun then may not be over yet. */
static int
job_queue(struct batch *b, struct batch_job *job)
{
	int r;

	if (atomic_load(&b->stop))
		return -ECANCELED;
	if ((r = job_copy(job)) == PENDING)
		STAILQ_INSERT_TAIL(&b->jobs, job, next);
	return r;
}

/* It is the present one: PENDING, 0 to start it at once, -errno. */
static int
job_take(struct batch *b, struct batch_job *job)
{
	int r = b->chains ? job_copy(job) : 0;

	if (r < 0)
		return r;
	b->job = job;
	b->busy = true;
	if (r == PENDING) {
		b->work.fn = batch_work;
		pool_submit(b->node.o->world->slow, &b->work);
	}
	return r;
}

/* Why a write is not even taken. */
static void
job_refused(int r, char **answer)
{
	struct text t = { 0 };

	text_errno(&t, -r);
	text_puts(&t, r == -ECANCELED ? ": the batch has been interrupted\n"
				      : ": out of memory for the write\n");
	if (t.nomem)
		text_fini(&t);
	else
		*answer = t.buf;
}

int
batch_write(struct batch *b, struct batch_job *job, const char *buf, size_t n,
    char **answer)
{
	int r;

	job->buf = buf;
	job->copy = NULL;
	job->n = n;
	pthread_mutex_lock(&b->lock);
	r = b->busy ? job_queue(b, job) : job_take(b, job);
	pthread_mutex_unlock(&b->lock);
	if (r < 0)
		job_refused(r, answer);
	else if (r == 0 && (r = batch_start(b, answer)) != PENDING)
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

	job_wipe(job);
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
