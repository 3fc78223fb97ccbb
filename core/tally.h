/* SPDX-License-Identifier: MIT */
/*
 * What has been done on a device since it was opened, and what there is of it.
 * Relaxed atomics, added to where it is known, read without a lock.  Numbers
 * only: no key, no name.
 */
#ifndef CORE_TALLY_H
#define CORE_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

#include "backend.h"
#include "key.h"

typedef _Atomic uint64_t count_t;

/* First of the values that the tables of names have, and how many. */
#define TALLY_TYPES    (MW_TYPE_2 + 1) /* by enum mw_type */
#define TALLY_QP_TYPES (QP_UC + 1) /* by enum qp_type */
#define TALLY_OPS      (WR_LOCAL_INV + 1) /* by enum wr_op */
#define TALLY_STATUSES (WC_GENERAL_ERR + 1) /* by enum wc_status */
#define TALLY_ENDS     (KEY_END_DESTROYED + 1) /* by enum key_end */

struct tally {
	/* What there is now: rises and falls. */
	count_t bound; /* windows */
	count_t registered, pinned; /* bytes: of regions, of their pages */

	/* Since the device was opened: only rises. */
	count_t binds[TALLY_TYPES]; /* that succeeded */
	count_t ended[TALLY_ENDS]; /* remote keys, by how */
	/* Requests that completed well, and what they moved. */
	count_t requests[TALLY_QP_TYPES][TALLY_OPS];
	count_t bytes[TALLY_QP_TYPES][TALLY_OPS];
	count_t failed[TALLY_STATUSES]; /* completions that did not, by why */
};

void tally_add(count_t *c, uint64_t n);
void tally_sub(count_t *c, uint64_t n);
/* The same for a count that nobody changes without world.lock; held. */
void tally_add_locked(count_t *c, uint64_t n);
void tally_sub_locked(count_t *c, uint64_t n);
uint64_t tally_get(const count_t *c);
/* A request over a queue pair of that type has completed. */
void tally_completion(
    struct tally *t, enum qp_type type, enum wr_op op, const struct bk_wc *wc);

#endif
