/* SPDX-License-Identifier: MIT */
/*
 * How bytes move between the regions of soft devices, and who still moves
 * some.  Knows nothing of keys, rights or requests.
 */
#ifndef CORE_SOFTMOVE_H
#define CORE_SOFTMOVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct bk_mr;
struct fabric;

/* What is moved between two looks at the keys, at most: bytes. */
#define MOVE_PIECE (UINT64_C(1) << 20)

/* One end of a transfer: a region and an offset in it, or own memory. */
struct end {
	struct bk_mr *mr; /* NULL: buf */
	uint64_t offset;
	char *buf;
};

/* Somebody who moves one piece; on his stack, listed in the fabric. */
struct mover {
	TAILQ_ENTRY(mover) link;
	uint64_t ticket; /* grows with each */
	const struct bk_mr *to, *from; /* either may be NULL */
};

TAILQ_HEAD(movers, mover);

enum move_result { MOVE_DONE, MOVE_TO_BAD, MOVE_FROM_BAD };

/*
 * Moves n bytes, at most MOVE_PIECE, to and from off bytes into either end,
 * with one copy.  MOVE_TO_BAD, MOVE_FROM_BAD: that end's file has been
 * truncated; some bytes may have moved.  The lock is held, but not while
 * bytes move.
 */
enum move_result move_piece(struct fabric *f, const struct end *to,
    const struct end *from, uint64_t off, size_t n);

/*
 * Waits until all who move bytes of mr now are through; who begins later is
 * not waited for.  NULL: nobody.  The lock is held, but not while it waits.
 */
void movers_wait(struct fabric *f, const struct bk_mr *mr);

#endif
