/* SPDX-License-Identifier: MIT */
/* What all objects have; see obj.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "obj.h"
#include "op.h"
#include "softfabric.h"

/* Enough for everything that is likely to be held up at once; more wait for a
 * thread.  Registrations have their own, so that they hold up only each
 * other. */
#define PIN_THREADS  32
#define SLOW_THREADS 32

static void
world_init_root(struct world *w, uid_t uid, gid_t gid)
{
	struct obj *o = &w->root;

	o->id = w->next_id++;
	o->world = w;
	o->kind = KIND_ROOT;
	o->refs = 1;
	o->owner = (struct owner){ uid, gid, 0755 };
	o->made = o->changed = obj_now();
	o->name = NULL;
	o->sets = &w->devs;
	o->nsets = 1;
	w->devs.kind = KIND_DEV;
	w->devs.owner = o->owner;
	w->devs.changed = o->made;
	table_init(&w->devs.names);
	RB_INIT(&w->devs.children);
	STAILQ_INIT(&o->ops);
	obj_id_add(o);
}

int
world_init(struct world *w, uid_t uid, gid_t gid, struct err *e)
{
	memset(w, 0, sizeof(*w));
	w->next_id = 1;
	table_init(&w->ids);
	pthread_mutex_init(&w->lock, NULL);
	mems_init(&w->mems);
	w->pin = pool_new(PIN_THREADS);
	w->slow = pool_new(SLOW_THREADS);
	w->runner = pool_new(1);
	w->release = pool_new(1);
	w->fabric = fabric_new();
	if (w->pin == NULL || w->fabric == NULL || w->slow == NULL ||
	    w->runner == NULL || w->release == NULL) {
		world_fini(w);
		return fail(e, EAGAIN, "no threads can be made");
	}
	world_init_root(w, uid, gid);
	return 0;
}

static void
obj_free(struct obj *o)
{
	struct obj_mode *m;
	unsigned i;

	for (i = 0; i < o->nsets; i++)
		table_fini(&o->sets[i].names);
	while ((m = o->modes) != NULL) {
		o->modes = m->next;
		free(m);
	}
	free(o->error);
	free(o->name);
	o->error = o->name = NULL;
}

void
world_fini(struct world *w)
{
	pool_free(w->pin);
	pool_free(w->slow);
	pool_free(w->runner);
	pool_free(w->release);
	fabric_free(w->fabric);
	mems_fini(&w->mems);
	obj_free(&w->root);
	table_fini(&w->ids);
	pthread_mutex_destroy(&w->lock);
}

int
obj_init(struct obj *o, struct obj *parent, enum kind kind, const char *name,
    const struct owner *owner, struct set *sets, unsigned nsets, struct err *e)
{
	struct world *w = parent->world;
	unsigned i;

	if (name != NULL && (o->name = strdup(name)) == NULL)
		return fail(e, ENOMEM, "out of memory for a name");
	o->world = w;
	o->kind = (uint8_t)kind;
	o->owner = *owner;
	o->refs = 1;
	o->made = o->changed = obj_now();
	o->sets = sets;
	o->nsets = (uint8_t)nsets;
	STAILQ_INIT(&o->ops);
	for (i = 0; i < nsets; i++) {
		sets[i].owner = *owner;
		sets[i].changed = o->made;
		table_init(&sets[i].names);
		RB_INIT(&sets[i].children);
	}
	o->dev = kind == KIND_DEV ? o : parent->dev;
	world_lock(w);
	o->id = w->next_id++;
	o->parent = obj_ref(parent);
	world_unlock(w);
	return 0;
}

/* A clone's name: a decimal that was never one. */
static int
obj_name_by_number(struct obj *o, struct set *set, struct err *e)
{
	char name[24];
	uint64_t n = o->id;

	do {
		snprintf(name, sizeof(name), "%llu", (unsigned long long)n);
		if (obj_by_name(set, name) == NULL)
			break;
		n = o->world->next_id++;
	} while (true);
	o->name = strdup(name);
	return o->name == NULL ? fail(e, ENOMEM, "out of memory for a name")
			       : 0;
}

/* Whether parent takes children now. */
static int
obj_takes(const struct obj *parent, struct err *e)
{
	if (parent->gone)
		return fail(e, ENODEV, "the directory above is gone");
	if (parent->dying)
		return fail(e, EBUSY, "%s is being destroyed", parent->name);
	return 0;
}

