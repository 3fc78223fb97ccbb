/* SPDX-License-Identifier: MIT */
/*
 * Keys of soft devices (M8, M9): who holds which index, and which tags an
 * index has had.  Knows nothing of what a key opens.  Not locked: the device
 * that owns the keys sees to that.
 */
#ifndef CORE_SOFTKEY_H
#define CORE_SOFTKEY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/tree.h>

#define SOFTKEY_INDEXES (1u << 24)
#define SOFTKEY_TAGS    256u
#define SOFTKEY_DICE    128u

/* Part of each object that has a key: its hold on an index. */
struct softkey {
	RB_ENTRY(softkey) entry;
	uint32_t index; /* 24 bits; 0 is nobody's */
	uint16_t used; /* tags of the index, up to now */
	bool window; /* for who looks it up */
	/* A bit for each tag that the index has had, once one was chosen;
	 * NULL: the first used ones in the secret order. */
	uint64_t *chosen;
};

RB_HEAD(softkey_tree, softkey);

int softkey_cmp(const struct softkey *a, const struct softkey *b);
RB_PROTOTYPE(softkey_tree, softkey, entry, softkey_cmp)

struct softkeys {
	struct softkey_tree held;
	uint32_t in_use; /* indexes that are held */
	uint32_t retired; /* indexes whose tags are used up and nobody holds */
	/*
	 * Tags used up to the last release, by index.  Pages of it that are
	 * only read take no memory.
	 */
	uint16_t *used;
	/* Random numbers, and how many of them are left. */
	uint32_t dice[SOFTKEY_DICE];
	unsigned dice_left;
	uint64_t secret[2];
	uint32_t forced; /* see soft_force_index() */
	unsigned forced_left;
};

/* Returns 0 or -ENOMEM. */
int softkeys_init(struct softkeys *ks);
void softkeys_fini(struct softkeys *ks);

/*
 * Gives k an index that nobody holds, nobody can guess, and that has at least
 * tags tags left.  Returns 0 or -ENOSPC.
 */
int softkey_take(struct softkeys *ks, struct softkey *k, unsigned tags);
/*
 * The end of all keys of k: its index may become somebody else's.  One whose
 * tags have been chosen is retired, because which it has had is forgotten.
 */
void softkey_release(struct softkeys *ks, struct softkey *k);
/*
 * As softkey_take(), for a k that holds an index: keeps it if it has tags
 * tags left, else takes another.  On -ENOSPC k holds what it held.
 */
int softkey_renew(struct softkeys *ks, struct softkey *k, unsigned tags);

/* A key that never was before; one of the tags that were asked for. */
uint32_t softkey_next(struct softkeys *ks, struct softkey *k);

/*
 * As softkey_next(), with a tag of the caller's choice.  Returns 0 and *key,
 * -EINVAL if the index has had that tag, or -ENOMEM.
 */
int softkey_choose(
    struct softkeys *ks, struct softkey *k, uint8_t tag, uint32_t *key);

/* Who holds the index of key; NULL: nobody. */
struct softkey *softkey_find(struct softkeys *ks, uint32_t key);

#endif
