/* SPDX-License-Identifier: MIT */
/*
 * Opening, writing and closing inodes: which inode, so that nobody has to wait
 * for a lock of it, and which file behind it; and who has come by a name that is
 * no more.
 *
 * A slow write holds its inode's lock, and whoever truncates, appends or writes
 * at the end there waits for that lock and cannot be killed: `echo > ctl`
 * truncates.  So files whose writes may wait have an inode of their own for
 * each lookup, and opening one for writing that somebody else has open so is
 * answered ESTALE: the kernel looks it up once more and comes with another
 * inode.  That must not happen twice in one open(2), where it can come with no
 * other (/dev/fd/3).
 */
#include <sched.h>
#include <time.h>

#include "fuse_impl.h"

#define YIELDS 50 /* see await_release() */
#define MOMENT INT64_C(50000000) /* ns, see tries_again() */

static struct refused *
refused_slot(struct session *s, pid_t pid)
{
	return &s->refused[(unsigned)pid % REFUSED_MAX];
}

/*
 * Whether pid was refused ino (0: to open something) a moment ago: the kernel's
 * second try asks several times.  If not, it is now.  Lock held.
 */
static bool
tries_again(struct session *s, pid_t pid, uint64_t ino)
{
	struct refused *r = refused_slot(s, pid);
	const int64_t now = obj_now();

	if (r->pid == pid + 1 && r->ino == ino && now - r->when < MOMENT)
		return true;
	*r = (struct refused){ pid + 1, ino, now };
	return false;
}

/* Who is refused twice has come by no name: from its working directory. */
bool
known_is_stale(struct session *s, uint64_t ino, const struct node *n, pid_t pid)
{
	struct world *w = &s->fs->world;
	bool stale;

	if (n != NULL ? !node_is_own_dir(n) : !ino_is_own_dir(ino))
		return false;
	world_lock(w);
	stale = (n == NULL || n->o->gone || n->o->name_stale) &&
		!tries_again(s, pid, ino);
	world_unlock(w);
	return stale;
}

void
known_write(struct session *s, uint64_t ino, const struct node *n)
{
	struct known *k;

	world_lock(n->o->world);
	obj_ref(n->o);
	if ((k = known_find(s, ino, n->o)) != NULL)
		k->writing++;
	world_unlock(n->o->world);
}

void
known_written(struct session *s, uint64_t ino, const struct node *n, bool done)
{
	struct known *k;

	world_lock(n->o->world);
	if ((k = known_find(s, ino, n->o)) != NULL) {
		k->answering++;
		known_untold(k);
		/* Of a refused write the kernel thinks that it did nothing. */
		if (!done && k->held == HELD_ALL) {
			k->held = HELD_NOTHING;
			known_notify(s, ino);
		} else if (k->held == HELD_ALL) {
			k->held = HELD_MODE;
		}
	}
	world_unlock(n->o->world);
}

void
known_answered(struct session *s, uint64_t ino, const struct node *n)
{
	struct known *k;

	world_lock(n->o->world);
	/* The kernel may have forgotten it meanwhile, and looked it up again. */
	k = known_find(s, ino, n->o);
	if (k != NULL && k->answering > 0) {
		k->writing--;
		k->answering--;
	}
	world_unlock(n->o->world);
	obj_unref(n->o);
}

/*
 * A release comes before the next open, and is counted as soon as it is read
 * (fuse_io.c); but another thread reads it.
 */
static void
await_release(struct session *s, uint64_t ino)
{
	const struct timespec wait = { .tv_nsec = 100000 };
	const struct known *k;
	bool open = true;
	int i;

	for (i = 0; open && i < YIELDS; i++) {
		world_lock(&s->fs->world);
		k = known_find(s, ino, NULL);
		open = k != NULL && k->writers > 0;
		world_unlock(&s->fs->world);
		if (open && i < YIELDS / 2)
			sched_yield();
		else if (open)
			nanosleep(&wait, NULL);
	}
}