/* Devices and their ports are found, not made. */
static bool
is_made(const struct obj *o)
{
	return o->kind >= KIND_PD;
}

/* What counts o as its own. */
static void
obj_touch_above(struct obj *o)
{
	obj_touch(o->parent);
	if (o->dev != o && o->dev != o->parent)
		obj_touch(o->dev);
}

/* Before o loses its name. */
static void
obj_leaves(struct obj *o)
{
	const struct viewer *v = o->world->viewer;

	if (v != NULL && o->name_seen)
		v->leaves(v->arg, o);
}

int
obj_insert(struct obj *o, struct err *e)
{
	struct set *set = obj_set(o->parent, o->kind);
	int r;

	if ((r = obj_takes(o->parent, e)) < 0)
		return r;
	if (o->name == NULL && (r = obj_name_by_number(o, set, e)) < 0)
		return r;
	if (obj_by_name(set, o->name) != NULL)
		return fail(e, EEXIST, "%s exists", o->name);
	obj_name_add(set, o);
	RB_INSERT(obj_children, &set->children, o);
	obj_id_add(o);
	set->count++;
	set->changed = obj_now();
	o->refs++;
	obj_touch_above(o);
	if (is_made(o))
		event_of(o, EV_MADE, o->owner.uid);
	return 0;
}

void
obj_remove(struct obj *o, uid_t by)
{
	struct set *set = obj_siblings(o);

	if (is_made(o))
		event_of(o, EV_DESTROYED, by);
	obj_leaves(o);
	obj_name_remove(set, o);
	RB_REMOVE(obj_children, &set->children, o);
	set->count--;
	set->changed = obj_now();
	o->gone = true;
	obj_wake(o, ~0u);
	obj_touch_above(o);
	/* Never the last one: who removes holds the object's turn. */
	o->refs--;
}

/* to: another parent, or NULL. */
static void
obj_tell_name(struct obj *o, const char *name, struct obj *to, uid_t by)
{
	const struct event ev = { .kind = EV_RENAMED,
		.o = o,
		.by = by,
		.word = name,
		.to = to,
		.also = { to } };

	event_tell(&ev);
}

int
obj_move(struct obj *o, struct obj *parent, uid_t by, struct obj **old,
    struct err *e)
{
	struct set *from = obj_siblings(o), *to = obj_set(parent, o->kind);
	int r;

	if ((r = obj_takes(parent, e)) < 0)
		return r;
	if (obj_by_name(to, o->name) != NULL)
		return fail(e, EEXIST, "%s exists there", o->name);
	obj_tell_name(o, o->name, parent, by);
	o->world->shuffles++;
	obj_leaves(o);
	obj_name_remove(from, o);
	RB_REMOVE(obj_children, &from->children, o);
	obj_name_add(to, o);
	RB_INSERT(obj_children, &to->children, o);
	from->count--;
	to->count++;
	from->changed = to->changed = obj_now();
	obj_touch(o->parent);
	obj_touch(parent);
	*old = o->parent;
	o->parent = obj_ref(parent);
	return 0;
}

int
obj_rename(struct obj *o, const char *name, uid_t by, struct err *e)
{
	struct set *set = obj_siblings(o);
	char *copy;

	if (obj_by_name(set, name) != NULL)
		return fail(e, EEXIST, "%s exists", name);
	if ((copy = strdup(name)) == NULL)
		return fail(e, ENOMEM, "out of memory for a name");
	obj_tell_name(o, name, NULL, by);
	o->world->shuffles++;
	obj_leaves(o);
	obj_name_remove(set, o);
	free(o->name);
	o->name = copy;
	obj_name_add(set, o);
	set->changed = obj_now();
	obj_restat(o->parent, false);
	obj_touch(o);
	return 0;
}

struct obj *
obj_ref(struct obj *o)
{
	o->refs++;
	return o;
}

struct obj *
obj_drop(struct obj *o)
{
	if (o == NULL || o->refs == 1)
		return o;
	o->refs--;
	return NULL;
}

void
obj_unref(struct obj *o)
{
	struct world *w;
	struct obj *parent;
	unsigned left;

	while (o != NULL) {
		w = o->world;
		world_lock(w);
		if ((left = --o->refs) == 0 && o->gone)
			obj_id_remove(o);
		world_unlock(w);
		if (left > 0)
			return;
		parent = o->parent;
		if (parent != NULL && obj_siblings(o)->fini != NULL)
			obj_siblings(o)->fini(o);
		obj_free(o);
		free(o);
		o = parent;
	}
}
