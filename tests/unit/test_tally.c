/* SPDX-License-Identifier: MIT */
/* core/timing, core/tally: into which bucket a time falls; what is counted. */
#include <string.h>

#include "tally.h"
#include "tap.h"

static void
test_buckets(void)
{
	static const struct {
		int64_t ns;
		unsigned bucket;
		const char *why;
	} cases[] = {
		{ 0, 0, "no time at all" },
		{ 1000, 0, "a bound is in the bucket" },
		{ 1001, 1, "past it" },
		{ 4000, 1, "the next bound" },
		{ 1000000, 5, "a millisecond, below 1.024" },
		{ 1024000, 5, "a bound in the middle" },
		{ 1024001, 6, "past it" },
		{ 16777216000, 12, "the last bound" },
		{ 16777216001, 13, "past all of them" },
		{ INT64_MAX, 13, "for ever" },
	};
	size_t i;
	unsigned k;

	for (i = 0; i < NELEM(cases); i++) {
		struct timing t;

		memset(&t, 0, sizeof(t));
		timing_add(&t, cases[i].ns);
		for (k = 0; k < TIMING_BOUNDS && t.counts[k] == 0; k++)
			;
		is_int(k, cases[i].bucket, "%s", cases[i].why);
		is_int((long long)t.counts[k], 1, "%s: once", cases[i].why);
		is_int(
		    (long long)t.sum, cases[i].ns, "%s: the sum", cases[i].why);
	}
	for (k = 1; k < TIMING_BOUNDS; k++)
		ok(timing_bound(k) == 4 * timing_bound(k - 1), "bound %u", k);
	ok(timing_now() <= timing_now(), "time does not go back");
}

static void
test_completions(void)
{
	struct tally t;
	struct bk_wc wc = { .status = WC_SUCCESS, .bytes = 4096 };

	memset(&t, 0, sizeof(t));
	tally_completion(&t, QP_UC, WR_WRITE, &wc);
	tally_completion(&t, QP_UC, WR_WRITE, &wc);
	is_int((long long)t.requests[QP_UC][WR_WRITE], 2, "two of two");
	is_int((long long)t.bytes[QP_UC][WR_WRITE], 8192, "their bytes");
	is_int((long long)t.requests[QP_RC][WR_WRITE], 0, "none of another");
	wc.status = WC_REM_ACCESS_ERR;
	tally_completion(&t, QP_UC, WR_WRITE, &wc);
	is_int((long long)t.requests[QP_UC][WR_WRITE], 2, "one that failed");
	is_int((long long)t.failed[WC_REM_ACCESS_ERR], 1, "by its status");
	wc.status = (enum wc_status)99;
	tally_completion(&t, QP_UC, WR_WRITE, &wc);
	is_int((long long)t.failed[WC_GENERAL_ERR], 1, "one without a name");
	tally_sub(&t.failed[WC_GENERAL_ERR], 1);
	is_int((long long)tally_get(&t.failed[WC_GENERAL_ERR]), 0, "and back");
}

int
main(void)
{
	test_buckets();
	test_completions();
	return done_testing();
}
