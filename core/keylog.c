/* SPDX-License-Identifier: MIT */
/* The keys that have died; see keylog.h. */
#include <stdlib.h>
#include <string.h>

#include "keylog.h"

#define FIRST 64 /* slots, when the first key dies */

/* A dead key with its names behind it. */
struct record {
	struct dead d;
	size_t size; /* bytes of all of it, to wipe; perhaps not all in use */
	char names[];
};

void
keylog_init(struct keylog *kl)
{
	*kl = (struct keylog){ .cap = 0 };
}

static struct deads *
slot_of(const struct keylog *kl, uint32_t value)
{
	return &kl->slots[key_hash(value >> KEY_TAG_BITS) & (kl->cap - 1)];
}

static struct record *
record_of(struct dead *d)
{
	return (struct record *)(void *)d;
}

static void
dead_free(struct dead *d)
{
	struct record *rec = record_of(d);

	freezero(rec, rec->size);
}

void
keylog_fini(struct keylog *kl)
{
	size_t i;

	for (i = 0; i < kl->cap; i++)
		if (kl->ring[i] != NULL)
			dead_free(kl->ring[i]);
	free(kl->ring);
	free(kl->slots);
	keylog_init(kl);
}

/* Of a dead key's names: how many bytes each takes, and where it stands. */
#define NAMES 4

static size_t
names_size(const struct dead *d, size_t sizes[NAMES])
{
	const char *const names[NAMES] = { d->pd, d->name, d->mr, d->qp };
	size_t i, sum = 0;

	for (i = 0; i < NAMES; i++) {
		sizes[i] = names[i] != NULL ? strlen(names[i]) + 1 : 0;
		sum += sizes[i];
	}
	return sum;
}

/* Copies name to *at; *at is behind it then. */
static const char *
name_copy(char **at, const char *name, size_t size)
{
	char *copy = *at;

	if (name == NULL)
		return NULL;
	*at += size;
	return memcpy(copy, name, size);
}

/* In place of old (or NULL) if it is large enough; that is freed if not. */
static struct dead *
dead_copy(const struct dead *d, struct dead *old)
{
	size_t sizes[NAMES];
	const size_t size = sizeof(struct record) + names_size(d, sizes);
	struct record *rec = record_of(old);
	char *at;

	if (rec != NULL && rec->size < size) {
		dead_free(old);
		rec = NULL;
	}
	if (rec == NULL) {
		if ((rec = malloc(size)) == NULL)
			return NULL;
		rec->size = size;
	}
	rec->d = *d;
	at = rec->names;
	rec->d.pd = name_copy(&at, d->pd, sizes[0]);
	rec->d.name = name_copy(&at, d->name, sizes[1]);
	rec->d.mr = name_copy(&at, d->mr, sizes[2]);
	rec->d.qp = name_copy(&at, d->qp, sizes[3]);
	return &rec->d;
}

/* Puts d where the next one goes; the place is free. */
static void
keylog_put(struct keylog *kl, struct dead *d)
{
	struct deads *slot = slot_of(kl, d->value);

	LIST_INSERT_HEAD(slot, d, entry);
	kl->ring[kl->next] = d;
	kl->next = (kl->next + 1) & (kl->cap - 1);
	kl->count++;
}

/* Twice the room, the oldest first in it.  Without memory all stays. */
static void
keylog_grow(struct keylog *kl)
{
	const size_t cap = kl->cap != 0 ? kl->cap * 2 : FIRST;
	struct keylog more = {
		.ring = calloc(cap, sizeof(*more.ring)),
		.slots = calloc(cap, sizeof(*more.slots)),
		.cap = cap,
	};
	size_t i;

	if (more.ring == NULL || more.slots == NULL) {
		free(more.ring);
		free(more.slots);
		return;
	}
	for (i = 0; i < kl->count; i++)
		keylog_put(&more, kl->ring[(kl->next + i) & (kl->cap - 1)]);
	free(kl->ring);
	free(kl->slots);
	*kl = more;
}

void
keylog_add(struct keylog *kl, const struct dead *d)
{
	struct dead *copy, *oldest = NULL;

	if (kl->count == kl->cap && kl->cap < KEYLOG_MAX)
		keylog_grow(kl);
	if (kl->cap == 0)
		return;
	if (kl->count == kl->cap) {
		oldest = kl->ring[kl->next];
		LIST_REMOVE(oldest, entry);
		kl->ring[kl->next] = NULL;
		kl->count--;
	}
	if ((copy = dead_copy(d, oldest)) != NULL)
		keylog_put(kl, copy);
}

const struct dead *
keylog_next(const struct keylog *kl, uint32_t value, const struct dead *d)
{
	if (d != NULL)
		d = LIST_NEXT(d, entry);
	else if (kl->cap != 0)
		d = LIST_FIRST(slot_of(kl, value));
	while (d != NULL && !key_same_index(d->value, value))
		d = LIST_NEXT(d, entry);
	return d;
}
