/* SPDX-License-Identifier: MIT */
/* Pairs of rounds, their ratios, and the rows of the table. */
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"

#define ROUND_SECONDS 0.004
#define COUNT_MOST    1000000

double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double
work_seconds(const struct work *w, unsigned n)
{
	const double begin = now();

	w->run(w->arg, n);
	return now() - begin;
}

/* An even number: what goes back and forth ends where it began; and so it does
 * for each of a team.  What is slow for the first time is done once more. */
unsigned
work_count(const struct work *w, double seconds)
{
	unsigned n = 2 * TEAM;

	while (n < COUNT_MOST && (work_seconds(w, n) < seconds / 2 ||
				     work_seconds(w, n) < seconds / 2))
		n *= 2;
	return n;
}

void
sample(struct samples *s, double v)
{
	if (s->n < SAMPLES)
		s->v[s->n++] = v;
}

/* Who begins changes, so that no drift favours one. */
void
more_pairs(
    struct samples *s, const struct work *a, const struct work *b, unsigned n)
{
	const unsigned na = work_count(a, ROUND_SECONDS);
	const unsigned nb = work_count(b, ROUND_SECONDS);
	double ta, tb;
	unsigned i;

	for (i = 0; i < n; i++) {
		if (i % 2 == 0) {
			ta = work_seconds(a, na);
			tb = work_seconds(b, nb);
		} else {
			tb = work_seconds(b, nb);
			ta = work_seconds(a, na);
		}
		sample(s, ta / na / (tb / nb));
	}
}

void
pairs(struct samples *s, const struct work *a, const struct work *b, unsigned n)
{
	s->n = 0;
	more_pairs(s, a, b, n);
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static const char *
verdict(double v, enum goal goal, double limit)
{
	if (goal == NO_GOAL)
		return "";
	return (goal == AT_MOST ? v <= limit : v >= limit) ? "ok" : "MISS";
}

static void
print_goal(enum goal goal, double limit)
{
	char buf[32] = "";

	if (goal != NO_GOAL)
		snprintf(buf, sizeof(buf), "%s %g",
		    goal == AT_MOST ? "<=" : ">=", limit);
	printf("  %-9s", buf);
}

static void
print_line(const char *what, double v, const char *spread, enum goal goal,
    double limit)
{
	printf("%-46s  %8.*f  %-20s", what,
	    v >= 100    ? 0
	    : v >= 0.02 ? 2
			: 4,
	    v, spread);
	print_goal(goal, limit);
	printf("  %s\n", verdict(v, goal, limit));
	fflush(stdout);
}

void
row(const char *what, struct samples *s, enum goal goal, double limit)
{
	char spread[64];

	qsort(s->v, s->n, sizeof(s->v[0]), compare);
	snprintf(spread, sizeof(spread), "%.2f-%.2f of %u", s->v[s->n / 4],
	    s->v[s->n - 1 - s->n / 4], s->n);
	print_line(what, s->v[s->n / 2], spread, goal, limit);
}

void
row_one(const char *what, double v, enum goal goal, double limit)
{
	print_line(what, v, "", goal, limit);
}

void
row_none(const char *what, enum goal goal, double limit, const char *fmt, ...)
{
	char why[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	printf("%-46s  %8s  %-20s", what, "-", "");
	print_goal(goal, limit);
	printf("  %s\n", why);
	fflush(stdout);
}
