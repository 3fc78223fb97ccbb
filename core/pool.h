/* SPDX-License-Identifier: MIT */
/*
 * Threads that work off a queue.  Knows nothing of the work.
 */
#ifndef CORE_POOL_H
#define CORE_POOL_H

#include <sys/queue.h>

/* One piece of work; owned by who submits it, untouched until fn is called. */
struct work {
	STAILQ_ENTRY(work) next;
	/* May submit or free the work again. */
	void (*fn)(struct work *w);
};

struct pool;

/*
 * A pool of at least one thread, which grows to max as work waits.  Threads
 * have all signals blocked.  NULL: no thread could be made.
 */
struct pool *pool_new(unsigned max);
/* Waits until all work is done, ends the threads.  Takes NULL. */
void pool_free(struct pool *p);
/* Never fails, never blocks; work starts in the order of submission. */
void pool_submit(struct pool *p, struct work *w);
/*
 * Waits until everything that was submitted has been worked off.  Not to be
 * called by a thread of that pool.
 */
void pool_drain(struct pool *p);

#endif
