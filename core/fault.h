/* SPDX-License-Identifier: MIT */
/*
 * A device kind that wraps another and fails or holds chosen calls, for
 * tests.  Transparent until told otherwise.
 */
#ifndef CORE_FAULT_H
#define CORE_FAULT_H

#include <stdbool.h>

#include "backend.h"

struct fault;

/*
 * A wrapper around inner.  fault_ops() is the table to open devices with; it
 * is part of the fault and lives as long.  fault_free() comes after they are
 * closed.  NULL: out of memory.
 */
struct fault *fault_new(const struct backend_ops *inner);
void fault_free(struct fault *f);
const struct backend_ops *fault_ops(struct fault *f);

/*
 * Calls are counted from 1, all operations together or only op ("mr_reg",
 * NULL: all).  The nth from now on fails with code, before the inner device
 * is asked, once.  n = 0: none.  Where the operation is asynchronous (mw_bind,
 * mw_invalidate, qp_post, qp_recv) and async is true, it fails by its
 * completion: over a queue pair with WC_GENERAL_ERR, which does not put the
 * queue pair into error; an invalidation as if it had not been posted.
 */
void
fault_fail(struct fault *f, const char *op, unsigned n, int code, bool async);
/* Calls counted since the last fault_fail(), and whether it has struck. */
unsigned fault_calls(struct fault *f);
bool fault_struck(struct fault *f);

/*
 * Calls of op wait before the inner device is asked, until released.
 * Asynchronous ones are posted at once and their completion is held back, and
 * so is the result of a posting that does not go on; but what qp_recv answers
 * is never held.  Those that are held over a queue pair are told before its
 * qp_destroy returns.  fault_held() is how many wait now.
 */
void fault_hold(struct fault *f, const char *op);
void fault_release(struct fault *f);
unsigned fault_held(struct fault *f);

#endif
