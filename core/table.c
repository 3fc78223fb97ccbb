/* SPDX-License-Identifier: MIT */
/* A hash table that grows slot by slot; see table.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

void
table_init(struct table *t)
{
	*t = (struct table){
		.cap = TABLE_FIRST, .used = TABLE_FIRST, .seed = arc4random()
	};
	t->slots = t->first;
}

void
table_fini(struct table *t)
{
	if (t->slots != t->first)
		free(t->slots);
	t->slots = NULL;
}

/* The highest power of two up to n. */
static size_t
power_below(size_t n)
{
	return (size_t)1 << (63 - __builtin_clzl(n));
}

/*
 * Of the slots from a power of two p on those up to used have been split off
 * the ones p before them.
 */
static struct table_link **
slot_of(const struct table *t, uint32_t hash)
{
	const size_t p = power_below(t->used);
	size_t i = hash & (2 * p - 1);

	return &t->slots[i < t->used ? i : i - p];
}

/* Room for twice as many slots, unless there is no memory. */
static void
table_reserve(struct table *t)
{
	struct table_link **more, **old = t->slots;

	if (old == t->first)
		old = NULL;
	more = reallocarray(old, t->cap * 2, sizeof(*more));
	if (more == NULL)
		return;
	if (old == NULL)
		memcpy(more, t->first, sizeof(t->first));
	t->slots = more;
	t->cap *= 2;
}

/* One slot more, with what belongs into it. */
static void
table_split(struct table *t)
{
	const size_t p = power_below(t->used), fresh = t->used;
	struct table_link **from = &t->slots[fresh - p];
	struct table_link **to = &t->slots[fresh], *l;

	*to = NULL;
	while ((l = *from) != NULL) {
		if ((l->hash & (2 * p - 1)) != fresh) {
			from = &l->next;
			continue;
		}
		*from = l->next;
		l->next = NULL;
		*to = l;
		to = &l->next;
	}
	t->used++;
}

/* Three entries for two slots: slots are memory, too. */
static bool
table_full(const struct table *t)
{
	return t->count >= t->used + t->used / 2;
}

void
table_add(struct table *t, struct table_link *l, uint32_t hash)
{
	struct table_link **slot;

	if (table_full(t) && t->used == t->cap)
		table_reserve(t);
	if (table_full(t) && t->used < t->cap)
		table_split(t);
	slot = slot_of(t, hash);
	*l = (struct table_link){ .next = *slot, .hash = hash };
	*slot = l;
	t->count++;
}

void
table_remove(struct table *t, struct table_link *l)
{
	struct table_link **p = slot_of(t, l->hash);

	while (*p != l)
		p = &(*p)->next;
	*p = l->next;
	t->count--;
}

struct table_link *
table_next(const struct table *t, uint32_t hash, const struct table_link *l)
{
	struct table_link *n = l != NULL ? l->next : *slot_of(t, hash);

	while (n != NULL && n->hash != hash)
		n = n->next;
	return n;
}

/* FNV-1a of 64 bits from the seed on.  Mixed at the end, because its low bits
 * depend on the low bits of the word alone. */
uint32_t
table_hash(const struct table *t, const char *word)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)t->seed << 16;

	for (; *word != '\0'; word++)
		h = (h ^ (unsigned char)*word) * UINT64_C(0x100000001b3);
	h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32);
}
