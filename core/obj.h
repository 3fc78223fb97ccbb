/* SPDX-License-Identifier: MIT */
/*
 * What all objects have: an id, a name among their siblings, an owner, a last
 * error, and turns for the commands on them.  Knows nothing of what a kind of
 * object is for.
 *
 * Locks, in their order: world.lock, then a device kind's own, then a pool's.
 * world.lock guards every field here that does not say something else.  It is
 * held briefly: never over a backend call, a copy of memory or a file.
 */
#ifndef CORE_OBJ_H
#define CORE_OBJ_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/tree.h>
#include <sys/types.h>

#include "err.h"
#include "mems.h"
#include "pool.h"
#include "table.h"

enum kind {
	KIND_ROOT,
	KIND_DEV,
	KIND_PORT,
	KIND_PD,
	KIND_MR,
	KIND_MW,
	KIND_QP,
	KIND_MEM
};

struct event;
struct op;
struct obj;
struct world;
struct fabric;
struct known;

/* What somebody may wait for on an object. */
#define WAIT_CHANGE (1u << 0) /* what its status says */
#define WAIT_EVENT  (1u << 1) /* an event of it or of what is below it */
#define WAIT_WC     (1u << 2) /* the next completion of a queue pair */

/* Somebody who waits on an object, once. */
struct waiter {
	LIST_ENTRY(waiter) link;
	unsigned what; /* WAIT_* */
	/* Called once with the lock held, when that has come or the object is
	 * gone; it is off the list by then. */
	void (*wake)(struct waiter *w);
};

/*
 * Whoever shows objects to others and has told them to remember what they saw.
 * Both are called with the lock held and must not sleep.
 */
struct viewer {
	/* Something that o's files or directory show may have changed, or is
	 * about to before the lock is let go.  forced: its owner or mode. */
	void (*changed)(void *arg, struct obj *o, bool forced);
	/* o is about to lose its name in its directory. */
	void (*leaves)(void *arg, struct obj *o);
	void *arg;
};

/* Who may do what with a directory. */
struct owner {
	uid_t uid;
	gid_t gid;
	mode_t mode; /* permission bits, S_ISVTX among them */
};

RB_HEAD(obj_children, obj);

/* The children of one kind that an object has: pd/, mr/, mw/. */
struct set {
	enum kind kind; /* of the children */
	struct table names;
	struct obj_children children; /* by id */
	size_t count;
	struct owner owner;
	int64_t changed; /* ns since the epoch: last child made or gone */
	/* Frees what a child of this kind has beside its structure, when
	 * nobody refers to it any more; NULL: nothing.  Lock not held. */
	void (*fini)(struct obj *child);
};

/* The mode of one file, where chmod has changed it. */
struct obj_mode {
	struct obj_mode *next;
	unsigned slot; /* which file: the tree's number for it */
	mode_t mode;
};

struct obj {
	/* Constant, but for changes. */
	uint64_t id; /* never used again */
	struct world *world;
	struct obj *dev; /* the device that it belongs to; NULL for the root */
	struct set *sets; /* its children, nsets kinds of them */
	uint8_t nsets;
	uint8_t kind; /* enum kind */
	bool clone; /* made by opening clone: dies with its holder */
	uint32_t changes; /* how often obj_stir() was called */

	/* Referenced; NULL for the root.  Only a rereg changes it, in its turn. */
	struct obj *parent;
	bool keep; /* no longer dies with its holder */
	bool gone; /* destroyed; not in the tree, no command runs */
	bool dying; /* destroy is at work: takes no children or windows */
	struct owner owner;
	unsigned refs;
	uint32_t events; /* that were about it or below it; for who is told */
	int64_t made, changed; /* ns since the epoch */
	char *name; /* malloc'ed */
	struct table_link by_id, by_name;
	RB_ENTRY(obj) by_child;
	/* The command that has its turn, then those that wait for theirs. */
	STAILQ_HEAD(, op) ops;
	char *error; /* malloc'ed: what the error file says; NULL: ok */
	struct obj_mode *modes;
	LIST_HEAD(, waiter) waiters;
	/* The viewer's own: what is remembered of its files, and of its
	 * directory. */
	struct known *known;
	/* The second that was told as its time; of one that is not seen, the
	 * millisecond of the change since then. */
	uint32_t seen_when;
	bool seen; /* the attributes are remembered */
	bool name_seen; /* the name is */
	bool name_stale; /* and it has lost it since */
};

RB_PROTOTYPE(obj_children, obj, by_child, obj_cmp_id)

/* The root object, and what all objects share. */
struct world {
	pthread_mutex_t lock;
	atomic_uint waiting; /* for the lock */
	struct table ids;
	uint64_t next_id;
	/* How often a name, a place, a mode or an owner has changed: what was
	 * found by a path and allowed is so until then, or until it is gone. */
	uint64_t shuffles;
	struct obj root;
	struct set devs;

	struct pool *pin; /* registrations, which may take seconds each */
	struct pool *slow; /* other calls that may sleep, many at a time */
	struct pool *runner; /* one thread, for what never sleeps: turns */
	struct pool *release; /* one thread that gives memory back */
	struct fabric *fabric; /* of the soft devices */
	struct mems mems; /* what the memory of all regions takes */
	/* NULL: there is none.  Constant while there are regions. */
	const struct keeper *keeper;

