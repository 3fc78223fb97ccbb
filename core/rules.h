/* SPDX-License-Identifier: MIT */
/*
 * The rules of RDMA memory (rdmafs(5), RULES), checked here before
 * any device is asked, whatever the device.  Pure functions over objects; a
 * refusal's text ends in the rule's number.
 */
#ifndef CORE_RULES_H
#define CORE_RULES_H

#include "backend.h"
#include "mr.h"
#include "mw.h"
#include "qp.h"

/* M2 to M4: rights on a region of a device with info. */
int
rule_region_rights(const struct dev_info *info, uint32_t rights, struct err *e);
/* M5: addr + length and iova + length stay below 2^64; low bits agree. */
int
rule_region_range(uint64_t addr, uint64_t length, uint64_t iova, struct err *e);
/* M6: what rights ask of memory that is not writable. */
int rule_memory(uint32_t rights, bool writable, struct err *e);
/* M10: no windows, which are named to reader as far as he may see them; lock
 * held. */
int rule_no_windows(struct mr *mr, uid_t reader, struct err *e);
/* P2: nothing in it, as above; lock held. */
int rule_domain_empty(struct pd *pd, uid_t reader, struct err *e);
/* W3, the window's own part: what may stand on a window of this type. */
int rule_window_rights(unsigned type, uint32_t rights, struct err *e);
/* W1: the device has windows of this type. */
int rule_window_type(const struct dev_info *info, unsigned type, struct err *e);
/* W1 to W5, W7, W8, W11: this bind, over qp or NULL; lock held. */
int rule_bind(const struct mw *mw, const struct mr *mr, const struct qp *qp,
    const struct bind_args *args, struct err *e);
/* W8: a type 2 window is not bound now; lock held. */
int rule_bound_once(const struct mw *mw, struct err *e);
/* A uc queue pair has neither reads nor atomics; lock held. */
int rule_operation(const struct qp *qp, enum wr_op op, struct err *e);
/* It is not connected, so that it can be; lock not held, in its turn. */
int rule_unconnected(const struct qp *qp, struct err *e);
/*
 * A3, A4 as far as nothing is posted: a request of so many bytes at addr over
 * qp, from or to the range of mr; lock held.
 */
int
rule_transfer(const struct qp *qp, const struct qp_transfer *t, struct err *e);
/* Something can be posted: connected, and nothing is ending it; lock held. */
int rule_connected(const struct qp *qp, struct err *e);
/* Where a peer is found: by a GID that is not zero, or a LID. */
int rule_peer(const struct qp_addr *remote, struct err *e);
/* What may stand on a queue pair. */
int rule_qp_rights(uint32_t rights, struct err *e);

#endif
