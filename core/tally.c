/* SPDX-License-Identifier: MIT */
/* What has been done on a device; see tally.h. */
#include "tally.h"

void
tally_add(count_t *c, uint64_t n)
{
	atomic_fetch_add_explicit(c, n, memory_order_relaxed);
}

void
tally_sub(count_t *c, uint64_t n)
{
	atomic_fetch_sub_explicit(c, n, memory_order_relaxed);
}

void
tally_add_locked(count_t *c, uint64_t n)
{
	atomic_store_explicit(c, tally_get(c) + n, memory_order_relaxed);
}

void
tally_sub_locked(count_t *c, uint64_t n)
{
	atomic_store_explicit(c, tally_get(c) - n, memory_order_relaxed);
}

uint64_t
tally_get(const count_t *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

void
tally_completion(
    struct tally *t, enum qp_type type, enum wr_op op, const struct bk_wc *wc)
{
	enum wc_status status = wc->status;

	if (status != WC_SUCCESS) {
		/* One without a name here. */
		if (name_of(wc_status_names, status) == NULL)
			status = WC_GENERAL_ERR;
		tally_add(&t->failed[status], 1);
		return;
	}
	tally_add(&t->requests[type][op], 1);
	tally_add(&t->bytes[type][op], wc->bytes);
}