	/*
	 * Is told what happens, with the lock held; NULL: nobody listens.
	 * Constant while there are devices.
	 */
	void (*tell)(void *arg, const struct event *ev);
	void *tell_arg;
	const struct viewer *viewer; /* NULL: nobody */
};

/*
 * Makes the root, owned by uid and gid, and the threads.  Returns 0, -ENOMEM
 * or -EAGAIN.  world_fini() is called when no object but the root is left.
 */
int world_init(struct world *w, uid_t uid, gid_t gid, struct err *e);
void world_fini(struct world *w);
void world_lock(struct world *w);
void world_unlock(struct world *w);
/*
 * For who takes the lock again and again: lets those have it who wait for it,
 * which a mutex does not.  Lock not held.
 */
void world_give_way(struct world *w);

/* Now, in ns since the epoch, to some ms. */
int64_t obj_now(void);

/*
 * Fills in o, zeroed memory of the caller's with a kind's structure behind
 * it, as a child of parent.  name is copied.  sets (NULL: none) belong to the
 * same memory and start with owner's owner.  One reference is the caller's.
 * Returns 0, or -ENOMEM and o is as it was.  Lock not held.
 */
int
obj_init(struct obj *o, struct obj *parent, enum kind kind, const char *name,
    const struct owner *owner, struct set *sets, unsigned nsets, struct err *e);
/*
 * Puts o into the tree; the tree takes a reference of its own.
 * name NULL: o gets its id as a decimal name, or a later number where that
 * one is taken.  Returns 0, -EEXIST, -EBUSY (the parent is being destroyed),
 * -ENODEV (it is gone).  Lock held.
 */
int obj_insert(struct obj *o, struct err *e);
/* Takes o out of the tree, as by asked for: it is gone, its waiting commands
 * answer ENODEV.  Lock held. */
void obj_remove(struct obj *o, uid_t by);
/*
 * Moves o, whose command has its turn, to a new parent of the same kind under
 * its own name.  Returns 0, -EEXIST, -EBUSY, -ENODEV as obj_insert(); *old is
 * the parent it had, for the caller to unreference.  Lock held.
 */
int obj_move(struct obj *o, struct obj *parent, uid_t by, struct obj **old,
    struct err *e);
/* A new name among its siblings, as by asks: 0, -EEXIST, -ENOMEM.  Lock held. */
int obj_rename(struct obj *o, const char *name, uid_t by, struct err *e);

/* References: obj_ref() with the lock held, obj_unref() without.  The last
 * one frees the memory.  obj_unref() takes NULL. */
struct obj *obj_ref(struct obj *o);
void obj_unref(struct obj *o);
/* For who holds the lock anyway: drops a reference, and returns NULL; if it is
 * the last one o, which obj_unref() is to get without the lock.  Takes NULL. */
struct obj *obj_drop(struct obj *o);

/*
 * Lookups; lock held; the result is not referenced; NULL: there is none.  An
 * object that is gone is found by its id as long as somebody has it open.
 */
struct obj *obj_by_id(struct world *w, uint64_t id);
/* Puts it where that finds it, or takes it out; lock held. */
void obj_id_add(struct obj *o);
void obj_id_remove(struct obj *o);
struct obj *obj_by_name(struct set *set, const char *name);
/* The same for its name in set. */
void obj_name_add(struct set *set, struct obj *o);
void obj_name_remove(struct set *set, struct obj *o);
struct set *obj_set(struct obj *o, enum kind kind);
/* The set that o stands in. */
struct set *obj_siblings(const struct obj *o);
/* The child with the smallest id over id. */
struct obj *obj_after(struct set *set, uint64_t id);

/*
 * Tells the viewer that o's files or directory may show something else from now
 * on; forced: its owner or mode.  obj_stir() does so by itself.  Lock held.
 */
void obj_restat(struct obj *o, bool forced);
/*
 * obj_stir(): what its status says has changed: who waits for that is woken.
 * obj_touch(): it has changed, and its directory and status get the present as
 * mtime, too.  Lock held.
 */
void obj_stir(struct obj *o);
void obj_touch(struct obj *o);
/*
 * w->wake is called when what w->what says comes, or o goes; o is not gone.
 * obj_unwait(): no longer; w is on the list.  obj_wake(): it has come.  Lock
 * held.
 */
void obj_wait(struct obj *o, struct waiter *w);
void obj_unwait(struct waiter *w);
void obj_wake(struct obj *o, unsigned what);
/*
 * Whether uid may learn what o is called: root, its owner, and who may search
 * all directories on the way to it as their owner or as anybody.  Lock held.
 */
bool obj_is_seen(const struct obj *o, uid_t uid);
/*
 * Adds up to 16 names of those children of set that reader may learn, in the
 * order of their ids, to e's text, each as " prefix/name".  Lock held.
 */
void obj_list_names(
    struct set *set, const char *prefix, uid_t reader, struct err *e);

#endif
