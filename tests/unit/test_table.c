/* SPDX-License-Identifier: MIT */
/* The hash table: what is in it is found, in short chains, and nothing else. */
#include <stdio.h>

#include "table.h"
#include "tap.h"

#define MANY 10000

static struct item {
	struct table_link link; /* first */
	unsigned n;
} items[MANY];

static struct item *
find(const struct table *t, unsigned n, uint32_t hash)
{
	struct table_link *l = NULL;

	while ((l = table_next(t, hash, l)) != NULL)
		if (((struct item *)(void *)l)->n == n)
			return (struct item *)(void *)l;
	return NULL;
}

static uint32_t
hash_of(const struct table *t, unsigned n)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "w%u", n);
	return table_hash(t, name);
}

/* Those of the first n that are not found, or found though they are out. */
static unsigned
wrong(const struct table *t, unsigned n, unsigned out)
{
	unsigned i, bad = 0;

	for (i = 0; i < n; i++)
		bad +=
		    (find(t, i, hash_of(t, i)) == &items[i]) == (i % 2 < out);
	return bad;
}

static size_t
longest(const struct table *t)
{
	const struct table_link *l;
	size_t i, n, most = 0;

	for (i = 0; i < t->used; i++) {
		for (n = 0, l = t->slots[i]; l != NULL; l = l->next)
			n++;
		if (n > most)
			most = n;
	}
	return most;
}

int
main(void)
{
	struct table t = { 0 };
	unsigned i, bad = 0;

	table_fini(&t);
	table_init(&t);
	ok(table_next(&t, 7, NULL) == NULL, "nothing is in it");
	for (i = 0; i < MANY; i++) {
		items[i].n = i;
		table_add(&t, &items[i].link, hash_of(&t, i));
		if (i < 300)
			bad += wrong(&t, i + 1, 0);
	}
	is_int(bad, 0, "each is found, with each slot more");
	is_int(wrong(&t, MANY, 0), 0, "all of them");
	ok(t.used * 3 >= MANY * 2 - 3 && t.used <= MANY,
	    "slots for two thirds");
	/* Of ten thousand at random 8 or 9 share a slot at the most. */
	ok(longest(&t) < 20, "chains are short: %zu", longest(&t));
	for (i = 0; i < MANY; i += 2)
		table_remove(&t, &items[i].link);
	is_int(wrong(&t, MANY, 1), 0, "half of them, and those alone");
	for (i = 1; i < MANY; i += 2)
		table_remove(&t, &items[i].link);
	is_int(t.count, 0, "none");
	ok(longest(&t) == 0, "and the slots are empty");
	for (i = 0; i < MANY; i++)
		table_add(&t, &items[i].link, 7);
	for (i = 0, bad = 0; i < MANY; i += 999)
		bad += find(&t, i, 7) != &items[i];
	is_int(bad, 0, "of one hash, too");
	table_fini(&t);
	return done_testing();
}
