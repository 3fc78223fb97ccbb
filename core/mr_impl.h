/* SPDX-License-Identifier: MIT */
/* What core/mr*.c share: the steps of commands on regions. */
#ifndef CORE_MR_IMPL_H
#define CORE_MR_IMPL_H

#include "mr.h"

/* Rights that have a name; an optional bit without one is ignored (M3). */
#define RIGHT_KEPT (0x3ffu | RIGHT_RELAXED_ORDERING)

struct backend *mr_backend(struct mr *mr);
/* Submits what may sleep; the region's state is changing until it is done. */
int mr_change(struct op *op, void (*work)(struct work *));
/* The region is active with these keys: they are its, and found by.  how and by
 * whom those ended that it had; lock held. */
void mr_set_keys(
    struct mr *mr, const struct mr_keys *keys, enum key_end how, uid_t by);
/* What a region is after its keys have ended; lock held.  The memory is the
 * caller's from then on. */
struct mem mr_ended(struct mr *mr, enum key_end how, uid_t by);
/* Gives memory back in a thread of its own, after the answer. */
void mem_release(struct world *w, struct mem *mem);

#endif
