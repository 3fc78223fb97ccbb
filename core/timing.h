/* SPDX-License-Identifier: MIT */
/*
 * How long something took, many times: a histogram.  No lock: counts are
 * relaxed atomics, and a reader may see one of two that go together.
 */
#ifndef CORE_TIMING_H
#define CORE_TIMING_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* Upper bounds 1 us, 4 us, 16 us ... 4^12 us (16.8 s), each included. */
#define TIMING_BOUNDS 13

struct timing {
	/* Those over the bound before it; the last one is without a bound. */
	_Atomic uint64_t counts[TIMING_BOUNDS + 1];
	_Atomic uint64_t sum; /* ns */
};

/* What a clock says, ns; timing_now(): CLOCK_MONOTONIC. */
int64_t timing_clock(clockid_t clock);
int64_t timing_now(void);
/* The ith bound from 0, ns. */
uint64_t timing_bound(unsigned i);
/* It took ns once more. */
void timing_add(struct timing *t, int64_t ns);

#endif
