/* SPDX-License-Identifier: MIT */
/*
 * A request of a soft queue pair while it is done: what softwr.c, which does
 * it, asks of softcheck.c, which says whether it may.
 */
#ifndef CORE_SOFTXFER_H
#define CORE_SOFTXFER_H

#include "softqp.h"

/* A request while it is done.  The lock is held but where bytes move. */
struct xfer {
	struct fabric *f;
	struct bk_qp *qp;
	struct bk_wr *wr;
	struct bk_qp *peer; /* in use; NULL before it was found */
	struct bk_wr *recv; /* taken from the peer; NULL: none, or over */
	struct end here, there;
	uint64_t moved; /* bytes */
	struct after after;
};

bool xfer_is_atomic(const struct xfer *x);

/*
 * Each of these steps returns whether to go on; the others have set the
 * completion, and who is in error.  xfer_check() is all that must be so before
 * the first byte moves and between pieces, and the four are its parts.
 */
bool xfer_check(struct xfer *x);
bool xfer_check_self(struct xfer *x);
bool xfer_check_here(struct xfer *x);
bool xfer_check_peer(struct xfer *x);
bool xfer_check_target(struct xfer *x);
/* The memory of that side is gone; false. */
bool xfer_bad_here(struct xfer *x);
bool xfer_bad_there(struct xfer *x);

/* The peer's receive ends, well or badly. */
void xfer_recv_over(struct xfer *x, const struct bk_wc *wc);
void xfer_recv_bad(
    struct xfer *x, enum wc_status status, const char *rule, const char *why);
/* The message broke off: it has not used up its receive, if it took one. */
void xfer_recv_return(struct xfer *x);

#endif
