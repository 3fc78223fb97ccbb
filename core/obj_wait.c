/* SPDX-License-Identifier: MIT */
/* The time, the world's lock, and who waits on an object; see obj.h. */
#include <sched.h>

#include "obj.h"
#include "timing.h"

/* The clock of other file systems' times, as fine as a timer's tick: it costs
 * a tenth of the exact one. */
int64_t
obj_now(void)
{
	return timing_clock(CLOCK_REALTIME_COARSE);
}

void
world_lock(struct world *w)
{
	if (pthread_mutex_trylock(&w->lock) == 0)
		return;
	atomic_fetch_add(&w->waiting, 1);
	pthread_mutex_lock(&w->lock);
	atomic_fetch_sub(&w->waiting, 1);
}

void
world_unlock(struct world *w)
{
	pthread_mutex_unlock(&w->lock);
}

#define YIELDS_MAX 1000 /* others may keep it busy without end */

void
world_give_way(struct world *w)
{
	unsigned i;

	for (i = 0; i < YIELDS_MAX && atomic_load(&w->waiting) > 0; i++)
		sched_yield();
}

void
obj_wait(struct obj *o, struct waiter *w)
{
	LIST_INSERT_HEAD(&o->waiters, w, link);
}

void
obj_unwait(struct waiter *w)
{
	LIST_REMOVE(w, link);
}

void
obj_wake(struct obj *o, unsigned what)
{
	struct waiter *w, *next;

	/* Who is woken may wait anew, at the head, where this does not look. */
	LIST_FOREACH_SAFE(w, &o->waiters, link, next)
	{
		if (!(w->what & what))
			continue;
		LIST_REMOVE(w, link);
		w->wake(w);
	}
}

void
obj_restat(struct obj *o, bool forced)
{
	const struct viewer *v = o->world->viewer;

	if (v != NULL && (forced || o->seen || o->known != NULL))
		v->changed(v->arg, o, forced);
}

void
obj_stir(struct obj *o)
{
	o->changes++;
	obj_restat(o, false);
	obj_wake(o, WAIT_CHANGE);
}

void
obj_touch(struct obj *o)
{
	const int64_t now = obj_now();

	/* The clock is a coarse one: two changes still differ. */
	o->changed = now > o->changed ? now : o->changed + 1;
	obj_stir(o);
}
