/* SPDX-License-Identifier: MIT */
/* What fault.c and faultops.c share; tests use fault.h. */
#ifndef CORE_FAULTOPS_H
#define CORE_FAULTOPS_H

#include "backend.h"

/* Fills the table of a wrapper around inner. */
void fault_wrap(struct backend_ops *out, const struct backend_ops *inner);

/* The table of the device inside b. */
const struct backend_ops *fault_inner(const struct backend *b);

/*
 * What each synchronous call passes before the inner device is asked: counts
 * it, waits if op is held, and returns -errno if it is the one to fail.
 */
int fault_gate(const struct backend *b, const char *op, struct err *e);

/* An asynchronous call. */
struct fault_call {
	const char *op; /* static */
	/* Asks the inner device, with req in place of the caller's. */
	int (*post)(
	    struct backend *in, const struct fault_call *c, struct bk_req *req);
	struct bk_req *req; /* the caller's */
	struct bk_qp *qp; /* NULL: none */
	struct bk_mw *mw; /* a bind or an invalidation */
	struct bk_mr *mr; /* a bind */
	const struct bind_args *a;
	struct bk_wr *wr; /* a transfer, of which req is a part; else NULL */
	bool refused_at_once; /* a posting that fails does, held or not */
};

/* The whole of it.  c may be the caller's local variable. */
int fault_async(struct backend *b, const struct fault_call *c);
/*
 * The inner device has told all that was under way on qp and destroyed it:
 * returns when the owners have been told, too.
 */
void fault_qp_gone(const struct backend *b, const struct bk_qp *qp);

#endif
