/* SPDX-License-Identifier: MIT */
/*
 * A command under way on one object: it waits for its turn there, runs,
 * perhaps in another thread, and ends.  No thread waits with it.
 *
 *	r = op_begin(op);		its turn comes now (0) or later
 *	if (r == 0)			(PENDING: op->turn is called)
 *		r = mw_bind(..., op);	over now, or later
 *	if (r == PENDING)		(op->done is called)
 *		return;
 *	op_end(op);
 */
#ifndef CORE_OP_H
#define CORE_OP_H

#include <stdbool.h>
#include <sys/queue.h>

#include "backend.h"
#include "err.h"
#include "key.h"
#include "mem.h"
#include "obj.h"
#include "pool.h"

struct mr;
struct mw_chain;
struct pd;
struct qp;

struct op {
	/* Set by op_init(), constant. */
	struct obj *obj; /* referenced until op_end() */
	const char *verb; /* static; shown as busy=VERB */
	/*
	 * The turn has come after op_begin() said PENDING: r is 0, or
	 * -ENODEV (the object went away), or -EINTR (op_cancel()), and then
	 * there is no turn to end.  Called by the world's runner.
	 */
	void (*turn)(struct op *op, int r);
	/* It is over, after a command function said PENDING.  Any thread. */
	void (*done)(struct op *op, int r);

	struct err err; /* why it failed: the op's until it is over */
	/* Who reads that: objects of others are not named to him.  Nobody after
	 * op_init(). */
	uid_t reader;
	/* The viewer's name for where the command has been written, 0: none. */
	uint64_t written;
	/*
	 * Set by the owner after its turn has come.  later: gets, instead of
	 * world.slow, what may sleep, as op->work; NULL: none.  chain: a bind
	 * or an invalidation joins it, or is over with -ECANCELED.
	 */
	void (*later)(struct op *op);
	struct mw_chain *chain;
	/* How the keys end that it ends, of a window. */
	enum key_end ends;

	/* Guarded by the world's lock. */
	STAILQ_ENTRY(op) next; /* in its object's ops */
	bool slow; /* registration: rmdir and mv do not wait for it */
	bool cancelled; /* taken out of the queue */

	/* The command's own, while it runs. */
	struct work work;
	struct bk_req req;
	int result; /* kept over a step that tidies up */
	union {
		struct {
			struct mem mem; /* mapped already, if foreign */
			uint64_t length, page, iova;
			uint32_t rights;
			bool with_iova;
			struct pd *pd; /* moved to; referenced, or NULL */
		} mr;
		struct {
			struct mr *mr; /* referenced */
			struct qp *qp; /* type 2: referenced, or NULL */
			struct bind_args args;
			struct bk_mw *target; /* what the bind is posted to */
			struct qp *over; /* of an invalidation; referenced */
			bool rebind; /* a bind follows the invalidation */
		} mw;
		struct {
			uint64_t after; /* the last window seen to, its id */
		} pd;
		struct {
			struct obj *fresh; /* being made */
			struct obj **out;
		} make; /* of domains and queue pairs */
		struct {
			struct bk_wr wr;
			struct mr *mr; /* referenced */
			uint64_t offset; /* in the region */
		} transfer;
		struct {
			struct qp_args args; /* of the one to be made */
			struct qp_addr remote;
			uint32_t rights;
			void (*end)(struct work *); /* when nothing uses it */
		} qp;
	} u;
	struct op *parent; /* the command that this one is a part of */
};

/* o is referenced.  Lock not held. */
void op_init(struct op *op, struct obj *o, const char *verb,
    void (*turn)(struct op *, int), void (*done)(struct op *, int));
/* Both in one hold of the lock, patient, for whom it is. */
struct op_for {
	uid_t reader;
	uint64_t written;
};
int op_start(struct op *op, struct obj *o, const char *verb, struct op_for by,
    void (*turn)(struct op *, int), void (*done)(struct op *, int));
/*
 * Takes the turn on op->obj or waits for it.  patient: waits for a
 * registration too, else -EBUSY at once.  Returns 0, PENDING, -ENODEV or
 * -EBUSY; on failure the reference is dropped, as op_end() would.
 */
int op_begin(struct op *op, bool patient);
/* Ends the turn, drops the reference; who waits next gets it. */
void op_end(struct op *op);
/* The same with the lock held.  Returns what obj_unref() is to get without it,
 * or NULL. */
struct obj *op_end_locked(struct op *op);
/*
 * op_init() and op_begin() in one, for who holds the lock and does not want to
 * wait: 0, or PENDING: somebody else has the turn, and nothing has been done;
 * o is not gone.
 */
int op_enter(struct op *op, struct obj *o, const char *verb,
    void (*turn)(struct op *, int), void (*done)(struct op *, int));
/*
 * Gives up waiting: op->turn is called with -EINTR soon.  Does nothing (and
 * returns false) if it does not wait.
 */
bool op_cancel(struct op *op);
/* The op whose work w is. */
struct op *op_of_work(struct work *w);
/* The verb that has its turn on o, NULL: none.  Lock held. */
const char *obj_busy(const struct obj *o);

/*
 * Goes through what must go before op->obj can: next (lock held) names an
 * object, act is run on it in its turn, until there is none; then then(op).
 * Returns as a command function does.  An object that is gone by its turn is
 * passed over; any other failure ends it.
 */
int sweep(struct op *op, struct obj *(*next)(struct op *op),
    int (*act)(struct op *child), int (*then)(struct op *op));

#endif
