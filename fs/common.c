/* SPDX-License-Identifier: MIT */
/* The files that every kind of object has: status, error, list. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../core/op.h"
#include "tree.h"

/* Lines added in one go under the lock, so that commands get in between. */
#define LIST_BATCH 64
/* The longest line of a list: four names of 64, and status with all words. */
#define LIST_LINE 768

const struct file clone_files[] = {
	{ "clone", .type = FILE_CLONE },
	{ NULL },
};

int
get_number(struct text *t, uint64_t n)
{
	text_printf(t, "%llu\n", (unsigned long long)n);
	return 0;
}

int
get_address(struct text *t, uint64_t addr)
{
	text_addr(t, addr);
	text_puts(t, "\n");
	return 0;
}

int
get_key(struct text *t, uint32_t key)
{
	text_key(t, key);
	text_puts(t, "\n");
	return 0;
}

void
status_line(struct obj *o, struct text *t)
{
	const char *busy = obj_busy(o);

	kind_info(o->kind)->status(o, t);
	if (busy != NULL)
		text_printf(t, " busy=%s", busy);
	text_printf(t, " owner=%u group=%u made=%lld\n", o->owner.uid,
	    o->owner.gid, (long long)(o->made / 1000000000));
}

int
get_status(const struct view *v, struct text *t)
{
	status_line(v->o, t);
	return 0;
}

int
get_error(const struct view *v, struct text *t)
{
	text_puts(t, v->o->error != NULL ? v->o->error : "ok\n");
	return 0;
}

/* The object that the cursor's level stands on; NULL: it is gone. */
static struct obj *
cursor_obj(struct obj *top, const struct cursor *c)
{
	return c->depth == 0 ? top : obj_by_id(top->world, c->id[c->depth - 1]);
}

/* The next sibling behind the level's object, in its set or a later one. */
static struct obj *
cursor_sibling(struct obj *parent, struct cursor *c, unsigned level)
{
	struct obj *o;

	for (; c->set[level] < parent->nsets; c->set[level]++) {
		if (parent->sets[c->set[level]].kind != KIND_PORT &&
		    (o = obj_after(
			 &parent->sets[c->set[level]], c->id[level])) != NULL)
			return o;
		c->id[level] = 0;
	}
	return NULL;
}

/*
 * The object behind the cursor in preorder, below top, of those that the
 * reader reaches; lock held.  An object that stays is passed exactly once,
 * because ids only grow and a level remembers the id, not the object.
 */
static struct obj *
cursor_next(struct obj *top, struct cursor *c, const struct cred *cred)
{
	struct obj *parent, *o;

	for (;;) {
		if (c->depth < CURSOR_DEPTH &&
		    (parent = cursor_obj(top, c)) != NULL &&
		    cred_reaches(cred, parent) &&
		    (o = cursor_sibling(parent, c, c->depth)) != NULL) {
			c->id[c->depth++] = o->id;
			if (c->depth < CURSOR_DEPTH) {
				c->id[c->depth] = 0;
				c->set[c->depth] = 0;
			}
			if (cred_reaches(cred, o))
				return o;
			continue;
		}
		if (c->depth == 0)
			return NULL;
		/* This level is done: its object's parent goes on behind
		 * it. */
		c->depth--;
	}
}

int
list_more(const struct view *v, struct cursor *c, struct text *t)
{
	struct world *w = v->o->world;
	struct obj *o = NULL;
	int i;

	world_lock(w);
	for (i = 0; i < LIST_BATCH; i++) {
		if ((o = cursor_next(v->o, c, v->cred)) == NULL)
			break;
		list_line(o, v->o, t);
	}
	world_unlock(w);
	world_give_way(w);
	return o != NULL;
}

/* Objects below o, from counts that are kept: no walk. */
static uint64_t
count_below(struct obj *o)
{
	uint64_t n = 0;
	struct obj *child;
	unsigned i;

	if (o->kind == KIND_ROOT)
		RB_FOREACH (child, obj_children, &o->sets[0].children)
			n += 1 + count_below(child);
	else if (o->kind == KIND_DEV)
		n = dev_of(o)->mrs + dev_of(o)->mws + dev_of(o)->qps +
		    dev_of(o)->mems + obj_set(o, KIND_PD)->count;
	else if (o->kind == KIND_PD)
		/* Those of the whole device: mappings are not counted by
		 * domain. */
		n = o->sets[0].count + o->sets[1].count + o->sets[2].count +
		    dev_of(o)->mems;
	else
		for (i = 0; i < o->nsets; i++)
			n += o->sets[i].count;
	return n;
}

uint64_t
list_bound(const struct view *v)
{
	return count_below(v->o) * LIST_LINE;
}
