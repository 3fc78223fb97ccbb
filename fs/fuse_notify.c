/* SPDX-License-Identifier: MIT */
/*
 * The notifier: a thread that tells the kernel of entries that are gone.  The
 * kernel takes the directory's lock for that, which a client may hold who waits
 * for us: so no handler does it, and nobody who holds a lock.  Who has destroyed
 * an object is answered behind it.
 */
#include <time.h>

#include "fuse_impl.h"

#define AGAIN_TRIES 6 /* from 2 ms on, twice as long each time */
#define AGAIN_NS    2000000
#define AGAIN_MAX   1024 /* more at a time are left to their time limit */

enum notice_kind { NOTICE_ENTRY, NOTICE_INODE, NOTICE_REPLY };

struct notice {
	STAILQ_ENTRY(notice) next;
	enum notice_kind kind;
	uint64_t ino; /* of the inode, or of the entry's directory */
	struct parked *p; /* reply: a reference */
	ssize_t r;
	unsigned tries;
	struct timespec due; /* again: CLOCK_MONOTONIC */
	char name[]; /* entry */
};

static struct notice *
notice_new(enum notice_kind kind, uint64_t ino, const char *name)
{
	struct notice *n = calloc(1, sizeof(*n) + strlen(name) + 1);

	if (n == NULL)
		return NULL;
	n->kind = kind;
	n->ino = ino;
	strcpy(n->name, name);
	return n;
}

static void
notice_add(struct notifier *q, struct notice *n)
{
	STAILQ_INSERT_TAIL(&q->soon, n, next);
	pthread_cond_signal(&q->more);
}

/* Without memory the entry stays until its time limit. */
void
notifier_entry(struct session *s, uint64_t parent, const char *name)
{
	struct notifier *q = &s->notifier;
	struct notice *n = notice_new(NOTICE_ENTRY, parent, name);

	if (n == NULL)
		return;
	pthread_mutex_lock(&q->lock);
	notice_add(q, n);
	pthread_mutex_unlock(&q->lock);
}

static void
notice_put_off(struct notifier *q, struct notice *n)
{
	clock_gettime(CLOCK_MONOTONIC, &n->due);
	n->due.tv_nsec += (long)AGAIN_NS << n->tries++;
	n->due.tv_sec += n->due.tv_nsec / 1000000000;
	n->due.tv_nsec %= 1000000000;
	STAILQ_INSERT_TAIL(&q->later, n, next);
	q->nlater++;
}

void
notifier_again(struct session *s, uint64_t ino)
{
	struct notifier *q = &s->notifier;
	struct notice *n;

	pthread_mutex_lock(&q->lock);
	if (q->nlater < AGAIN_MAX &&
	    (n = notice_new(NOTICE_INODE, ino, "")) != NULL) {
		notice_put_off(q, n);
		pthread_cond_signal(&q->more);
	}
	pthread_mutex_unlock(&q->lock);
}

static void
reply_now(struct parked *p, ssize_t r)
{
	known_written(p->s, p->ino, &p->node, r >= 0);
	if (r < 0)
		fuse_reply_err(p->req, (int)-r);
	else
		fuse_reply_write(p->req, (size_t)r);
	parked_unref(p);
}

void
notifier_reply(struct session *s, struct parked *p, ssize_t r)
{
	struct notifier *q = &s->notifier;
	struct notice *n = NULL;

	pthread_mutex_lock(&q->lock);
	if ((q->busy || !STAILQ_EMPTY(&q->soon)) &&
	    (n = notice_new(NOTICE_REPLY, 0, "")) != NULL) {
		n->p = p;
		n->r = r;
		notice_add(q, n);
	}
	pthread_mutex_unlock(&q->lock);
	if (n == NULL)
		reply_now(p, r);
}

/* true: it is to be done again. */
static bool
notice_do(struct session *s, const struct notice *n)
{
	switch (n->kind) {
	case NOTICE_ENTRY:
		(void)fuse_lowlevel_notify_inval_entry(
		    s->se, n->ino, n->name, strlen(n->name));
		return false;
	case NOTICE_INODE:
		return fuse_lowlevel_notify_inval_inode(s->se, n->ino, -1, 0) ==
			   -ENOENT &&
		       n->tries < AGAIN_TRIES;
	default:
		reply_now(n->p, n->r);
		return false;
	}
}

static bool
is_due(const struct notice *n)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > n->due.tv_sec ||
	       (now.tv_sec == n->due.tv_sec && now.tv_nsec >= n->due.tv_nsec);
}

/* The next one to do, or NULL at the end; lock held. */
static struct notice *
notice_next(struct notifier *q)
{
	struct notice *n;

	for (;;) {
		if ((n = STAILQ_FIRST(&q->soon)) != NULL) {
			STAILQ_REMOVE_HEAD(&q->soon, next);
			return n;
		}
		if (q->end)
			return NULL;
		n = STAILQ_FIRST(&q->later);
		if (n == NULL) {
			pthread_cond_wait(&q->more, &q->lock);
		} else if (is_due(n)) {
			STAILQ_REMOVE_HEAD(&q->later, next);
			q->nlater--;
			return n;
		} else {
			pthread_cond_timedwait(&q->more, &q->lock, &n->due);
		}
	}
}

static void *
notifier_run(void *arg)
{
	struct session *s = arg;
	struct notifier *q = &s->notifier;
	struct notice *n;
	bool again;

	pthread_mutex_lock(&q->lock);
	while ((n = notice_next(q)) != NULL) {
		q->busy = true;
		pthread_mutex_unlock(&q->lock);
		again = notice_do(s, n);
		pthread_mutex_lock(&q->lock);
		q->busy = false;
		if (again)
			notice_put_off(q, n);
		else
			free(n);
	}
	while ((n = STAILQ_FIRST(&q->later)) != NULL) {
		STAILQ_REMOVE_HEAD(&q->later, next);
		free(n);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

int
notifier_start(struct session *s)
{
	struct notifier *q = &s->notifier;
	pthread_condattr_t attr;

	STAILQ_INIT(&q->soon);
	STAILQ_INIT(&q->later);
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->more, &attr);
	pthread_condattr_destroy(&attr);
	return -pthread_create(&q->thread, NULL, notifier_run, s);
}

void
notifier_stop(struct session *s)
{
	struct notifier *q = &s->notifier;

	pthread_mutex_lock(&q->lock);
	q->end = true;
	pthread_cond_signal(&q->more);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread, NULL);
	pthread_cond_destroy(&q->more);
	pthread_mutex_destroy(&q->lock);
}
