/* SPDX-License-Identifier: MIT */
/*
 * What the kernel knows: inodes, and how long it may believe what it was told of
 * them.
 *
 * Attributes and names are told with long timeouts, so that a command costs no
 * question on the way to it.  Whatever changes them is told to the viewer
 * (core/obj.h) in the same hold of the lock, and the kernel is notified there
 * and then: before the lock is let go, and so before any answer.  An answer that
 * was on its way is discarded by the kernel, because the notification is newer.
 *
 * Of a file whose attributes have changed the first answer is for this moment
 * only, and the second one, which says the same, lasts: while the kernel puts
 * new values in the place of old ones, somebody who believed that they last
 * would read the old ones.  The first is one that the kernel has taken: what was
 * asked before the change and answered behind it, it discards.  Nobody says
 * which those are, but soon after the change they have come.
 *
 * A name that an object loses by other means than rmdir(2) or rename(2) is not
 * invalidated, see fuse_notify.c; the object's directory is, so that the kernel
 * asks for it on every way through that name, and is answered ESTALE.
 */
#include "fuse_impl.h"

/* Seconds.  All that changes is invalidated; this bounds what a lost
 * notification costs. */
#define KNOWN_LONG 60.0

#define ROOT_INO 1

static int
known_cmp(const struct known *a, const struct known *b)
{
	return a->ino < b->ino ? -1 : a->ino > b->ino;
}

RB_PROTOTYPE(aliases, known, link, known_cmp)
RB_GENERATE(aliases, known, link, known_cmp)

static struct known *
known_alias(struct session *s, uint64_t ino)
{
	struct known key = { .ino = ino };

	return RB_FIND(aliases, &s->aliases, &key);
}

struct known *
known_find(struct session *s, uint64_t ino, const struct obj *o)
{
	struct known *k;

	if (ino & ALIAS_BIT)
		return known_alias(s, ino);
	for (k = o->known; k != NULL; k = k->next)
		if (k->ino == ino)
			return k;
	return NULL;
}

uint64_t
known_real(struct session *s, uint64_t ino)
{
	const struct known *k;

	if (!(ino & ALIAS_BIT))
		return ino;
	k = known_alias(s, ino);
	return k == NULL ? 0 : k->real;
}

/* The kernel has no more use for k; lock held.  Its object's reference is the
 * caller's. */
static struct obj *
known_end(struct session *s, struct known *k)
{
	struct known **at = &k->o->known;
	struct obj *o = k->o;

	while (*at != k)
		at = &(*at)->next;
	*at = k->next;
	if (k->ino & ALIAS_BIT)
		RB_REMOVE(aliases, &s->aliases, k);
	LIST_REMOVE(k, all);
	free(k);
	return o;
}

bool
node_is_own_dir(const struct node *n)
{
	return n->file == NULL && n->dir->number == 0;
}

/*
 * Whether others than what changes n's object may change what n shows.  Of a
 * file whose size is a bound, tail(1) asks once more when it has it open; see
 * do_getattr().
 */
static bool
is_uncertain(const struct node *n)
{
	return n->file != NULL &&
	       (n->dir->numbered != NULL || n->file->type == FILE_LINK ||
		   n->file->bound != NULL ||
		   (n->file->flags & (FILE_UNLOCKED | FILE_OTHERS)));
}

/* Names that come and go by themselves. */
static bool
is_passing(const struct node *n)
{
	return n->file != NULL &&
	       (n->dir->numbered != NULL || n->file->type == FILE_LINK);
}

uint64_t
known_memory(const struct node *n)
{
	if (n->o->world->keeper == NULL || !node_is_data(n))
		return 0;
	return node_memory(n);
}

/* Lock held; NULL: out of memory. */
static struct known *
known_make(struct session *s, const struct node *n)
{
	struct known *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return NULL;
	k->ino = k->real = node_ino(n);
	k->dir = n->file == NULL;
	k->fixed = n->file != NULL && (n->file->flags & FILE_FIXED);
	k->memory = known_memory(n);
	if (node_writes_wait(n) || k->memory != 0) {
		k->ino = ++s->last_alias | ALIAS_BIT;
		RB_INSERT(aliases, &s->aliases, k);
	}
	k->o = obj_ref(n->o);
	k->next = n->o->known;
	n->o->known = k;
	LIST_INSERT_HEAD(&s->known, k, all);
	return k;
}

/* The attributes of n are about to be told; how long they last.  Lock held. */
static double
known_told(struct known *k, const struct node *n)
{
	const uint32_t second = known_second(n);
	bool told;

	if (k == NULL || is_uncertain(n))
		return 0;
	told = k->told && (!k->dir || k->second == second);
	k->told = known_settled(k->changed);
	k->second = second;
	k->truncated = false;
	if (told)
		k->held = HELD_ALL;
	return told ? KNOWN_LONG : 0;
}

