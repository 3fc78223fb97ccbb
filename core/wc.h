/* SPDX-License-Identifier: MIT */
/* What a completion's status means: an errno and a reason. */
#ifndef CORE_WC_H
#define CORE_WC_H

#include "backend.h"

/*
 * Writes why op ended as wc says, which is not WC_SUCCESS: the status, the
 * reason and the rule (wc->why and wc->rule where the device gave them).
 * Returns -errno: EFAULT for loc_prot_err, EACCES for rem_access_err, EREMOTEIO
 * for rem_inv_req_err and rem_op_err, ETIMEDOUT for retry_exc_err and
 * rnr_retry_exc_err, EIO for any other.
 */
int wc_fail(struct err *e, const struct bk_wc *wc, enum wr_op op);

#endif
