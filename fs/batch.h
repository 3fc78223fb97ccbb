/* SPDX-License-Identifier: MIT */
/*
 * The file batch: a stream of lines cut into writes anywhere, each a command
 * behind the path of its object, or mkdir, rmdir, mv.  They run one after the
 * other, in the writer's thread as long as each is over at once; the first
 * that fails ends the batch.  Knows nothing of FUSE.
 */
#ifndef FS_BATCH_H
#define FS_BATCH_H

#include <sys/queue.h>

#include "tree.h"

struct batch;

/* One write; the caller's, until done was called or batch_write() returned
 * something else than PENDING. */
struct batch_job {
	pid_t pid; /* the writer's, for the log; and his uid */
	uid_t uid;
	/* Whether the writer has given up; asked while he waits with buf. */
	bool (*given_up)(struct batch_job *job);
	/* Called once after PENDING, from any thread.  r: 0 or -errno; answer:
	 * what went wrong, valid during the call. */
	void (*done)(struct batch_job *job, int r, const char *answer);

	/* The batch's own. */
	struct work work;
	STAILQ_ENTRY(batch_job) next;
	const char *buf;
	char *copy; /* of buf, once the writer does not wait with it */
	size_t n;
};

/*
 * For one open descriptor of the file at n, whose object the caller has
 * referenced; cred is the opener's.  Both live as long as the batch.  NULL: out
 * of memory.
 */
struct batch *
batch_new(struct fs *fs, const struct node *n, const struct cred *cred);
/* The last descriptor is closed and no write is under way: an unfinished line
 * is told.  Takes NULL. */
void batch_free(struct batch *b);

/*
 * Runs what n bytes of buf bring, after the writes before it.  Returns 0, or
 * -errno and *answer (the caller's, for answer_free()), or PENDING.
 */
int batch_write(struct batch *b, struct batch_job *job, const char *buf,
    size_t n, char **answer);
/*
 * Stops it: done is called soon with -EINTR; true.  Otherwise the line that
 * runs completes, later ones do not run, done is called at the end; false.
 */
bool batch_interrupt(struct batch *b, struct batch_job *job);

/* The rows of the tables. */
int get_batch(const struct view *v, struct text *t);
extern const struct verb batch_verbs[];

#define BATCH_FILE                                                             \
	{                                                                      \
		"batch", .get = get_batch, .verbs = batch_verbs, .mode = 0600, \
			 .flags = FILE_SECRET | FILE_NO_SIZE,                  \
			 .type = FILE_BATCH                                    \
	}

#endif
