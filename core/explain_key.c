/* SPDX-License-Identifier: MIT */
/* What a key means, and what it looks like; see explain.h. */
#include <byteswap.h>

#include "explain.h"

static const enum key_kind kinds[] = { KEY_MW, KEY_MR, KEY_LKEY };

static bool
may_know(const struct asker *by, const struct meaning *m, uid_t owner)
{
	return by->may(by->arg, m->kind == KEY_LKEY ? SECRET_LKEY : SECRET_RKEY,
	    m->o, owner);
}

/* Whether k, which may be NULL, is one that may be known. */
static bool
is_live(struct dev *d, const struct asker *by, struct key *k, struct meaning *m)
{
	struct meaning live;

	if (k == NULL)
		return false;
	live = (struct meaning){ .state = KEY_LIVE,
		.kind = (enum key_kind)k->kind,
		.dev = d,
		.o = obj_of_key(k) };
	if (!may_know(by, &live, live.o->owner.uid))
		return false;
	live.where = by->may(by->arg, SECRET_ADDR, live.o, live.o->owner.uid);
	*m = live;
	return true;
}

static bool
find_live(struct dev *d, const struct asker *by, uint32_t value,
    struct key *(*find)(const struct keys *, enum key_kind, uint32_t),
    struct meaning *m)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (is_live(d, by, find(&d->keys, kinds[i], value), m))
			return true;
	return false;
}

/* The object that a dead key was of, if it is still there. */
static struct obj *
obj_of_dead(struct dev *d, const struct dead *dead)
{
	struct obj *o = obj_by_id(d->o.world, dead->id);

	return o != NULL && !o->gone ? o : NULL;
}

static bool
has_newer(const struct meaning *m)
{
	if (m->o == NULL)
		return false;
	if (m->kind == KEY_MW)
		return mw_of(m->o)->mr != NULL;
	return (m->kind == KEY_MR ? mr_of(m->o)->rkey.value
				  : mr_of(m->o)->lkey.value) != 0;
}

static bool
is_dead(struct dev *d, const struct asker *by, const struct dead *dead,
    struct meaning *m)
{
	struct meaning was = { .state = KEY_DEAD,
		.kind = (enum key_kind)dead->kind,
		.dev = d,
		.o = obj_of_dead(d, dead),
		.dead = dead };

	if (!may_know(by, &was, dead->owner))
		return false;
	was.where = by->may(by->arg, SECRET_ADDR, was.o, dead->owner);
	was.newer = has_newer(&was);
	*m = was;
	return true;
}

/* The last one that died; exact: with this tag.  Those that may not be known
 * hide no older one. */
static bool
find_dead(struct dev *d, const struct asker *by, uint32_t value, bool exact,
    struct meaning *m)
{
	const struct dead *dead = NULL;

	while ((dead = keylog_next(&d->dead, value, dead)) != NULL)
		if ((!exact || dead->value == value) && is_dead(d, by, dead, m))
			return true;
	return false;
}

static bool
find_exact(
    struct dev *d, const struct asker *by, uint32_t value, struct meaning *m)
{
	return find_live(d, by, value, keys_find, m) ||
	       find_dead(d, by, value, true, m);
}

static void
find_elsewhere(
    struct dev *d, const struct asker *by, uint32_t value, struct meaning *m)
{
	struct obj *o;

	RB_FOREACH (o, obj_children, &d->o.world->devs.children)
		if (dev_of(o) != d && find_exact(dev_of(o), by, value, m))
			return;
}

void
explain_key(
    struct dev *d, const struct asker *by, uint32_t value, struct explained *x)
{
	*x = (struct explained){ .why = WHY_ALLOWED };
	if (find_exact(d, by, value, &x->is))
		return;
	if (!find_live(d, by, value, keys_find_index, &x->tag))
		(void)find_dead(d, by, value, false, &x->tag);
	find_elsewhere(d, by, value, &x->elsewhere);
	(void)find_exact(d, by, bswap_32(value), &x->swapped);
}
