/* SPDX-License-Identifier: MIT */
/* Histograms of how long something took; see timing.h. */
#include "timing.h"

int64_t
timing_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

int64_t
timing_now(void)
{
	return timing_clock(CLOCK_MONOTONIC);
}

uint64_t
timing_bound(unsigned i)
{
	return UINT64_C(1000) << (2 * i);
}

void
timing_add(struct timing *t, int64_t ns)
{
	unsigned i = 0;

	while (i < TIMING_BOUNDS && (uint64_t)ns > timing_bound(i))
		i++;
	atomic_fetch_add_explicit(&t->counts[i], 1, memory_order_relaxed);
	if (ns != 0)
		atomic_fetch_add_explicit(
		    &t->sum, (uint64_t)ns, memory_order_relaxed);
}
