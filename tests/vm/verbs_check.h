/* SPDX-License-Identifier: MIT */
/* What the files of verbs_check share: the device, and requests on it. */
#ifndef VERBS_CHECK_H
#define VERBS_CHECK_H

#include <semaphore.h>

#include "../unit/tap.h"
#include "backend.h"

#define SIZE  (256 * 1024) /* bytes of each region */
#define PIECE 4096 /* bytes of each window */

struct check {
	struct backend dev;
	struct bk_pd *pd;
	struct mem mem;
	struct bk_mr *good, *bad; /* with and without mw_bind */
	struct mr_keys keys; /* of good */
};

/* A request that somebody waits for. */
struct job {
	struct bk_wr wr; /* first; its req alone of a bind */
	struct err e;
	sem_t over;
	int r;
};

/* A step that the rest depends on. */
void must(int r, const struct err *e, const char *what);

void job_init(struct job *job);
/* r: what posting returned. */
void job_posted(struct job *job, int r);
int job_wait(struct job *job);

int reg(struct check *c, uint64_t iova, uint32_t rights, struct bk_mr **mr,
    struct mr_keys *keys, struct err *e);
/* Can a peer read the first byte of piece i with key? */
bool opens(struct check *c, uint32_t key, unsigned i);

/* verbs_check_mw.c */
void check_type_1(struct check *c);
/* verbs_check_qp.c */
void check_queue_pairs(struct check *c);
/* verbs_check_mw2.c */
void check_type_2(struct check *c);
/* verbs_check_chain.c */
void check_chains(struct check *c);
/* verbs_check_ends.c */
void check_ends(struct check *c);
/* verbs_check_events.c */
void check_events(struct check *c);

#endif
