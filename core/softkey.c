/* SPDX-License-Identifier: MIT */
/* The indexes and tags of soft devices; see softkey.h. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "softkey.h"

#define TAG_BITS 8

/* Guesses at a free index before it is worth to walk along them. */
#define GUESSES 32

int
softkey_cmp(const struct softkey *a, const struct softkey *b)
{
	return (a->index > b->index) - (a->index < b->index);
}

RB_GENERATE(softkey_tree, softkey, entry, softkey_cmp)

int
softkeys_init(struct softkeys *ks)
{
	*ks = (struct softkeys){ .held = RB_INITIALIZER(&ks->held) };
	arc4random_buf(ks->secret, sizeof(ks->secret));
	ks->used = calloc(SOFTKEY_INDEXES, sizeof(*ks->used));
	return ks->used != NULL ? 0 : -ENOMEM;
}

void
softkeys_fini(struct softkeys *ks)
{
	assert(RB_EMPTY(&ks->held));
	free(ks->used);
	explicit_bzero(ks, sizeof(*ks));
}

/* The finalizer of MurmurHash3: each bit of x moves all others. */
static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
	x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

/*
 * The nth tag of an index: a secret permutation of 0..255 for each index, so
 * that none returns within its 256 (W9) and the one before does not tell the
 * next.  A Feistel network of four rounds on two halves of four bits.
 */
static uint32_t
nth_tag(const struct softkeys *ks, uint32_t index, unsigned n)
{
	unsigned left = n >> 4, right = n & 15, swap, round;
	uint64_t x;

	for (round = 0; round < 4; round++) {
		x = (uint64_t)index << 8 | round << 4 | right;
		x = mix(mix(x ^ ks->secret[0]) ^ ks->secret[1]);
		swap = left ^ (x & 15);
		left = right;
		right = swap;
	}
	return left << 4 | right;
}

/* By the hundred, because each call is one of the kernel. */
static uint32_t
random_index(struct softkeys *ks)
{
	if (ks->dice_left == 0) {
		arc4random_buf(ks->dice, sizeof(ks->dice));
		ks->dice_left = SOFTKEY_DICE;
	}
	return ks->dice[--ks->dice_left] % SOFTKEY_INDEXES;
}

static bool
try_hold(struct softkeys *ks, struct softkey *k, uint32_t index, unsigned tags)
{
	if (index == 0 || ks->used[index] + tags > SOFTKEY_TAGS)
		return false;
	k->index = index;
	if (RB_INSERT(softkey_tree, &ks->held, k) != NULL)
		return false;
	k->used = ks->used[index];
	k->chosen = NULL;
	ks->in_use++;
	return true;
}

static bool
try_forced(struct softkeys *ks, struct softkey *k, unsigned tags)
{
	if (ks->forced_left == 0)
		return false;
	ks->forced_left--;
	return try_hold(ks, k, ks->forced, tags);
}

int
softkey_take(struct softkeys *ks, struct softkey *k, unsigned tags)
{
	uint32_t index = 0, n;

	if (try_forced(ks, k, tags))
		return 0;
	for (n = 0; n < GUESSES; n++) {
		index = random_index(ks);
		if (try_hold(ks, k, index, tags))
			return 0;
	}
	for (n = 0; n < SOFTKEY_INDEXES; n++) {
		index = (index + 1) % SOFTKEY_INDEXES;
		if (try_hold(ks, k, index, tags))
			return 0;
	}
	return -ENOSPC;
}

void
softkey_release(struct softkeys *ks, struct softkey *k)
{
	(void)RB_REMOVE(softkey_tree, &ks->held, k);
	ks->in_use--;
	if (k->chosen != NULL)
		k->used = SOFTKEY_TAGS;
	free(k->chosen);
	k->chosen = NULL;
	ks->used[k->index] = k->used;
	if (k->used == SOFTKEY_TAGS)
		ks->retired++;
}

int
softkey_renew(struct softkeys *ks, struct softkey *k, unsigned tags)
{
	const uint32_t index = k->index;

	if (k->used + tags <= SOFTKEY_TAGS)
		return 0;
	softkey_release(ks, k);
	if (softkey_take(ks, k, tags) == 0)
		return 0;
	(void)try_hold(ks, k, index, 0);
	if (k->used == SOFTKEY_TAGS)
		ks->retired--;
	return -ENOSPC;
}

static bool
had(const struct softkey *k, uint32_t tag)
{
	return k->chosen[tag / 64] >> tag % 64 & 1;
}

static void
set_had(struct softkey *k, uint32_t tag)
{
	k->chosen[tag / 64] |= UINT64_C(1) << tag % 64;
}

/* The tag that the secret order has next, or after those that were chosen. */
static uint32_t
next_tag(const struct softkeys *ks, const struct softkey *k)
{
	unsigned n = 0;

	if (k->chosen == NULL)
		return nth_tag(ks, k->index, k->used);
	while (had(k, nth_tag(ks, k->index, n)))
		n++;
	return nth_tag(ks, k->index, n);
}

uint32_t
softkey_next(struct softkeys *ks, struct softkey *k)
{
	uint32_t tag;

	assert(k->used < SOFTKEY_TAGS);
	tag = next_tag(ks, k);
	if (k->chosen != NULL)
		set_had(k, tag);
	k->used++;
	return k->index << TAG_BITS | tag;
}

/* Begins to keep count of the tags one by one. */
static int
note_tags(struct softkeys *ks, struct softkey *k)
{
	unsigned n;

	if (k->chosen != NULL)
		return 0;
	k->chosen = calloc(SOFTKEY_TAGS / 64, sizeof(*k->chosen));
	if (k->chosen == NULL)
		return -ENOMEM;
	for (n = 0; n < k->used; n++)
		set_had(k, nth_tag(ks, k->index, n));
	return 0;
}

int
softkey_choose(
    struct softkeys *ks, struct softkey *k, uint8_t tag, uint32_t *key)
{
	int r;

	if ((r = note_tags(ks, k)) < 0)
		return r;
	if (had(k, tag))
		return -EINVAL;
	set_had(k, tag);
	k->used++;
	*key = k->index << TAG_BITS | tag;
	return 0;
}

struct softkey *
softkey_find(struct softkeys *ks, uint32_t key)
{
	struct softkey wanted = { .index = key >> TAG_BITS };

	return RB_FIND(softkey_tree, &ks->held, &wanted);
}
