/* SPDX-License-Identifier: MIT */
/* verbs_check: two queue pairs, each the other's peer. */
#ifndef VERBS_CHECK_PAIR_H
#define VERBS_CHECK_PAIR_H

#include <stdatomic.h>

#include "verbs_check.h"

#define RIGHTS_ALL (RIGHT_REMOTE | RIGHT_MW_BIND)

struct side {
	struct bk_qp *qp;
	struct qp_addr at;
	atomic_int changes; /* heard of */
};

struct pair {
	struct check *c;
	struct side a, b;
};

void side_new(struct check *c, struct side *s, enum qp_type type);
void side_free(struct check *c, struct side *s);
void side_connect(
    struct check *c, struct side *s, const struct side *to, uint32_t rights);
enum qp_state side_state(struct check *c, struct side *s);

/* b has rights, a all. */
void
pair_new(struct check *c, struct pair *p, enum qp_type type, uint32_t rights);
void pair_free(struct pair *p);

/*
 * A transfer with the domain's region at byte off of it, which b's side has at
 * SIZE / 2 and a's below.  buf NULL: a's memory is the region's, too.
 */
void move_init(
    struct check *c, struct job *j, enum wr_op op, void *buf, uint64_t length);
void move_start(struct check *c, struct side *s, struct job *j);
/* How it ended; the reason is in j->e. */
enum wc_status move_end(struct job *j);
enum wc_status move_now(struct check *c, struct side *s, struct job *j);
const char *status_name(enum wc_status status);

#endif
