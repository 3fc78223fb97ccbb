/* SPDX-License-Identifier: MIT */
/*
 * Which live object of a device a number means: keys and queue pair numbers.
 * The time of each function does not depend on how many there are.  Secret:
 * nothing here is ever shown.  Guarded by world.lock.
 */
#ifndef CORE_KEY_H
#define CORE_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "types.h"

enum key_kind { KEY_MW, KEY_MR, KEY_LKEY, KEY_QPN };

/* How a key ended. */
enum key_end {
	KEY_END_INVALIDATED, /* by a command of this host (I2) */
	KEY_END_PEER, /* by a peer's send (I3) */
	KEY_END_REBIND, /* a new bind of the window (W6) */
	KEY_END_REREG,
	KEY_END_DEREG,
	KEY_END_RESET, /* the queue pair that it was bound over was */
	KEY_END_DESTROYED /* the object, or what it was bound to or over */
};
extern const struct name key_end_names[];

/* Part of the object that has the number. */
struct key {
	struct key *next; /* of the same slot */
	uint32_t value;
	uint8_t kind; /* enum key_kind */
	int64_t since; /* ns since the epoch */
};

/* A key is 24 bits of index and 8 bits of tag (M8). */
#define KEY_TAG_BITS 8

/* Whether two keys differ in their tags at most. */
bool key_same_index(uint32_t a, uint32_t b);
/* Spreads numbers, also those in sequence, over 32 bits. */
uint32_t key_hash(uint64_t x);

#define KEYS_FIRST 64

struct keys {
	struct key **slots;
	size_t nslots; /* a power of two */
	size_t count;
	struct key *first[KEYS_FIRST]; /* the slots until there are more */
};

void keys_init(struct keys *ks);
/* Frees the table; nothing is in it. */
void keys_fini(struct keys *ks);
/* Puts k into ks.  Never fails: without memory for a larger table lookups take
 * longer. */
void
keys_add(struct keys *ks, struct key *k, enum key_kind kind, uint32_t value);
/* Takes k, which is in ks, out and wipes it. */
void keys_remove(struct keys *ks, struct key *k);
/* The key of that kind and value; NULL: there is none. */
struct key *
keys_find(const struct keys *ks, enum key_kind kind, uint32_t value);
/* One that has value's index, with whatever tag; not for KEY_QPN. */
struct key *
keys_find_index(const struct keys *ks, enum key_kind kind, uint32_t value);

#endif
