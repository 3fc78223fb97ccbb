/* SPDX-License-Identifier: MIT */
/* What the files of an open file share: fs/handle*.c alone. */
#ifndef FS_HANDLE_IMPL_H
#define FS_HANDLE_IMPL_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "change.h"
#include "fs.h"
#include "handle.h"

/* A text that is said once: the answer to a write, a clone's name. */
struct said {
	char *text; /* malloc'ed; NULL: nothing to say */
	uint64_t at; /* where the descriptor stands to read it */
	bool started;
};

struct handle {
	LIST_ENTRY(handle) link; /* in fs->handles, until it is closed */
	struct fs *fs;
	struct node node;
	struct cred cred;
	struct obj *made; /* through clone; referenced */
	atomic_uint refs; /* the descriptor's and each write's under way */

	pthread_mutex_t lock; /* guards the rest; above world.lock */
	struct text text; /* what is being read, from byte base on */
	struct cursor cursor;
	uint64_t base;
	uint64_t end; /* where the last read of the text ended */
	bool rendered;
	bool more; /* the cursor is not at its end */
	bool continues; /* the last read was of the text, not an answer */
	struct said answer, name;
	bool torn; /* a refused write ended in the middle of a line */
};

struct view handle_view(const struct handle *h);
/* The whole text of a file with get, locking as the row asks for. */
int view_text(const struct view *v, struct text *t);
/*
 * The memory of region n with a descriptor of the caller's own, to close: the
 * memory's may be closed by dereg meanwhile, and this one reads zeros then.
 */
int data_open(const struct node *n, struct mem *mem);
/* Drops one of h->refs. */
void handle_unref(struct handle *h);

#endif
