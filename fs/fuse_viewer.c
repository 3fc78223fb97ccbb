/* SPDX-License-Identifier: MIT */
/*
 * What changes, and how the kernel is told; see fuse_known.c.
 */
#include "fuse_impl.h"

#define SETTLES 50 /* ms; until then answers are for the moment */

static uint32_t
now_ms(void)
{
	return (uint32_t)(obj_now() / 1000000);
}

bool
known_settled(uint32_t changed)
{
	return now_ms() - changed >= SETTLES;
}

void
known_untold(struct known *k)
{
	k->told = false;
	k->changed = now_ms();
}

uint32_t
known_second(const struct node *n)
{
	return (uint32_t)(node_changed(n) / 1000000000);
}

/*
 * An inode that the kernel has not got may be on its way to it, in the answer to
 * a lookup: it is told again a little later.
 */
void
known_notify(struct session *s, uint64_t ino)
{
	if (fuse_lowlevel_notify_inval_inode(s->se, ino, -1, 0) == -ENOENT)
		notifier_again(s, ino);
}

/* Whether the command that has its turn on o is being written to k.  Lock
 * held. */
static bool
is_own(const struct known *k, const struct obj *o)
{
	const struct op *op = STAILQ_FIRST(&o->ops);

	return op != NULL && op->written == k->ino && k->writing > 0;
}

/* k's object has changed, own: as k's writer wants it.  Lock held. */
static void
known_changed(struct session *s, struct known *k, bool forced, bool own)
{
	struct node n;

	if (k->fixed && !forced)
		return;
	if (k->dir && !forced && node_by_ino(&s->fs->world, k->real, &n) == 0 &&
	    known_second(&n) == k->second)
		return;
	known_untold(k);
	if (k->held == HELD_NOTHING)
		return;
	/* The answer to a write makes the size invalid, when it has come. */
	if (!forced && (own || (k->held == HELD_MODE && k->answering == 0)))
		return;
	k->held = HELD_NOTHING;
	known_notify(s, k->ino);
}

static void
viewer_changed(void *arg, struct obj *o, bool forced)
{
	const struct node dir = { .o = o,
		.dir = kind_info(o->kind)->dirtypes[0] };
	const bool old =
	    o->seen && (forced || known_second(&dir) != o->seen_when);
	struct session *s = arg;
	struct known *k;

	if (old) {
		o->seen = false;
		known_notify(s, node_ino(&dir));
	}
	if (old || forced)
		o->seen_when = now_ms();
	for (k = o->known; k != NULL; k = k->next)
		known_changed(s, k, forced, is_own(k, o));
}

static void
viewer_leaves(void *arg, struct obj *o)
{
	const struct node dir = { .o = o,
		.dir = kind_info(o->kind)->dirtypes[0] };

	o->name_seen = false;
	o->name_stale = true;
	if (o->seen)
		known_notify(arg, node_ino(&dir));
	o->seen = false;
	o->seen_when = now_ms();
}

void
viewer_begin(struct session *s)
{
	s->viewer = (struct viewer){ viewer_changed, viewer_leaves, s };
	world_lock(&s->fs->world);
	s->fs->world.viewer = &s->viewer;
	world_unlock(&s->fs->world);
}

void
viewer_end(struct session *s)
{
	world_lock(&s->fs->world);
	s->fs->world.viewer = NULL;
	world_unlock(&s->fs->world);
}
