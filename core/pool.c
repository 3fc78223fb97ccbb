/* SPDX-License-Identifier: MIT */
/* Threads that work off a queue; see pool.h. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "pool.h"

struct pool {
	pthread_mutex_t lock; /* guards all below; the last in any order */
	pthread_cond_t more; /* work came, or the end */
	pthread_cond_t less; /* a thread became idle, or ended */
	STAILQ_HEAD(, work) queue;
	unsigned threads, idle, max;
	bool ending;
};

static void
pool_run_one(struct pool *p)
{
	struct work *w = STAILQ_FIRST(&p->queue);

	STAILQ_REMOVE_HEAD(&p->queue, next);
	pthread_mutex_unlock(&p->lock);
	w->fn(w);
	pthread_mutex_lock(&p->lock);
}

static void *
pool_thread(void *arg)
{
	struct pool *p = arg;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		if (!STAILQ_EMPTY(&p->queue)) {
			pool_run_one(p);
			continue;
		}
		if (p->ending)
			break;
		p->idle++;
		pthread_cond_broadcast(&p->less);
		pthread_cond_wait(&p->more, &p->lock);
		p->idle--;
	}
	p->threads--;
	pthread_cond_broadcast(&p->less);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* One more thread, without signals: those are the main thread's.  Called with
 * p->lock held, or before p is shared. */
static int
pool_grow(struct pool *p)
{
	pthread_t t;
	sigset_t all, old;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&t, NULL, pool_thread, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r != 0)
		return -r;
	pthread_detach(t);
	p->threads++;
	return 0;
}

struct pool *
pool_new(unsigned max)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->more, NULL);
	pthread_cond_init(&p->less, NULL);
	STAILQ_INIT(&p->queue);
	p->max = max;
	pthread_mutex_lock(&p->lock);
	if (pool_grow(p) < 0) {
		pthread_mutex_unlock(&p->lock);
		free(p);
		return NULL;
	}
	pthread_mutex_unlock(&p->lock);
	return p;
}

void
pool_free(struct pool *p)
{
	if (p == NULL)
		return;
	pthread_mutex_lock(&p->lock);
	p->ending = true;
	pthread_cond_broadcast(&p->more);
	while (p->threads > 0)
		pthread_cond_wait(&p->less, &p->lock);
	pthread_mutex_unlock(&p->lock);
	pthread_cond_destroy(&p->more);
	pthread_cond_destroy(&p->less);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void
pool_submit(struct pool *p, struct work *w)
{
	pthread_mutex_lock(&p->lock);
	STAILQ_INSERT_TAIL(&p->queue, w, next);
	if (p->idle > 0)
		pthread_cond_signal(&p->more);
	/* More work than threads: a failure to grow only means waiting. */
	if (p->threads < p->max &&
	    (p->idle == 0 || STAILQ_NEXT(STAILQ_FIRST(&p->queue), next)))
		(void)pool_grow(p);
	pthread_mutex_unlock(&p->lock);
}

void
pool_drain(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	while (!STAILQ_EMPTY(&p->queue) || p->idle < p->threads)
		pthread_cond_wait(&p->less, &p->lock);
	pthread_mutex_unlock(&p->lock);
}
