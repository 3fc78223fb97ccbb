/* SPDX-License-Identifier: MIT */
/*
 * Reads of a journal that was opened read-write: they wait for the next entry.
 *
 * A read that finds nothing leaves a struct reading on the object's list, and
 * no thread.  Whoever takes it off that list, an entry that comes, the end of
 * the object, an interrupt, has the runner try again; so done is called once,
 * and never under a lock of the one who woke it.  What was rendered and did not
 * fit stays in the handle.
 */
#include "handle_impl.h"

struct reading {
	struct work work; /* first: see reading_again() */
	struct waiter waiter;
	struct handle *h; /* a reference */
	struct reader by;
	size_t size;
	/* Guarded by world.lock. */
	bool listed; /* waiter is on the object's list, work not submitted */
	bool interrupted;
};

static void
reading_free(struct reading *r)
{
	handle_unref(r->h);
	free(r);
}

/* Off the list; lock held. */
static void
reading_wake(struct waiter *w)
{
	struct reading *r =
	    (void *)((char *)w - offsetof(struct reading, waiter));

	r->listed = false;
	pool_submit(r->h->fs->world.runner, &r->work);
}

/* Nothing has come: r (NULL: nobody wants to wait) waits for it; lock held. */
static int
reading_wait(struct reading *r)
{
	const struct node *n;

	if (r == NULL)
		return -EAGAIN;
	if (r->interrupted)
		return -EINTR;
	n = &r->h->node;
	r->listed = true;
	obj_wait(n->o, &r->waiter);
	return PENDING;
}

/* Renders what has come, size bytes and the rest of a line; h->lock is held.  An object that is gone has an end
 * instead. */
static int
wait_fill(struct handle *h, size_t size, struct reading *r)
{
	const struct view v = handle_view(h);
	struct world *w = v.o->world;
	int e;

	/* Who waits has no memory for what he has read. */
	text_fini(&h->text);
	h->taken = 0;
	world_lock(w);
	e = v.file->journal->since(&v, &h->place, size, &h->text);
	if (e < 0)
		text_reset(&h->text);
	else if (h->text.len == 0 && !v.o->gone)
		e = reading_wait(r);
	world_unlock(w);
	return e;
}

/* What fits into size of what is rendered: whole lines, unless not even the
 * first one does. */
static size_t
wait_fits(const struct handle *h, size_t size)
{
	const char *from = h->text.buf + h->taken, *end;
	size_t n = h->text.len - h->taken;

	if (n <= size)
		return n;
	end = memrchr(from, '\n', size);
	return end != NULL ? (size_t)(end - from) + 1 : size;
}

/* 0 (nothing in out: the end), -errno, or PENDING, and r may be gone. */
static int
wait_try(struct handle *h, size_t size, struct reading *r, struct text *out)
{
	size_t n;
	int e = 0;

	pthread_mutex_lock(&h->lock);
	if (h->taken == h->text.len)
		e = wait_fill(h, size, r);
	if (e == 0 && h->text.len > 0) {
		n = wait_fits(h, size);
		text_add(out, h->text.buf + h->taken, n);
		if (out->nomem)
			e = -ENOMEM;
		else
			h->taken += n;
	}
	pthread_mutex_unlock(&h->lock);
	return e;
}

/* On the runner. */
static void
reading_again(struct work *w)
{
	struct reading *r = (struct reading *)(void *)w;
	struct text out = { 0 };
	int e = wait_try(r->h, r->size, r, &out);

	if (e != PENDING) {
		r->by.done(r->by.arg, e, &out);
		reading_free(r);
	}
	text_fini(&out);
}

int
wait_read(struct handle *h, const struct reader *by, size_t size,
    struct text *out, struct reading **reading)
{
	struct reading *r;
	int e;

	if ((e = wait_try(h, size, NULL, out)) != -EAGAIN || by->nonblock)
		return e;
	if ((r = calloc(1, sizeof(*r))) == NULL)
		return -ENOMEM;
	r->work.fn = reading_again;
	r->waiter.wake = reading_wake;
	r->waiter.what = h->node.file->waits;
	r->h = h;
	r->by = *by;
	r->size = size;
	atomic_fetch_add(&h->refs, 1);
	*reading = r;
	if ((e = wait_try(h, size, r, out)) != PENDING)
		reading_free(r);
	return e;
}

bool
reading_interrupt(struct reading *r)
{
	struct world *w;

	if (r == NULL)
		return false;
	w = &r->h->fs->world;
	world_lock(w);
	r->interrupted = true;
	if (r->listed) {
		obj_unwait(&r->waiter);
		reading_wake(&r->waiter);
	}
	world_unlock(w);
	return true;
}
