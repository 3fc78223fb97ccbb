/* SPDX-License-Identifier: MIT */
/*
 * A thread that notifies the kernel once more of inodes that it did not have: it
 * may have been about to get them.  It takes no lock of the kernel's that a
 * client holds who waits for us; an invalidation of an entry would, and with the
 * daemon killed in one both would wait for ever.
 */
#include <time.h>

#include "fuse_impl.h"

#define AGAIN_TRIES 6 /* from 2 ms on, twice as long each time */
#define AGAIN_NS    2000000
#define AGAIN_MAX   1024 /* more at a time are left to their time limit */

struct notice {
	STAILQ_ENTRY(notice) next;
	uint64_t ino;
	unsigned tries;
	struct timespec due; /* CLOCK_MONOTONIC */
};

static void
notice_put_off(struct notifier *q, struct notice *n)
{
	clock_gettime(CLOCK_MONOTONIC, &n->due);
	n->due.tv_nsec += (long)AGAIN_NS << n->tries++;
	n->due.tv_sec += n->due.tv_nsec / 1000000000;
	n->due.tv_nsec %= 1000000000;
	STAILQ_INSERT_TAIL(&q->notices, n, next);
	q->n++;
}

void
notifier_again(struct session *s, uint64_t ino)
{
	struct notifier *q = &s->notifier;
	struct notice *n;

	pthread_mutex_lock(&q->lock);
	if (q->n < AGAIN_MAX && (n = calloc(1, sizeof(*n))) != NULL) {
		n->ino = ino;
		notice_put_off(q, n);
		pthread_cond_signal(&q->more);
	}
	pthread_mutex_unlock(&q->lock);
}

static bool
is_due(const struct notice *n)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > n->due.tv_sec ||
	       (now.tv_sec == n->due.tv_sec && now.tv_nsec >= n->due.tv_nsec);
}

/* The next one, off the list; NULL at the end; lock held. */
static struct notice *
notice_next(struct notifier *q)
{
	struct notice *n;

	while (!q->end) {
		n = STAILQ_FIRST(&q->notices);
		if (n == NULL) {
			pthread_cond_wait(&q->more, &q->lock);
		} else if (!is_due(n)) {
			pthread_cond_timedwait(&q->more, &q->lock, &n->due);
		} else {
			STAILQ_REMOVE_HEAD(&q->notices, next);
			q->n--;
			return n;
		}
	}
	return NULL;
}

static void *
notifier_run(void *arg)
{
	struct session *s = arg;
	struct notifier *q = &s->notifier;
	struct notice *n;
	int r;

	pthread_mutex_lock(&q->lock);
	while ((n = notice_next(q)) != NULL) {
		pthread_mutex_unlock(&q->lock);
		r = fuse_lowlevel_notify_inval_inode(s->se, n->ino, -1, 0);
		pthread_mutex_lock(&q->lock);
		if (r == -ENOENT && n->tries < AGAIN_TRIES)
			notice_put_off(q, n);
		else
			free(n);
	}
	while ((n = STAILQ_FIRST(&q->notices)) != NULL) {
		STAILQ_REMOVE_HEAD(&q->notices, next);
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

	STAILQ_INIT(&q->notices);
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
