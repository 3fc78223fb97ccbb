/* SPDX-License-Identifier: MIT */
/*
 * poll(2) on open files: whether there is something to read that was not there
 * before, and who is to be told when there is.  Knows nothing of FUSE.
 */
#include "handle_impl.h"

/*
 * Waits on the object like a reading.  Whoever takes it off the object's list
 * has the runner tell it and free it.
 */
struct poller {
	struct work work; /* first: see poller_tell() */
	struct waiter waiter;
	struct handle *h; /* a reference */
	struct poll_told told;
};

/* Whether a read would give what it did not give before; world.lock held. */
static bool
poll_ready(const struct handle *h)
{
	const struct view v = handle_view(h);

	if (v.file->waits == 0 || v.o->gone)
		return true;
	if (v.file->journal == NULL)
		return h->seen != v.o->changes;
	return !h->waits || h->taken != h->text.len ||
	       v.file->journal->come(&v, &h->place);
}

static void
poller_free(struct poller *p)
{
	p->told.drop(p->told.arg);
	handle_unref(p->h);
	free(p);
}

/* On the runner. */
static void
poller_tell(struct work *w)
{
	struct poller *p = (struct poller *)(void *)w;

	p->told.tell(p->told.arg);
	poller_free(p);
}

/* Off the list; lock held. */
static void
poller_wake(struct waiter *w)
{
	struct poller *p =
	    (void *)((char *)w - offsetof(struct poller, waiter));

	p->h->poller = NULL;
	pool_submit(p->h->fs->world.runner, &p->work);
}

static struct poller *
poller_new(struct handle *h, const struct poll_told *told)
{
	struct poller *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->work.fn = poller_tell;
	p->waiter.wake = poller_wake;
	p->waiter.what = h->node.file->waits;
	p->h = h;
	p->told = *told;
	atomic_fetch_add(&h->refs, 1);
	return p;
}

/* Takes h's poller off its list; NULL: it has none.  Lock held. */
static struct poller *
poller_take(struct handle *h)
{
	struct poller *p = h->poller;

	if (p != NULL)
		obj_unwait(&p->waiter);
	h->poller = NULL;
	return p;
}

bool
handle_poll(struct handle *h, const struct poll_told *told)
{
	struct world *w = &h->fs->world;
	struct poller *p = NULL, *old;
	bool ready;

	if (told->tell != NULL && (p = poller_new(h, told)) == NULL) {
		/* Better asked once too often. */
		told->drop(told->arg);
		return true;
	}
	pthread_mutex_lock(&h->lock);
	world_lock(w);
	old = poller_take(h);
	ready = poll_ready(h);
	if (p != NULL && !ready) {
		obj_wait(h->node.o, &p->waiter);
		h->poller = p;
		p = NULL;
	}
	world_unlock(w);
	pthread_mutex_unlock(&h->lock);
	if (old != NULL)
		poller_free(old);
	if (p != NULL)
		poller_free(p);
	return ready;
}

void
poll_end(struct handle *h)
{
	struct poller *p;

	world_lock(&h->fs->world);
	p = poller_take(h);
	world_unlock(&h->fs->world);
	if (p != NULL)
		poller_free(p);
}