static bool
is_writing(int flags)
{
	return (flags & O_ACCMODE) != O_RDONLY;
}

/* Lock held: whether another inode would do better. */
static bool
open_clashes(const struct known *k, int flags)
{
	/* sendfile(2) believes the size that the kernel knows, which is 0. */
	if (k->truncated && !(flags & O_TRUNC) &&
	    (flags & O_ACCMODE) != O_WRONLY)
		return true;
	return is_writing(flags) && k->writers > 0;
}

/* Lock held. */
static int
open_writable(struct session *s, struct known *k, pid_t pid, int flags)
{
	if (open_clashes(k, flags) && !tries_again(s, pid, 0))
		return -ESTALE;
	/* The next one is another open(2). */
	if (refused_slot(s, pid)->pid == pid + 1)
		refused_slot(s, pid)->pid = 0;
	if (is_writing(flags)) {
		k->writers++;
		if (flags & O_TRUNC) {
			k->truncated = true;
			known_untold(k);
		}
	}
	return 0;
}

/*
 * Data of a region that the kernel has open already, or has not to; else
 * PENDING.  Who comes with the inode of an older memory again gets that one
 * while it is open (/dev/fd/3); else, overtaken by the region's registrations,
 * what is there now, by the daemon.  Lock held.
 */
static int
open_data(struct session *s, struct known *k, const struct node *n, pid_t pid,
    int flags)
{
	const struct mem *mem = &mr_of(n->o)->mem;
	const bool old = k->memory != known_memory(n);

	/* The second try of another file's open is not this one's. */
	if (old && !tries_again(s, pid, k->ino))
		return -ESTALE;
	if (flags & O_TRUNC)
		known_untold(k);
	if (k->memory == 0)
		return 0;
	if (k->opens == 0 && !old && mem->kept == 0)
		return PENDING;
	if (k->opens == 0) {
		k->backing = old ? 0 : mem->kept;
		k->lent = true;
	}
	k->opens++;
	return k->backing;
}

/* The first one to open it. */
static int
open_backing(struct session *s, uint64_t ino, const struct node *n)
{
	struct known *k;
	uint64_t memory;
	int id, spare = 0;

	world_lock(n->o->world);
	k = known_find(s, ino, n->o);
	memory = k != NULL ? k->memory : 0;
	world_unlock(n->o->world);
	if ((id = backing_id(s, n, memory)) < 0)
		return id;
	world_lock(n->o->world);
	k = known_find(s, ino, n->o);
	if (k == NULL || k->opens > 0) {
		spare = id;
	} else {
		k->backing = id;
		k->lent = false;
	}
	if (k != NULL) {
		k->opens++;
		id = k->backing;
	}
	world_unlock(n->o->world);
	backing_drop(s, spare);
	return k != NULL ? id : -ESTALE;
}

int
known_open(
    struct session *s, uint64_t ino, const struct node *n, pid_t pid, int flags)
{
	const bool data = node_is_data(n);
	struct known *k;
	int r = 0;

	if (!data && !(ino & ALIAS_BIT))
		return 0;
	if (!data && is_writing(flags))
		await_release(s, ino);
	world_lock(n->o->world);
	if ((k = known_find(s, ino, n->o)) != NULL)
		r = data ? open_data(s, k, n, pid, flags)
			 : open_writable(s, k, pid, flags);
	world_unlock(n->o->world);
	return r == PENDING ? open_backing(s, ino, n) : r;
}

void
known_release(struct session *s, uint64_t ino, int flags)
{
	struct known *k;
	int spare = 0;

	if (!(ino & ALIAS_BIT))
		return;
	world_lock(&s->fs->world);
	if ((k = known_find(s, ino, NULL)) != NULL) {
		if (k->writers > 0 && is_writing(flags))
			k->writers--;
		if (k->memory != 0 && --k->opens == 0) {
			spare = k->lent ? 0 : k->backing;
			k->backing = 0;
		}
	}
	world_unlock(&s->fs->world);
	backing_drop(s, spare);
}
