/* SPDX-License-Identifier: MIT */
/*
 * What each user has of a device, and how much he may have.  Knows nothing of
 * objects: who makes one charges its owner before the device is asked, and gives
 * the charge back when it is gone or did not come to be.  The time of each
 * function grows with the logarithm of the number of users.  Guarded by
 * world.lock.
 */
#ifndef CORE_LIMIT_H
#define CORE_LIMIT_H

#include <stdint.h>
#include <sys/tree.h>
#include <sys/types.h>

#include "err.h"
#include "types.h"

/* Objects, but LIMIT_BYTES: what is registered, the regions' lengths. */
enum limit { LIMIT_MR, LIMIT_MW, LIMIT_QP, LIMIT_PD, LIMIT_BYTES, LIMITS };
extern const struct name limit_names[]; /* as the files spell them */

#define LIMIT_MAX UINT64_MAX /* there is no limit */

/* There while it has something or something is set. */
struct limit_user {
	RB_ENTRY(limit_user) link;
	uid_t uid;
	uint64_t use[LIMITS];
	uint64_t most[LIMITS]; /* of those that are set */
	unsigned set; /* bits, by enum limit */
};

RB_HEAD(limit_users, limit_user);

struct limits {
	struct limit_users users; /* by uid */
	uint64_t most[LIMITS]; /* of users who have none of their own */
};

/* A line of the limits file: what is to be set. */
struct limit_change {
	unsigned set; /* bits: most is the new limit */
	unsigned unset; /* bits: the default holds again */
	uint64_t most[LIMITS];
};

void limits_init(struct limits *l); /* without any limit */
/* Nothing is charged any more. */
void limits_fini(struct limits *l);

/*
 * Charges uid with n of what.  Returns 0, -EDQUOT with who, what, use and limit,
 * -ENOMEM; on failure nothing is charged.  where: the device's name.
 */
int limits_charge(struct limits *l, uid_t uid, enum limit what, uint64_t n,
    const char *where, struct err *e);
/* Takes back n of what was charged. */
void limits_release(struct limits *l, uid_t uid, enum limit what, uint64_t n);
/*
 * Moves n of what, which is charged to one, to another, whatever his limit is,
 * and whatever else bytes says.  Returns 0 or -ENOMEM and nothing has moved.
 */
int limits_move(struct limits *l, uid_t from, uid_t to, enum limit what,
    uint64_t n, uint64_t bytes, struct err *e);

/* The default, or the limits of one user, become what c says; use may be over
 * them then, and only what is new is refused.  0 or -ENOMEM. */
void limits_set_default(struct limits *l, const struct limit_change *c);
int limits_set(
    struct limits *l, uid_t uid, const struct limit_change *c, struct err *e);

/* The first user whose uid is at least uid; NULL: there is none. */
struct limit_user *limits_from(struct limits *l, uid_t uid);

#endif
