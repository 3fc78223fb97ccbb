/* SPDX-License-Identifier: MIT */
/* What core/qp*.c share: the steps of commands on queue pairs. */
#ifndef CORE_QP_IMPL_H
#define CORE_QP_IMPL_H

#include "qp.h"

struct backend *qp_backend(struct qp *qp);
struct qp_args
qp_args_of(struct qp *qp, enum qp_type type, unsigned port, int gid);
/* b, found at *local, is the device's queue pair from now on, in reset; NULL:
 * there is none.  Lock held. */
void qp_set_device(struct qp *qp, struct bk_qp *b, const struct qp_addr *local);
/*
 * Adds to the reason why wr over qp was refused which object refused it, where
 * that is one of this host's and reader's own, or he is root: what it opens,
 * and how far off the request was.  mr (NULL: none) and offset are the local side's.
 * Lock held.
 */
void qp_blame(struct qp *qp, uid_t reader, const struct bk_wr *wr,
    const struct mr *mr, uint64_t offset, struct err *e);

#endif
