/* SPDX-License-Identifier: MIT */
/*
 * A peer's memory that is mapped as a file, mem/<name> of a queue pair: what is
 * read and written there are RDMA reads and writes over that queue pair.
 */
#ifndef CORE_RMEM_H
#define CORE_RMEM_H

#include "obj.h"
#include "op.h"
#include "qp.h"

enum rmem_state { RMEM_UNMAPPED, RMEM_MAPPED, RMEM_DEAD };

/* Guarded by world.lock. */
struct rmem {
	struct obj o;
	uint8_t state; /* enum rmem_state */
	uint64_t addr, length; /* while not unmapped */
	uint32_t rkey;
	uint64_t epoch; /* counts maps: an older transfer kills none of it */
};

struct rmem *rmem_of(struct obj *o); /* o is of KIND_MEM */

/* Makes an unmapped one of qp.  Returns 0 and *out, referenced. */
int rmem_new(struct qp *qp, const char *name, const struct owner *owner,
    struct obj **out, struct err *e);

/* Command functions; the caller holds the turn on op->obj, a mapping.
 * rmem_map(): length bytes at addr of the peer's, opened by rkey; nothing is
 * sent.  -EINVAL: length 0, or past 2^64. */
int rmem_map(struct op *op, uint64_t addr, uint64_t length, uint32_t rkey);
int rmem_destroy(struct op *op);

/* Its peer is no longer there: it is dead until it is mapped again.  Lock
 * held. */
void rmem_lost(struct rmem *m);

/* One read or write of a mapping's bytes. */
struct rmem_io {
	/* Set by the caller, who keeps it, and buf, until done. */
	struct rmem *m; /* referenced by the caller */
	uid_t reader; /* of err: as op->reader */
	bool write;
	/* A write whose buf is there only until rmem_io() returns: what goes
	 * on then has a copy. */
	bool lent;
	char *buf;
	uint64_t off; /* from the mapping's start */
	size_t length; /* bytes; the mapping's end shortens it */
	/* Called once after PENDING_IO: bytes or -errno.  Any thread. */
	void (*done)(struct rmem_io *io, ssize_t r);

	/* The rest is rmem.c's. */
	struct err err; /* why it failed */
	size_t size; /* bytes in all */
	size_t next; /* of the next piece, its offset */
	unsigned flying; /* pieces under way */
	int result;
	uint64_t epoch;
	pthread_mutex_t lock; /* guards next, flying, result and err */
	struct rmem_piece *pieces;
	char *copy; /* malloc'ed, of a lent buf; or NULL */
};

/*
 * Moves the bytes in pieces that the device can take, several in flight.
 * Returns PENDING_IO, or bytes (0 at the end; for writing -EFBIG), or -errno:
 * -ENODATA (unmapped, dead, or the queue pair is not connected), else what the
 * completion means; a mapping that was refused is dead from then on.
 */
#define PENDING_IO (-4095)
ssize_t rmem_io(struct rmem_io *io);

#endif
