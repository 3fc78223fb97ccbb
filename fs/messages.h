/* SPDX-License-Identifier: MIT */
/*
 * How many messages of each kind have gone between the kernel and the daemon.
 * What kinds there are is told by who exchanges them.  No lock: relaxed
 * atomics.
 */
#ifndef FS_MESSAGES_H
#define FS_MESSAGES_H

#include "../core/tally.h"

#define MESSAGE_KINDS 64

struct messages {
	const char *const *names; /* of MESSAGE_KINDS; NULL: there is none */
	count_t counts[MESSAGE_KINDS]; /* 0: what has no name of its own */
};

/* One more.  m->names has a first one. */
void messages_count(struct messages *m, uint32_t kind);

#endif
