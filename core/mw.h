/* SPDX-License-Identifier: MIT */
/* Memory windows (rules W1 to W11). */
#ifndef CORE_MW_H
#define CORE_MW_H

#include "key.h"
#include "mr.h"
#include "obj.h"
#include "op.h"

struct bk_mw;
struct qp;

/* Guarded by world.lock; they change only in a command that has its turn. */
struct mw {
	struct obj o;
	struct mr *mr; /* bound to it; NULL: unbound */
	RB_ENTRY(mw) by_mr;
	struct qp *qp; /* bound over it, type 2 */
	LIST_ENTRY(mw) by_qp;
	struct bind_args bound; /* while bound; rights: kept when not */
	struct key rkey; /* while bound; in dev.keys */
	uint16_t used; /* tags of the device's window used up (W9) */
	uint8_t type; /* enum mw_type */
	bool was_bound; /* the type is settled */
	bool by_peer; /* unbound, because a peer has invalidated it (I3) */
	struct bk_mw *b; /* the device's window; NULL before the first bind */
};

/*
 * mw_bind() and mw_invalidate() on several windows without waiting for each
 * other, in order: op->chain, on devices with info.chains.  All that joins goes
 * over one queue pair; once one has failed, others are over with -ECANCELED, and
 * have changed nothing.  So is what does not fit in.
 */
struct mw_chain {
	struct bk_chain bk; /* first */
	struct obj *over; /* a queue pair, in use, or the domain; NULL: empty */
};

/* Sees to it that all in it completes soon; done may be called.  An empty one has
 * nothing to do. */
void mw_chain_flush(struct mw_chain *chain);
/* All are over: it is empty again. */
void mw_chain_end(struct mw_chain *chain);

struct mw *mw_of(struct obj *o); /* o is of KIND_MW */

/* Makes an unbound window in pd.  Returns 0 and *out, referenced. */
int mw_new(struct pd *pd, const char *name, const struct owner *owner,
    struct obj **out, struct err *e);

/*
 * Command functions; the caller holds the turn on op->obj, a window.
 * mw_type(): before the first bind, else -EBUSY.
 * mw_bind(): ibv_bind_mw(3), or over qp (type 2; else NULL) a work request.
 * mr and qp are of the caller's; offset and length in bytes from mr's start.
 * Asynchronous; no key is kept before its completion.  On failure the old
 * binding is at work (W6).
 * mw_rights(): keeps the rights of an unbound window, else a new bind to the
 * same range; of type 2 the key ends first, and a bind that fails leaves it
 * unbound.
 * mw_invalidate(): ends the key; -ENODATA if there is none.
 * mw_unbind(): the same by freeing the device's window, which works whatever
 * state its queue pair is in (W10); 0 if it is not bound.
 * mw_destroy(): the window, bound or not (W10).
 */
int mw_type(struct op *op, enum mw_type type);
int mw_bind(
    struct op *op, struct mr *mr, struct qp *qp, const struct bind_args *args);
int mw_rights(struct op *op, uint32_t rights);
int mw_invalidate(struct op *op);
int mw_unbind(struct op *op);
int mw_destroy(struct op *op);

/* The window of a key that a peer has invalidated: it is unbound.  Lock
 * held. */
void mw_ended_by_peer(struct mw *mw);

/* The address that a peer uses for the window's first byte; lock held, the
 * window is bound. */
uint64_t mw_addr(const struct mw *mw);

/*
 * The region or queue pair o has another name: what its windows show of it has
 * changed.  Lock held.
 */
void mw_renamed_under(struct obj *o);

#endif