/* at_once: the kernel has no older attributes; or it lists, and would ask for
 * each of many. */
static double
dir_told(const struct node *n, bool at_once)
{
	const uint32_t second = known_second(n);
	struct obj *o = n->o;
	bool told = at_once || (o->seen && o->seen_when == second);

	if (o->gone || o->name_stale ||
	    (!o->seen && !known_settled(o->seen_when)))
		return 0;
	o->seen = true;
	o->seen_when = second;
	return told ? KNOWN_LONG : 0;
}

double
known_attr(struct session *s, uint64_t ino, const struct node *n)
{
	double last;

	world_lock(n->o->world);
	if (node_is_own_dir(n))
		last = dir_told(n, false);
	else
		last = known_told(known_find(s, ino, n->o), n);
	world_unlock(n->o->world);
	return last;
}

/* The inode that n has for the kernel already; NULL: it gets another one.
 * list: it is named in a directory, not looked up.  Lock held. */
static struct known *
known_shared(const struct node *n, bool list)
{
	const uint64_t real = node_ino(n), memory = known_memory(n);
	struct known *k = n->o->known;

	/* Two who have looked it up are to open two. */
	if (node_writes_wait(n) && !list)
		return NULL;
	while (k != NULL && (k->real != real || k->memory != memory))
		k = k->next;
	return k;
}

/*
 * An inode that is new to the kernel cannot be invalidated before the answer to
 * this has reached it, and whoever asks for the same name meanwhile waits for
 * the same answer: its attributes are for this moment.  Of one that nobody else
 * has the next answer lasts.
 */
static void
entry_file(struct session *s, const struct node *n, bool list,
    struct fuse_entry_param *e)
{
	struct known *k = known_shared(n, list);
	const bool alone = k == NULL && node_writes_wait(n);

	if (k == NULL && (k = known_make(s, n)) == NULL)
		return;
	k->lookups++;
	e->ino = k->ino;
	k->told |= alone;
	e->attr_timeout = k->dir ? known_told(k, n) : 0;
}

/* Somebody writes there now: all who come meanwhile look it up for themselves,
 * also those who wait for the same look-up.  Lock held. */
static bool
is_crowded(const struct node *n)
{
	const uint64_t real = node_ino(n);
	const struct known *k = n->o->known;

	while (k != NULL && (k->real != real || k->writing == 0))
		k = k->next;
	return k != NULL;
}

void
known_entry(struct session *s, const struct node *n, bool list,
    struct fuse_entry_param *e)
{
	struct world *w = n->o->world;

	e->ino = node_ino(n);
	world_lock(w);
	if (node_is_own_dir(n)) {
		n->o->name_seen = true;
		n->o->name_stale = false;
		e->attr_timeout = dir_told(n, list || n->o->seen_when == 0);
	} else {
		entry_file(s, n, list, e);
	}
	e->entry_timeout =
	    is_passing(n) || n->o->gone || is_crowded(n) ? 0 : KNOWN_LONG;
	world_unlock(w);
	if (node_writes_wait(n) && !(e->ino & ALIAS_BIT))
		e->ino = 0;
}

void
known_forget(struct session *s, uint64_t ino, uint64_t nlookup)
{
	struct world *w = &s->fs->world;
	struct known *k = NULL;
	struct obj *o = NULL;
	struct node n;

	/* Nothing is kept of an object's own directory. */
	if (ino == ROOT_INO || ino_is_own_dir(ino))
		return;
	world_lock(w);
	if (ino & ALIAS_BIT)
		k = known_alias(s, ino);
	else if (node_by_ino(w, ino, &n) == 0)
		k = known_find(s, ino, n.o);
	if (k != NULL && (k->lookups -= nlookup) == 0)
		o = known_end(s, k);
	world_unlock(w);
	obj_unref(o);
}

static void
known_forget_all(struct session *s)
{
	struct world *w = &s->fs->world;
	struct known *k;
	struct obj *o;

	do {
		world_lock(w);
		k = LIST_FIRST(&s->known);
		o = k == NULL ? NULL : known_end(s, k);
		world_unlock(w);
		obj_unref(o);
	} while (k != NULL);
}

void
known_init(struct session *s)
{
	RB_INIT(&s->aliases);
	LIST_INIT(&s->known);
	viewer_begin(s);
}

void
known_fini(struct session *s)
{
	viewer_end(s);
	known_forget_all(s);
}
