/* SPDX-License-Identifier: MIT */
/*
 * A hash table of what is part of something else.  It grows by one slot at a
 * time, so that no call takes long, however much is in it.  Knows no keys: who
 * looks compares.  Not locked: its owner sees to that.
 */
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define TABLE_FIRST 4

/* Part of each entry. */
struct table_link {
	struct table_link *next; /* of the same slot */
	uint32_t hash;
};

struct table {
	struct table_link **slots; /* room for cap, used of them in use */
	size_t cap, used, count;
	struct table_link *first[TABLE_FIRST]; /* slots until there are more */
	uint32_t seed; /* for hashes of what users choose; random */
};

/* t is not to be moved in memory from now on. */
void table_init(struct table *t);
/* Frees the slots; takes a table of zeros, too. */
void table_fini(struct table *t);
/* Never fails: without memory for more slots lookups take longer. */
void table_add(struct table *t, struct table_link *l, uint32_t hash);
/* l is in t. */
void table_remove(struct table *t, struct table_link *l);
/* Those of that hash: the first for l NULL, else the one behind l; NULL: there
 * are no more. */
struct table_link *
table_next(const struct table *t, uint32_t hash, const struct table_link *l);
/* The hash of a word that a user chose. */
uint32_t table_hash(const struct table *t, const char *word);

#endif
