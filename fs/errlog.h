/* SPDX-License-Identifier: MIT */
/* /rdma/errors: the last 64 refusals of each user. */
#ifndef FS_ERRLOG_H
#define FS_ERRLOG_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/tree.h>
#include <sys/types.h>

#include "../proto/text.h"

#define ERRLOG_KEPT 64

struct errlog_user;
RB_HEAD(errlog_users, errlog_user);

struct errlog {
	pthread_mutex_t lock; /* below world.lock */
	struct errlog_users users;
	uint64_t number; /* of the last entry */
};

void errlog_init(struct errlog *l);
void errlog_fini(struct errlog *l);
/*
 * Adds an entry: path and text (one line, no key) are copied.  Without memory
 * the entry is lost, and nothing else.
 */
void errlog_add(
    struct errlog *l, uid_t uid, pid_t pid, const char *path, const char *text);
/* Adds the entries of uid, or of all users, oldest first, to t. */
void errlog_print(struct errlog *l, uid_t uid, bool all, struct text *t);
/* Forgets those of uid. */
void errlog_clear(struct errlog *l, uid_t uid);

#endif
