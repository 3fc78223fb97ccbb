/* SPDX-License-Identifier: MIT */
/* What core/mw*.c share: the steps of commands on windows. */
#ifndef CORE_MW_IMPL_H
#define CORE_MW_IMPL_H

#include "mw.h"

/*
 * Each bind and each unbind of a device's window uses up one of the 256 tags
 * of its index; before one returns the window gets another index (W9).
 */
#define TAGS_USABLE 255

struct backend *mw_backend(struct mw *mw);
/* The op of a request. */
struct op *op_of_req(struct bk_req *req);
/* The device's window is to be freed when its key has ended (D8). */
bool mw_is_fresh(struct mw *mw);
/* The region that it is bound to, and its queue pair or NULL; lock held. */
void mw_concerns(struct mw *mw, struct obj *also[2]);
/* The window opens nothing any more, because of how and by whom (-1: a peer)
 * its key has ended; lock held. */
void mw_unlink(struct mw *mw, enum key_end how, uid_t by);

/*
 * Binds to op->u.mw.mr over op->u.mw.qp, both in use since mw_hold().  Returns
 * as a command function does; they are given up by then.
 */
int mw_bind_begin(struct op *op);
/* mr and qp (or NULL) are in use by op; lock held. */
void mw_hold(struct op *op, struct mr *mr, struct qp *qp);
/* They are used no longer; lock not held. */
void mw_let_go(struct op *op);
/*
 * What allocates or frees a device's window: step is run at once where that
 * never sleeps, else fn, which is step and mw_step_over(), by a thread that may.
 */
int mw_step(struct op *op, int (*step)(struct op *), void (*fn)(struct work *));
/*
 * Whether op may run: it is in no chain, or its chain goes over qp, NULL: the
 * queue pair of its domain, from now on if this is the first.  Lock held.
 */
bool mw_chain_join(struct op *op, struct qp *qp);
/* It may not: -ECANCELED with the reason. */
int mw_chain_refuse(struct op *op);
/* op->done, unless r is PENDING. */
void mw_step_over(struct op *op, int r);

#endif
