/* SPDX-License-Identifier: MIT */
/* Which live object a number means; see key.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "key.h"
#include "obj.h"

const struct name key_end_names[] = {
	{ "invalidated", KEY_END_INVALIDATED },
	{ "peer", KEY_END_PEER },
	{ "rebind", KEY_END_REBIND },
	{ "rereg", KEY_END_REREG },
	{ "dereg", KEY_END_DEREG },
	{ "reset", KEY_END_RESET },
	{ "destroyed", KEY_END_DESTROYED },
	{ NULL, 0 },
};

void
keys_init(struct keys *ks)
{
	*ks = (struct keys){ .nslots = KEYS_FIRST };
	ks->slots = ks->first;
}

void
keys_fini(struct keys *ks)
{
	assert(ks->count == 0);
	if (ks->slots != ks->first)
		free(ks->slots);
}

bool
key_same_index(uint32_t a, uint32_t b)
{
	return a >> KEY_TAG_BITS == b >> KEY_TAG_BITS;
}

/* Indexes of keys may be sequential, and so are queue pair numbers: a
 * multiplication by the golden ratio spreads both. */
uint32_t
key_hash(uint64_t x)
{
	return (uint32_t)(x * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* All tags of an index in one slot, for keys_find_index(): it is held by one
 * object only (M8). */
static struct key **
keys_slot(const struct keys *ks, enum key_kind kind, uint32_t value)
{
	uint64_t x = (uint64_t)kind << 32 |
		     (kind == KEY_QPN ? value : value >> KEY_TAG_BITS);

	return &ks->slots[key_hash(x) & (ks->nslots - 1)];
}

static void
keys_grow(struct keys *ks)
{
	struct keys old = *ks;
	struct key *k, **slot;
	size_t i;

	ks->slots = calloc(old.nslots * 2, sizeof(*ks->slots));
	if (ks->slots == NULL) {
		ks->slots = old.slots;
		return;
	}
	ks->nslots = old.nslots * 2;
	for (i = 0; i < old.nslots; i++)
		while ((k = old.slots[i]) != NULL) {
			old.slots[i] = k->next;
			slot = keys_slot(ks, k->kind, k->value);
			k->next = *slot;
			*slot = k;
		}
	if (old.slots != ks->first)
		free(old.slots);
}

void
keys_add(struct keys *ks, struct key *k, enum key_kind kind, uint32_t value)
{
	struct key **slot;

	if (ks->count >= ks->nslots)
		keys_grow(ks);
	slot = keys_slot(ks, kind, value);
	*k = (struct key){ .next = *slot,
		.value = value,
		.kind = (uint8_t)kind,
		.since = obj_now() };
	*slot = k;
	ks->count++;
}

void
keys_remove(struct keys *ks, struct key *k)
{
	struct key **p = keys_slot(ks, k->kind, k->value);

	while (*p != k)
		p = &(*p)->next;
	*p = k->next;
	ks->count--;
	explicit_bzero(k, sizeof(*k));
}

struct key *
keys_find(const struct keys *ks, enum key_kind kind, uint32_t value)
{
	struct key *k = *keys_slot(ks, kind, value);

	while (k != NULL && (k->kind != kind || k->value != value))
		k = k->next;
	return k;
}

struct key *
keys_find_index(const struct keys *ks, enum key_kind kind, uint32_t value)
{
	struct key *k = *keys_slot(ks, kind, value);

	while (
	    k != NULL && (k->kind != kind || !key_same_index(k->value, value)))
		k = k->next;
	return k;
}
