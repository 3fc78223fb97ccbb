/* SPDX-License-Identifier: MIT */
/* Writing to open files: lines that are commands. */
#include "handle_impl.h"

#define WRITE_MAX (64u << 10) /* bytes of a write to a control file */

struct writing {
	struct batch_job job; /* of a batch; first: see job_done() */
	struct handle *h; /* a reference */
	struct writer by;
	struct script *script;
	uint64_t off;
	size_t n;
};

/* Bytes of answers that wait to be read; those before are lost then. */
#define UNREAD_MAX (256u << 10)

/*
 * What questions have been answered and nobody has read stands before text: a
 * shell may write them one by one.  Takes text over; h->lock is held.
 */
static char *
answer_join(const struct handle *h, char *text)
{
	const char *unread = h->answer.text;
	char *joined;

	if (!(h->node.file->flags & FILE_ASKS) || unread == NULL ||
	    h->answer.started || text == NULL)
		return text;
	if (strlen(unread) > UNREAD_MAX)
		unread = "lost: answers before were not read\n";
	if (asprintf(&joined, "%s%s", unread, text) < 0)
		return text;
	answer_free(text);
	return joined;
}

/* Most answers are ok, and so is the one before.  h->lock is held. */
static void
answer_put(struct handle *h, const char *text)
{
	char *copy;

	if (h->answer.text != NULL && strcmp(h->answer.text, text) == 0 &&
	    !(h->node.file->flags & FILE_ASKS))
		return;
	copy = answer_join(h, strdup(text));
	answer_free(h->answer.text);
	h->answer.text = copy;
}

/* The answer to a write stands where it left the descriptor: behind it, or
 * where it was if it failed. */
static void
answer_set(struct handle *h, uint64_t off, size_t n, int r, const char *said)
{
	pthread_mutex_lock(&h->lock);
	answer_put(h, said != NULL ? said : r == 0 ? "ok\n" : "");
	h->answer.at = r == 0 ? off + n : off;
	h->answer.started = false;
	h->continues = false;
	if (h->name.started) {
		free(h->name.text);
		h->name.text = NULL;
	}
	pthread_mutex_unlock(&h->lock);
}

static void
writing_done(void *arg, int r, const char *answer)
{
	struct writing *w = arg;

	answer_set(w->h, w->off, w->n, r, answer);
	w->by.done(w->by.arg, r < 0 ? r : (ssize_t)w->n);
	handle_unref(w->h);
	free(w);
}

bool
writing_interrupt(struct writing *w)
{
	if (w == NULL)
		return false;
	return w->h->batch != NULL ? batch_interrupt(w->h->batch, &w->job)
				   : script_interrupt(w->script);
}

/* Whole lines, or none of it. */
static int
write_check(struct handle *h, const char *buf, size_t n, struct err *e)
{
	bool ends = n > 0 && buf[n - 1] == '\n';
	int r;

	pthread_mutex_lock(&h->lock);
	if (h->torn)
		r = fail(e, EMSGSIZE,
		    "the rest of a write that was refused: it did not end in "
		    "a newline");
	else
		r = lines_check(buf, n, WRITE_MAX, e);
	if (h->torn || r == -EMSGSIZE)
		h->torn = !ends;
	pthread_mutex_unlock(&h->lock);
	return r;
}

/* n bytes at off on their way; NULL: out of memory. */
static struct writing *
writing_new(struct handle *h, const struct writer *by, size_t n, uint64_t off)
{
	struct writing *w = malloc(sizeof(*w));

	if (w == NULL)
		return NULL;
	*w = (struct writing){ .h = h, .by = *by, .off = off, .n = n };
	atomic_fetch_add(&h->refs, 1);
	return w;
}

/* It was over at once.  Takes answer over; returns what the write does. */
static ssize_t
writing_over(struct writing *w, int r, char *answer)
{
	const size_t n = w->n;

	answer_set(w->h, w->off, n, r, answer);
	answer_free(answer);
	handle_unref(w->h);
	free(w);
	return r < 0 ? r : (ssize_t)n;
}

static bool
job_given_up(struct batch_job *job)
{
	const struct writing *w = (struct writing *)(void *)job;

	return w->by.given_up(w->by.arg);
}

static void
job_done(struct batch_job *job, int r, const char *answer)
{
	writing_done((struct writing *)(void *)job, r, answer);
}

/* Whole lines, or for a batch any piece of a stream: -errno, PENDING. */
static int
write_run(
    struct writing *w, const struct source *src, const char *buf, char **answer)
{
	struct handle *h = w->h;

	if (h->batch == NULL)
		return script_run(src, buf, w->n, &w->script, answer);
	w->job.pid = w->by.pid;
	w->job.uid = w->by.uid;
	w->job.given_up = job_given_up;
	w->job.done = job_done;
	return batch_write(h->batch, &w->job, buf, w->n, answer);
}

static ssize_t
write_lines(struct handle *h, const struct writer *by, const char *buf,
    size_t n, uint64_t off, struct writing **writing)
{
	struct writing *w;
	struct source src = { .fs = h->fs,
		.node = h->node,
		.cred = &h->cred,
		.pid = by->pid,
		.uid = by->uid,
		.inode = by->inode,
		.done = writing_done };
	struct err e;
	char *answer = NULL;
	int r = 0;

	err_clear(&e);
	if (h->batch == NULL)
		r = write_check(h, buf, n, &e);
	if (r < 0 || (w = writing_new(h, by, n, off)) == NULL) {
		if (r == 0)
			r = fail(&e, ENOMEM, "out of memory");
		source_record(&src, &e, &answer);
		answer_set(h, off, n, r, answer);
		answer_free(answer);
		return r;
	}
	src.arg = w;
	*writing = w;
	r = write_run(w, &src, buf, &answer);
	return r == PENDING ? PENDING_WRITE : writing_over(w, r, answer);
}

ssize_t
handle_write(struct handle *h, const struct writer *by, const char *buf,
    size_t n, uint64_t off, struct writing **writing)
{
	*writing = NULL;
	if (h->node.file->type == FILE_DATA)
		return data_write(h, by, buf, n, off);
	if (h->node.file->journal != NULL)
		return -EINVAL;
	return write_lines(h, by, buf, n, off, writing);
}
