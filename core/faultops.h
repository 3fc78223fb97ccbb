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

/*
 * The whole of an asynchronous call: mw_bind, or with mr NULL mw_invalidate.
 * op is static.
 */
int fault_async(struct backend *b, const char *op, struct bk_mw *mw,
    struct bk_mr *mr, struct bk_qp *qp, const struct bind_args *a,
    struct bk_req *req);

#endif
