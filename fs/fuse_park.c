/* SPDX-License-Identifier: MIT */
/*
 * Requests that are answered later.  An interrupt only marks and wakes: the
 * rest is done by the world's runner, because it is called under the
 * library's own locks.
 */
#include "fuse_impl.h"

struct parked *
park(fuse_req_t req, enum parked_kind kind)
{
	struct parked *p = malloc(sizeof(*p));

	if (p == NULL)
		return NULL;
	*p = (struct parked){ .s = session_of(req), .req = req, .kind = kind };
	atomic_init(&p->refs, 2);
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_lock(&p->s->lock);
	LIST_INSERT_HEAD(&p->s->parked, p, link);
	pthread_mutex_unlock(&p->s->lock);
	return p;
}

void
parked_unref(struct parked *p)
{
	struct session *s = p->s;
	bool last;

	/* What is on the list has a reference, for wait_none_parked(). */
	pthread_mutex_lock(&s->lock);
	if ((last = atomic_fetch_sub(&p->refs, 1) == 1)) {
		LIST_REMOVE(p, link);
		if (LIST_EMPTY(&s->parked))
			pthread_cond_signal(&s->none_parked);
	}
	pthread_mutex_unlock(&s->lock);
	if (!last)
		return;
	cred_fini(&p->cred);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* Whoever gets true replies, and nobody else. */
static bool
parked_claim(struct parked *p)
{
	bool mine = !p->replied;

	p->replied = true;
	return mine;
}

/* On the runner. */
static void
parked_interrupted(struct work *w)
{
	struct parked *p = (struct parked *)(void *)w;
	bool waits = false, mine = false;

	pthread_mutex_lock(&p->lock);
	if (!p->over) {
		if (p->kind == PARKED_READ)
			waits = reading_interrupt(p->reading);
		else if (p->kind == PARKED_WRITE)
			waits = writing_interrupt(p->writing);
		else
			waits = change_interrupt(p->change);
		/* What waited completes by itself, soon. */
		if (!waits)
			mine = parked_claim(p);
	}
	pthread_mutex_unlock(&p->lock);
	if (mine)
		fuse_req_interrupt_func(p->req, NULL, NULL);
	if (mine && p->kind == PARKED_WRITE)
		known_written(p->s, p->ino, &p->node, false);
	if (mine && p->kind == PARKED_CLONE)
		known_release(p->s, p->ino, O_RDWR);
	if (mine)
		fuse_reply_err(p->req, EINTR);
	if (mine && p->kind == PARKED_WRITE)
		known_answered(p->s, p->ino, &p->node);
	parked_unref(p);
}

/* Under the library's locks: only marks and wakes. */
static void
parked_interrupt(fuse_req_t req, void *data)
{
	struct parked *p = data;

	(void)req;
	if (atomic_exchange(&p->interrupted, true))
		return;
	atomic_fetch_add(&p->refs, 1);
	p->work.fn = parked_interrupted;
	pool_submit(p->s->fs->world.runner, &p->work);
}

/* They wait for what may never come.  Nobody starts another: the session's
 * threads have ended. */
void
end_reads(struct session *s)
{
	struct parked *p;

	atomic_store(&s->ending, true);
	pthread_mutex_lock(&s->lock);
	LIST_FOREACH (p, &s->parked, link)
		if (p->reading != NULL)
			parked_interrupt(p->req, p);
	pthread_mutex_unlock(&s->lock);
	pool_drain(s->fs->world.runner);
}

/* At the end: what is parked still replies, and may start others that wait
 * for their turn. */
void
wait_none_parked(struct session *s)
{
	pthread_mutex_lock(&s->lock);
	while (!LIST_EMPTY(&s->parked))
		pthread_cond_wait(&s->none_parked, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

/* The starter's last step, after PENDING: from now on it can be
 * interrupted. */
void
parked_started(struct parked *p)
{
	pthread_mutex_lock(&p->lock);
	if (!p->replied)
		fuse_req_interrupt_func(p->req, parked_interrupt, p);
	pthread_mutex_unlock(&p->lock);
	parked_unref(p);
}

/* Completion: true if the reply is the caller's. */
bool
parked_over(struct parked *p)
{
	bool mine;

	pthread_mutex_lock(&p->lock);
	p->over = true;
	mine = parked_claim(p);
	pthread_mutex_unlock(&p->lock);
	if (mine)
		fuse_req_interrupt_func(p->req, NULL, NULL);
	return mine;
}

/* It was over at once: nobody else knows of it. */
void
parked_drop(struct parked *p)
{
	atomic_store(&p->refs, 1);
	parked_unref(p);
}
