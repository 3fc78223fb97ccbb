/* SPDX-License-Identifier: MIT */
/* Protection domains (rules P1, P2). */
#ifndef CORE_PD_H
#define CORE_PD_H

#include "obj.h"
#include "op.h"

struct bk_pd;

struct pd {
	struct obj o;
	struct set sets[3]; /* KIND_MR, KIND_MW, KIND_QP */
	struct bk_pd *b; /* constant while the object lives */
	unsigned uses; /* objects on their way into it; world.lock */
	struct op *drain; /* waits until uses is 0; world.lock */
};

struct pd *pd_of(struct obj *o); /* o is of KIND_PD */
/* The domain that a region, a window or a queue pair is in. */
struct pd *pd_above(const struct obj *o);

/*
 * Allocates a domain (ibv_alloc_pd(3)).  dev and name (NULL: a decimal, for
 * clone) as in obj_init().  op has been given to op_init() with the device as
 * its object, but not to op_begin(): making one takes no turn.
 * Returns PENDING; op->done is called with 0 and *out, which holds a
 * reference of the caller's, or -errno: -EEXIST, -ENOMEM, the device's own.
 * out must live until then.
 */
int pd_new(struct op *op, const char *name, const struct owner *owner,
    struct obj **out);

/*
 * Command functions; the caller holds the turn on op->obj.
 * pd_destroy(): all: with all that is in it, in the order windows, queue
 * pairs, regions; else -EBUSY while anything is in it (P2).  Afterwards the object is gone.
 */
int pd_destroy(struct op *op, bool all);
/* Ends the key of every window of the domain; the windows stay. */
int pd_invalidate(struct op *op);

/*
 * An object on its way into the domain, which stays until it has come: 0, or
 * -ENODEV, -EBUSY when it is being destroyed.  Lock held.
 */
int pd_use_begins(struct pd *pd, struct err *e);
void pd_use_ends(struct pd *pd);

#endif
