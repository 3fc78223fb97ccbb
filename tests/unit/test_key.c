/* SPDX-License-Identifier: MIT */
/* core/key: which object a number means. */
#include <string.h>

#include "key.h"
#include "tap.h"

#define MANY 5000

static struct keys ks;
static struct key many[MANY];

/* A key for each i, with an index of its own: some are close together, some far
 * apart. */
static uint32_t
number(unsigned i)
{
	return i % 2 == 0 ? i << 8 : i << 8 | 0xff000001u;
}

static enum key_kind
kind(unsigned i)
{
	return (enum key_kind)(i % 3);
}

static void
test_find(void)
{
	struct key a, b;

	keys_init(&ks);
	ok(keys_find(&ks, KEY_MW, 0) == NULL, "nothing is in an empty table");
	keys_add(&ks, &a, KEY_MW, 0x1c2f01);
	keys_add(&ks, &b, KEY_MW, 0);
	ok(keys_find(&ks, KEY_MW, 0x1c2f01) == &a, "a key is found");
	ok(keys_find(&ks, KEY_MW, 0) == &b, "that of value 0 too");
	ok(keys_find(&ks, KEY_MW, 0x1c2f02) == NULL, "another tag is not");
	ok(keys_find(&ks, KEY_MR, 0x1c2f01) == NULL, "nor another kind");
	keys_remove(&ks, &a);
	ok(keys_find(&ks, KEY_MW, 0x1c2f01) == NULL, "nor one taken out");
	ok(keys_find(&ks, KEY_MW, 0) == &b, "the other stays");
	keys_add(&ks, &a, KEY_MW, 0x1c2f02);
	ok(keys_find(&ks, KEY_MW, 0x1c2f02) == &a,
	    "it may come back as another");
	keys_remove(&ks, &a);
	keys_remove(&ks, &b);
	is_int(ks.count, 0, "nothing is left");
	keys_fini(&ks);
}

static void
test_kinds(void)
{
	struct key window, region, pair;

	keys_init(&ks);
	keys_add(&ks, &window, KEY_MW, 17);
	keys_add(&ks, &region, KEY_MR, 17);
	keys_add(&ks, &pair, KEY_QPN, 17);
	ok(keys_find(&ks, KEY_MW, 17) == &window &&
		keys_find(&ks, KEY_MR, 17) == &region &&
		keys_find(&ks, KEY_QPN, 17) == &pair,
	    "one number means an object of each kind");
	keys_remove(&ks, &region);
	ok(keys_find(&ks, KEY_MR, 17) == NULL, "one kind goes");
	ok(keys_find(&ks, KEY_MW, 17) == &window &&
		keys_find(&ks, KEY_QPN, 17) == &pair,
	    "without the others");
	keys_remove(&ks, &window);
	keys_remove(&ks, &pair);
	keys_fini(&ks);
}

/* M8: an index is held by one object, whatever the tag. */
static void
test_index(void)
{
	struct key window, rkey, lkey, pair;

	keys_init(&ks);
	keys_add(&ks, &window, KEY_MW, 0x1c2f01);
	keys_add(&ks, &rkey, KEY_MR, 0x77aa02);
	keys_add(&ks, &lkey, KEY_LKEY, 0x77aa03);
	keys_add(&ks, &pair, KEY_QPN, 0x1c2f05);
	ok(keys_find_index(&ks, KEY_MW, 0x1c2f01) == &window, "by its tag");
	ok(keys_find_index(&ks, KEY_MW, 0x1c2fff) == &window, "by another");
	ok(keys_find_index(&ks, KEY_MW, 0x1c3001) == NULL,
	    "not by another index");
	ok(keys_find_index(&ks, KEY_MW, 0x77aa02) == NULL, "nor another kind");
	ok(keys_find_index(&ks, KEY_MR, 0x77aa00) == &rkey &&
		keys_find_index(&ks, KEY_LKEY, 0x77aa00) == &lkey,
	    "both keys of a region");
	ok(keys_find(&ks, KEY_QPN, 0x1c2f05) == &pair &&
		keys_find(&ks, KEY_QPN, 0x1c2f06) == NULL,
	    "the number of a queue pair has no tag");
	ok(key_same_index(0xffffff00, 0xffffffff) &&
		!key_same_index(0xff, 0x100),
	    "a tag has 8 bits");
	keys_remove(&ks, &window);
	ok(keys_find_index(&ks, KEY_MW, 0x1c2fff) == NULL,
	    "not when it is out");
	keys_remove(&ks, &rkey);
	keys_remove(&ks, &lkey);
	keys_remove(&ks, &pair);
	keys_fini(&ks);
}

/* How many of many[] from first on, each step, are not found. */
static unsigned
lost(unsigned first, unsigned step)
{
	unsigned i, n = 0;

	for (i = first; i < MANY; i += step)
		n += keys_find(&ks, kind(i), number(i)) != &many[i];
	return n;
}

static size_t
longest(void)
{
	size_t i, n, most = 0;
	const struct key *k;

	for (i = 0; i < ks.nslots; i++) {
		for (n = 0, k = ks.slots[i]; k != NULL; k = k->next)
			n++;
		most = n > most ? n : most;
	}
	return most;
}

static void
test_growth(void)
{
	unsigned i, bad = 0;

	keys_init(&ks);
	for (i = 0; i < MANY; i++) {
		keys_add(&ks, &many[i], kind(i), number(i));
		/* Around the first growth each of them is looked at. */
		if (i >= KEYS_FIRST - 2 && i <= KEYS_FIRST + 2)
			bad += keys_find(&ks, kind(0), number(0)) != &many[0] ||
			       keys_find(&ks, kind(i), number(i)) != &many[i];
	}
	is_int(bad, 0, "none is lost when the first slots are too few");
	is_int(ks.count, MANY, "%d are in", MANY);
	ok(ks.nslots >= MANY && (ks.nslots & (ks.nslots - 1)) == 0,
	    "there are as many slots, a power of two");
	is_int(lost(0, 1), 0, "each is found");
	ok(longest() <= 16, "not behind many others: %zu", longest());

	for (i = 0; i < MANY; i += 2)
		keys_remove(&ks, &many[i]);
	is_int(lost(1, 2), 0, "half of them taken out, the others are found");
	is_int(lost(0, 2), MANY / 2, "and those are not");
	for (i = 1; i < MANY; i += 2)
		keys_remove(&ks, &many[i]);
	is_int(ks.count, 0, "nothing is left");
	keys_fini(&ks);
}

static void
test_wiped(void)
{
	static const struct key none;
	struct key a, b;

	keys_init(&ks);
	memset(&a, 0xff, sizeof(a));
	keys_add(&ks, &a, KEY_MR, 0x1c2f01);
	is_int(a.value, 0x1c2f01, "what was there before matters not");
	keys_add(&ks, &b, KEY_MR, 0x1c2f02);
	keys_remove(&ks, &a);
	ok(a.next == NULL && a.value == none.value && a.kind == none.kind,
	    "a key that was taken out is wiped");
	is_int(b.value, 0x1c2f02, "its neighbour is not");
	keys_remove(&ks, &b);
	keys_fini(&ks);
}

int
main(void)
{
	test_find();
	test_kinds();
	test_index();
	test_growth();
	test_wiped();
	return done_testing();
}
