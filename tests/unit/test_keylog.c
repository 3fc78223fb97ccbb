/* SPDX-License-Identifier: MIT */
/* core/keylog: the last dead keys, and no others. */
#include <stdio.h>
#include <string.h>

#include "keylog.h"
#include "tap.h"

static struct keylog kl;

/* Key i dies; its names and numbers are of i. */
static void
die(uint32_t value, uint64_t i)
{
	char pd[] = "lab", name[16], mr[] = "buf", qp[] = "q";
	const struct dead d = { .id = i,
		.value = value,
		.kind = KEY_MW,
		.how = KEY_END_REBIND,
		.pd = pd,
		.name = name,
		.mr = mr,
		.qp = i % 2 ? qp : NULL };

	(void)snprintf(name, sizeof(name), "w%llu", (unsigned long long)i);
	keylog_add(&kl, &d);
	memset(name, 'x', sizeof(name) - 1);
	memset(pd, 'x', sizeof(pd) - 1);
}

/* The dead key of exactly this value, and how many were looked at for it. */
static const struct dead *
find(uint32_t value, unsigned *steps)
{
	const struct dead *d = NULL;

	*steps = 0;
	while ((d = keylog_next(&kl, value, d)) != NULL && d->value != value)
		++*steps;
	return d;
}

static void
test_kept(void)
{
	const struct dead *d;
	unsigned steps;

	keylog_init(&kl);
	ok(keylog_next(&kl, 0x1c2f01, NULL) == NULL, "nothing has died");
	is_int(kl.cap, 0, "and nothing takes memory");
	die(0x1c2f01, 1);
	die(0x1c2f02, 2);
	die(0x77aa01, 3);
	if ((d = find(0x1c2f01, &steps)) == NULL)
		bail_out("the first is lost");
	is_int((long long)d->id, 1, "a dead key is found");
	is_str(d->pd, "lab", "its names are copies: the domain");
	is_str(d->name, "w1", "the window");
	is_str(d->mr, "buf", "the region");
	is_str(d->qp, "q", "the queue pair");
	is_int(d->how, KEY_END_REBIND, "how it ended");
	if ((d = keylog_next(&kl, 0x1c2fee, NULL)) == NULL)
		bail_out("the index is lost");
	is_int((long long)d->id, 2, "by another tag the last of the index");
	is_str(d->qp, NULL, "it has no queue pair");
	d = keylog_next(&kl, 0x1c2fee, d);
	ok(d != NULL && d->id == 1, "then the one before");
	ok(d != NULL && keylog_next(&kl, 0x1c2fee, d) == NULL, "no more");
	ok(keylog_next(&kl, 0x1c3001, NULL) == NULL, "nor another index");
	die(0x1c2f01, 4);
	d = find(0x1c2f01, &steps);
	ok(d != NULL && d->id == 4, "a value that died twice: the last death");
	keylog_fini(&kl);
	ok(kl.cap == 0 && kl.ring == NULL, "nothing is left");
}

/* How many of the deaths from first to last are not found as they were, and the
 * most steps that one took. */
static unsigned
lost(uint32_t first, uint32_t last, uint32_t (*value)(uint32_t),
    unsigned *longest)
{
	unsigned n = 0, steps;
	const struct dead *d;
	uint32_t i;

	*longest = 0;
	for (i = first; i <= last; i++) {
		d = find(value(i), &steps);
		n += d == NULL || d->id != i;
		*longest = steps > *longest ? steps : *longest;
	}
	return n;
}

/* Each has an index of its own, in sequence, as soft-RoCE gives them. */
static uint32_t
own_index(uint32_t i)
{
	return i << KEY_TAG_BITS | (i & 0xff);
}

/* As of a window that is bound again and again. */
static uint32_t
next_tag(uint32_t i)
{
	return 0x123400 + i;
}

static void
test_full(uint32_t (*value)(uint32_t), unsigned most, const char *what)
{
	unsigned longest, bad = 0;
	uint32_t i;

	keylog_init(&kl);
	for (i = 1; i <= KEYLOG_MAX; i++) {
		die(value(i), i);
		/* At each growth all are still there. */
		if ((i & (i - 1)) == 0 && i <= 4096)
			bad += lost(1, i, value, &longest);
		if (i == 4097)
			bad += lost(1, i, value, &longest);
	}
	is_int(bad, 0, "%s: none is lost when it grows", what);
	is_int(KEYLOG_MAX, 65536, "so many are kept");
	is_int(
	    lost(1, KEYLOG_MAX, value, &longest), 0, "%s: all of them", what);
	ok(longest <= most, "%s: not behind many others: %u", what, longest);
	die(value(i), i);
	ok(find(value(1), &longest) == NULL, "%s: the oldest is gone", what);
	is_int(lost(2, i, value, &longest), 0, "%s: and no other", what);
	for (i++; i <= 3 * KEYLOG_MAX; i++)
		die(value(i), i);
	is_int(lost(2 * KEYLOG_MAX + 1, 3 * KEYLOG_MAX, value, &longest), 0,
	    "%s: the last ones, however many died", what);
	ok(longest <= most, "%s: nor then behind many: %u", what, longest);
	ok(find(value(2 * KEYLOG_MAX), &longest) == NULL, "%s: and none before",
	    what);
	is_int(kl.count, KEYLOG_MAX, "%s: bounded", what);
	is_int(kl.cap, KEYLOG_MAX, "%s: as are the slots", what);
	keylog_fini(&kl);
}

/* What the slots have in them, at most: nothing here is searched through. */
static void
test_spread(void)
{
	const struct dead *d;
	size_t slot, n, most = 0;
	uint32_t i;

	keylog_init(&kl);
	for (i = 1; i <= KEYLOG_MAX; i++)
		die(own_index(i), i);
	for (slot = 0; slot < kl.cap; slot++) {
		n = 0;
		LIST_FOREACH (d, &kl.slots[slot], entry)
			n++;
		most = n > most ? n : most;
	}
	ok(most <= 16, "indexes in sequence spread: %zu in a slot", most);
	keylog_fini(&kl);
}

int
main(void)
{
	test_kept();
	test_full(own_index, 0, "an index each");
	test_full(next_tag, 255, "256 tags an index");
	test_spread();
	return done_testing();
}
