/* SPDX-License-Identifier: MIT */
/* A command under way on one object; see op.h. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"

struct op *
op_of_work(struct work *w)
{
	return (struct op *)(void *)((char *)w - offsetof(struct op, work));
}

/* All but op->obj. */
static void
op_fill(struct op *op, const char *verb, void (*turn)(struct op *, int),
    void (*done)(struct op *, int))
{
	memset(op, 0, sizeof(*op));
	op->verb = verb;
	op->turn = turn;
	op->done = done;
	op->req.e = &op->err;
	op->reader = (uid_t)-1;
}

void
op_init(struct op *op, struct obj *o, const char *verb,
    void (*turn)(struct op *, int), void (*done)(struct op *, int))
{
	op_fill(op, verb, turn, done);
	world_lock(o->world);
	op->obj = obj_ref(o);
	world_unlock(o->world);
}

static int
op_begin_locked(struct op *op, bool patient)
{
	struct obj *o = op->obj;
	struct op *first = STAILQ_FIRST(&o->ops);

	if (o->gone)
		return fail(&op->err, ENODEV, "the object is gone");
	if (first != NULL && first->slow && !patient)
		return fail(&op->err, EBUSY, "%s is under way", first->verb);
	STAILQ_INSERT_TAIL(&o->ops, op, next);
	if (first == NULL)
		obj_stir(o);
	return first == NULL ? 0 : PENDING;
}

int
op_begin(struct op *op, bool patient)
{
	struct obj *o = op->obj;
	int r;

	world_lock(o->world);
	r = op_begin_locked(op, patient);
	world_unlock(o->world);
	if (r < 0)
		obj_unref(o);
	return r;
}

int
op_start(struct op *op, struct obj *o, const char *verb, struct op_for by,
    void (*turn)(struct op *, int), void (*done)(struct op *, int))
{
	struct obj *left = NULL;
	int r;

	op_fill(op, verb, turn, done);
	op->reader = by.reader;
	op->written = by.written;
	world_lock(o->world);
	op->obj = obj_ref(o);
	if ((r = op_begin_locked(op, true)) < 0)
		left = obj_drop(o);
	world_unlock(o->world);
	obj_unref(left);
	return r;
}

int
op_enter(struct op *op, struct obj *o, const char *verb,
    void (*turn)(struct op *, int), void (*done)(struct op *, int))
{
	if (!STAILQ_EMPTY(&o->ops))
		return PENDING;
	op_fill(op, verb, turn, done);
	op->obj = obj_ref(o);
	STAILQ_INSERT_TAIL(&o->ops, op, next);
	obj_stir(o);
	return 0;
}

/* On the runner: the turn has come, or never will. */
static void
op_turn(struct work *w)
{
	struct op *op = op_of_work(w);
	struct obj *o = op->obj;
	int r = 0;

	if (op->cancelled)
		r = fail(&op->err, EINTR, "interrupted before it began");
	else if (o->gone)
		r = fail(&op->err, ENODEV, "the object is gone");
	if (op->cancelled)
		obj_unref(o);
	else if (r < 0)
		op_end(op);
	op->turn(op, r);
}

static void
op_turn_soon(struct op *op)
{
	op->work.fn = op_turn;
	pool_submit(op->obj->world->runner, &op->work);
}

struct obj *
op_end_locked(struct op *op)
{
	struct obj *o = op->obj;
	struct op *next;

	/* While the viewer sees whose change it is. */
	obj_stir(o);
	STAILQ_REMOVE_HEAD(&o->ops, next);
	next = STAILQ_FIRST(&o->ops);
	if (next != NULL)
		op_turn_soon(next);
	return obj_drop(o);
}

void
op_end(struct op *op)
{
	struct world *w = op->obj->world;
	struct obj *left;

	world_lock(w);
	left = op_end_locked(op);
	world_unlock(w);
	obj_unref(left);
}

bool
op_cancel(struct op *op)
{
	struct world *w = op->obj->world;
	struct op *o;
	bool waits = false;

	world_lock(w);
	STAILQ_FOREACH (o, &op->obj->ops, next) {
		if (o == op)
			waits = o != STAILQ_FIRST(&op->obj->ops);
	}
	if (waits) {
		STAILQ_REMOVE(&op->obj->ops, op, op, next);
		op->cancelled = true;
		op_turn_soon(op);
	}
	world_unlock(w);
	return waits;
}

const char *
obj_busy(const struct obj *o)
{
	const struct op *op = STAILQ_FIRST(&o->ops);

	return op == NULL ? NULL : op->verb;
}

struct sweep {
	struct op *op; /* what waits for the sweep's end */
	struct obj *(*next)(struct op *);
	int (*act)(struct op *);
	int (*then)(struct op *);
	struct op child;
};

#define sweep_of_child(c) \
	((struct sweep *)(void *)((char *)(c)-offsetof(struct sweep, child)))

static int sweep_run(struct sweep *s, int r);

/* The child's command is over, or its turn came: on with the sweep. */
static void
sweep_resume(struct sweep *s, int r)
{
	struct op *op = s->op;

	if ((r = sweep_run(s, r)) != PENDING)
		op->done(op, r);
}

static void
sweep_child_done(struct op *child, int r)
{
	op_end(child);
	sweep_resume(sweep_of_child(child), r);
}

static void
sweep_child_turn(struct op *child, int r)
{
	struct sweep *s = sweep_of_child(child);

	if (r == 0) {
		if ((r = s->act(child)) == PENDING)
			return;
		op_end(child);
	} else if (r == -ENODEV) {
		r = 0; /* somebody else has destroyed it */
	}
	sweep_resume(s, r);
}

/* Begins on the next object; PENDING, 0 and *end when there is none, or what
 * became of it. */
static int
sweep_step(struct sweep *s, bool *end)
{
	struct world *w = s->op->obj->world;
	struct obj *o;
	int r;

	world_give_way(w);
	world_lock(w);
	if ((o = s->next(s->op)) != NULL)
		obj_ref(o);
	world_unlock(w);
	if ((*end = o == NULL))
		return 0;
	op_init(&s->child, o, s->op->verb, sweep_child_turn, sweep_child_done);
	s->child.parent = s->op;
	s->child.reader = s->op->reader;
	obj_unref(o);
	if ((r = op_begin(&s->child, true)) != 0)
		return r == -ENODEV ? 0 : r;
	if ((r = s->act(&s->child)) != PENDING)
		op_end(&s->child);
	return r;
}

static int
sweep_run(struct sweep *s, int r)
{
	struct op *op = s->op;
	bool end = false;

	while (!end) {
		if (r < 0) {
			op->err = s->child.err;
			break;
		}
		if ((r = sweep_step(s, &end)) == PENDING)
			return PENDING;
	}
	if (r == 0)
		r = s->then(op);
	else {
		world_lock(op->obj->world);
		op->obj->dying = false;
		world_unlock(op->obj->world);
	}
	free(s);
	return r;
}

int
sweep(struct op *op, struct obj *(*next)(struct op *), int (*act)(struct op *),
    int (*then)(struct op *))
{
	struct sweep *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return fail(&op->err, ENOMEM, "out of memory");
	s->op = op;
	s->next = next;
	s->act = act;
	s->then = then;
	return sweep_run(s, 0);
}
