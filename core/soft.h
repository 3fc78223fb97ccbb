/* SPDX-License-Identifier: MIT */
/*
 * Soft devices: an exact model of RDMA memory protection that needs no
 * hardware.  Its operations are soft_ops (backend.h); what is here is for
 * tests that look at the model from inside.
 *
 * Keys: a 24-bit index from getrandom(2), never one in use, and an 8-bit tag.
 * Each new key of an index has another tag than all before (M8); an index
 * whose 256 tags are used up is retired for good.
 */
#ifndef CORE_SOFT_H
#define CORE_SOFT_H

#include <stdint.h>

#include "backend.h"

/* How many indexes have been retired, and how many are in use (tests). */
uint32_t soft_retired(struct backend *b);
uint32_t soft_in_use(struct backend *b);
/*
 * Makes the next n choices of an index take the given values where they are
 * free, so that a test can bring an index back (tests).
 */
void soft_force_index(struct backend *b, uint32_t index, unsigned n);

#endif
