/* SPDX-License-Identifier: MIT */
/* The floor: what its files share.  An error ends the program. */
#ifndef BENCH_VERBS_H
#define BENCH_VERBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#define OBJECTS 256 /* of each kind; so many are in a chain */
#define PAGE    4096u
#define BUFFER  (1u << 20) /* bytes of the region that is bound and written */

struct bench {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp; /* connected to itself */
	char *buf;
	struct ibv_mr *mr; /* of buf */
	void *page[OBJECTS];
	struct ibv_mr *small[OBJECTS]; /* of page */
	struct ibv_mw *one[OBJECTS], *two[OBJECTS]; /* of types 1 and 2 */
	uint32_t key[OBJECTS]; /* of two, from its bind on */
	struct ibv_mr *sized; /* what rights are changed of */
	struct ibv_mw *over; /* all of sized */
};

/* Ends the program unless it went well. */
void must(bool well, const char *what);
void bench_open(struct bench *b, const char *device);
/* Waits for one completion, which has to be good. */
void bench_wait(struct bench *b);
/* Memory that has its pages. */
void *memory_new(size_t length);

/*
 * One of the table below.  size: bytes, of those that take some.  Does count
 * (at most OBJECTS) and leaves it to the next to undo them.
 */
struct op {
	const char *name;
	void (*run)(struct bench *b, unsigned count, size_t size);
	/* Not timed; NULL: nothing to do. */
	void (*before)(struct bench *b, size_t size);
	void (*after)(struct bench *b);
};

/* verbs_ops.c.  The last has no name. */
extern const struct op ops[];

#endif
