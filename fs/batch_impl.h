/* SPDX-License-Identifier: MIT */
/* What fs/batch*.c share: the state of a batch. */
#ifndef FS_BATCH_IMPL_H
#define FS_BATCH_IMPL_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../proto/stream.h"
#include "batch.h"
#include "change.h"
#include "commands.h"
#include "fs.h"
#include "script.h"

#define PATH_TEXT 320 /* bytes of a directory's path: no path has as many */
#define NAME_TEXT 256 /* of a name, right or wrong */

/* The directory of the last path, which the next one is most likely in. */
struct batch_place {
	char text[PATH_TEXT]; /* its path from the batch's directory */
	size_t len;
	struct node dir; /* its object referenced; NULL: there is none */
	uint64_t shuffles; /* the world's when it was found and allowed */
	const struct file *ctl; /* of the objects in it; NULL: they have none */
};

#define PARSED_TEXT  120 /* longer commands are not kept */
#define PARSED_SLOTS 4

/* A command that has been parsed, and if table is not NULL is kept for lines
 * that say the same, of other objects. */
struct parsed {
	const struct verb *table;
	size_t len;
	char text[PARSED_TEXT];
	struct command_count *count; /* where its verb is counted */
	struct cmd cmd;
};

/* A batch runs its lines one after the other, or, where info.chains says that
 * this ends in the same way, some of them behind each other (batch_chain.c). */
struct chain;

/* What is next to be done with the present line. */
enum phase {
	PHASE_NEXT, /* there is none: a line is to be cut */
	PHASE_BEGIN, /* it is to be begun, and stands alone */
	PHASE_END, /* there is none any more */
};

struct batch {
	struct call call; /* first: of the present line */
	struct node node;
	const struct cmd *cmd; /* of the present line; never NULL */
	struct parsed parsed[PARSED_SLOTS];
	struct parsed *slot; /* the one that cmd is in; NULL: none */
	unsigned next_slot; /* to be replaced, modulo PARSED_SLOTS */
	struct stream stream;
	struct batch_place place;
	struct obj *last; /* of the last line; referenced, or NULL */
	struct text said; /* what a verb answers: none of these does */
	int failed; /* -errno of the line that has ended the batch */
	bool lost; /* there was no memory for the rest of the write */
	bool running; /* lines have run since the write began */

	bool chains; /* its device has chains; constant */
	struct chain *chain; /* NULL: there has not been one */
	uint64_t alone; /* the number of a line that joins none */

	/* The present line. */
	enum phase phase;
	int cut; /* what line_next() has returned: with PHASE_END 0 or -errno */
	const char *line; /* with PHASE_BEGIN */
	size_t len;
	const char *path, *rest; /* in front of the command; the command */
	size_t path_len, rest_len;
	const char *name; /* in path: behind its last slash */
	struct obj
	    *o; /* the path's, referenced; NULL: not found, or a change */
	bool turn; /* call.op has its turn */
	bool told; /* a change has recorded its failure */
	struct err why; /* of a failure, if o is NULL */

	struct batch_job *job; /* the present write */
	struct batch_job nobody; /* at the end: whose line has not run */
	size_t pos; /* in its buffer, behind the present line */
	size_t line_len; /* bytes of that in the buffer */
	int result; /* of a command that was PENDING */
	atomic_int met; /* 1: its starter has left it, or it is over already */
	atomic_bool stop; /* no further line runs */

	/* Above world.lock; guards the rest. */
	pthread_mutex_t lock;
	bool busy; /* job is under way */
	bool waits; /* call.op waits for its turn */
	struct change *change; /* under way, NULL: none */
	STAILQ_HEAD(, batch_job) jobs; /* that wait for their turn */
	struct work work; /* of the next one of these */
};

static inline struct batch *
batch_of(struct op *op)
{
	return (struct batch *)(void *)op;
}

static inline struct batch *
batch_of_work(struct work *w)
{
	return (void *)((char *)w - offsetof(struct batch, work));
}

/*
 * batch_line.c: the present line.  Begins it: 0, LINE_EMPTY (there is nothing
 * to end), PENDING (batch_met() is called), or -errno.
 */
#define LINE_EMPTY 2
int line_begin(struct batch *b, const char *line, size_t len);
/* It is over with r, which is returned; a failure is recorded, and *answer is
 * what error says. */
int line_over(struct batch *b, int r, char **answer);
/* Cuts it into path and command. */
void line_cut(struct batch *b, const char *line, size_t len);
/* Whether the command parses, by the verbs of what is in b->place. */
int line_parse(struct batch *b, struct err *e);
/* The batch fails in its present line, for the reason in b->why. */
int line_refuse(struct batch *b, char **answer);

/*
 * batch_chain.c, for batches with b->chains.  They run in threads that may
 * sleep, and all of a write is in job->copy.
 *
 * Whether the line joins the chain: then it has begun, and chain_over() tells
 * how it ended.  Otherwise nothing has been done.
 */
bool chain_join(struct batch *b, const char *line, size_t len);
bool chain_is_full(const struct batch *b);
/* chain_over() has begun and has not returned 0 or -errno. */
bool chain_is_ending(const struct batch *b);
/*
 * Before anything else is done: all lines of the chain are over, and told.  0,
 * PENDING: batch_work is submitted, and then it is to be called again, or
 * -errno of the first that failed, with its answer.  After 0 the next line may
 * be one that had joined and has not run.
 */
int chain_over(struct batch *b, char **answer);
void chain_free(struct batch *b);

/*
 * batch_parsed.c: b->cmd is that of b->rest, by table: 0 or -errno.  reuse: it may
 * be that of an earlier line, or serve a later one.
 */
int parsed_get(
    struct batch *b, const struct verb *table, bool reuse, struct err *e);
/* The line is over: b->cmd is no command.  What may be secret is wiped. */
void parsed_leave(struct batch *b);
void parsed_wipe(struct batch *b); /* all of them */

/* batch.c: from the next line of the present write on: 0, -errno, or PENDING. */
int batch_go(struct batch *b, char **answer);
/* A command that was PENDING is over, or has its turn. */
void batch_met(struct batch *b, int r);
void batch_turn(struct op *op, int r);
void batch_done(struct op *op, int r);

/* batch_job.c: what the writer's buffer still has, from the present line on,
 * for who goes on without him. */
void job_keep(struct batch *b);
/* The present line, which was PENDING, is over with r: on with the rest. */
void batch_resume(struct batch *b, int r);
/* The same after chain_over() was PENDING; b->work, for world.slow. */
void batch_goes_on(struct work *w);

/*
 * batch_path.c: finds the directory of b->path, b->place, and b->name in it, by
 * the opener's authority.  0, or -errno with the reason in b->why.
 */
int place_find(struct batch *b, const char *path, size_t len);
/* Whether b->place is still what place_find() has found; lock held. */
bool place_holds(const struct batch *b);
/* The object b->name there, if its ctl may be written, else NULL and b->why;
 * not referenced; lock held. */
struct obj *place_object(struct batch *b);
/* The object of the last line is o from now on, whose reference it takes over;
 * returns one to be dropped without the lock, or NULL.  Lock held. */
struct obj *last_set(struct batch *b, struct obj *o);

#endif
