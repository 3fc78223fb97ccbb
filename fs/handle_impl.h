/* SPDX-License-Identifier: MIT */
/* What the files of an open file share: fs/handle*.c alone. */
#ifndef FS_HANDLE_IMPL_H
#define FS_HANDLE_IMPL_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "change.h"
#include "fs.h"
#include "handle.h"

/* A text that is said once: the answer to a write, a clone's name. */
struct said {
	char *text; /* malloc'ed; NULL: nothing to say */
	uint64_t at; /* where the descriptor stands to read it */
	bool started;
};

struct poller;

struct handle {
	LIST_ENTRY(handle) link; /* in fs->handles, until it is closed */
	struct fs *fs;
	struct node node;
	struct cred cred;
	struct obj *made; /* through clone; referenced */
	bool waits; /* a journal opened read-write */
	struct batch *batch; /* of a batch; else NULL */
	/* Of a region's data: which memory it was opened for, and its bytes
	 * if it reads as zeros when that has ended; 0: somebody else's. */
	uint64_t memory, zeros;
	/* The descriptor's, and one of each write, transfer and waiting read
	 * under way: an interrupted one may end after the last close. */
	atomic_uint refs;

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
	struct place place; /* waits: of what comes after text */
	size_t taken; /* waits: bytes of text that were read */

	/* Guarded by world.lock. */
	uint32_t seen; /* the object's changes when it was last read */
	struct poller *poller; /* who polls it; NULL */
};

struct view handle_view(const struct handle *h);
/* The whole text of a file with get, locking as the row asks for. */
int view_text(const struct view *v, struct text *t);

/* handle_wait.c: handle_read() of a handle that waits. */
int wait_read(struct handle *h, const struct reader *by, size_t size,
    struct text *out, struct reading **reading);

/* handle_poll.c: nobody polls h any longer. */
void poll_end(struct handle *h);

/* handle_data.c: memory as a file, a region's or over RDMA a peer's. */

/* handle_read() and handle_write(); what is PENDING cannot be given up. */
int data_read(struct handle *h, const struct reader *by, uint64_t off,
    size_t size, struct text *out);
ssize_t data_write(struct handle *h, const struct writer *by, const char *buf,
    size_t n, uint64_t off);
/* Whether there is memory: 0 or -ENODATA; lock held. */
int data_check(struct obj *o);
/* h, of data, is being opened.  Lock held. */
void data_opened(struct handle *h);
/* Its bytes, 0: there is none; lock held. */
uint64_t data_length(struct obj *o);

/* Drops one of h->refs. */
void handle_unref(struct handle *h);

#endif
