/* SPDX-License-Identifier: MIT */
/*
 * The keys of a device that have died: what each opened and how it ended.
 * Knows no objects.  Secret: only who may know an object's key is told of it.
 * Guarded by world.lock.
 */
#ifndef CORE_KEYLOG_H
#define CORE_KEYLOG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "key.h"

#define KEYLOG_MAX 65536 /* so many are kept, the last ones */

/* A dead key, as it was at its death. */
struct dead {
	LIST_ENTRY(dead) entry; /* of the same slot, the newest first */
	uint64_t id; /* of the object that it was of */
	uint64_t addr; /* of the first byte, as a peer gives it */
	uint64_t length, offset; /* bytes; offset in the region */
	int64_t since, died; /* ns since the epoch */
	uint32_t value;
	uint32_t rights;
	uid_t owner; /* the object's */
	uid_t by; /* who ended it; -1: nobody of this host */
	uint8_t kind; /* enum key_kind: KEY_MW, KEY_MR, KEY_LKEY */
	uint8_t how; /* enum key_end */
	uint8_t type; /* enum mw_type of a window */
	/* Names: of the domain, the object, the region and the queue pair that
	 * a window was bound to and over; NULL: none. */
	const char *pd, *name, *mr, *qp;
};

LIST_HEAD(deads, dead);

struct keylog {
	struct dead **ring; /* cap of them; the next death goes to next */
	struct deads *slots; /* cap of them, by the keys' indexes */
	size_t cap; /* 0, or a power of two up to KEYLOG_MAX */
	size_t next, count;
};

void keylog_init(struct keylog *kl);
/* Wipes and frees all of it. */
void keylog_fini(struct keylog *kl);
/* Keeps a copy of d, names included; the oldest goes when there are too many.
 * Without memory it is lost. */
void keylog_add(struct keylog *kl, const struct dead *d);
/*
 * The dead keys with the index of value, the newest first: the first for d
 * NULL, else the one that died before d; NULL: there are no more.  An index has
 * 256 tags (M8), so there are few, however many keys have died.
 */
const struct dead *
keylog_next(const struct keylog *kl, uint32_t value, const struct dead *d);

#endif
