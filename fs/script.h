/* SPDX-License-Identifier: MIT */
/*
 * What one write(2) to a control file brought: its lines are checked, run in
 * order, each in the object's turn, and the outcome is recorded.  Knows
 * nothing of FUSE.
 */
#ifndef FS_SCRIPT_H
#define FS_SCRIPT_H

#include "../core/op.h"
#include "outcome.h"
#include "tree.h"

/* One command on its way: what a verb's run function gets. */
struct call {
	struct op op; /* op.obj is the object; its turn is held */
	struct fs *fs;
	const struct cmd *cmd;
	const struct cred *cred; /* the opener's: the authority that counts */
	pid_t pid; /* the writer's thread */
	struct text *answer; /* what it answers; nothing added: ok */
};

/* What granting rights asks of a region's data: remote_read or nothing R_OK,
 * the rest W_OK. */
int rights_want(uint32_t rights);
/* For a run function that gets a region's name: the region, referenced, if
 * cred may use its data for want (R_OK, W_OK), else NULL and op.err. */
struct mr *call_region(struct call *c, const char *name, int want);
/* The same for a region that is known. */
int call_may_use(struct call *c, struct mr *mr, int want);
/* The queue pair of that name, referenced, if cred may write its ctl. */
struct qp *call_qp(struct call *c, const char *name);
/* The domain of that name, referenced, if cred may make regions in it. */
struct pd *call_domain(struct call *c, const char *name);

/* The rights that reg or bind names, or old; +right is -EINVAL there. */
int call_rights(struct call *c, uint32_t old, uint32_t *rights);
/* The verb keep, of every object. */
int run_keep(struct call *c);

struct script;

/* What the script came from. */
struct source {
	struct fs *fs;
	struct node node; /* referenced by the script while it runs */
	const struct cred *cred;
	pid_t pid;
	uid_t uid; /* the writer's, for the log */
	uint64_t inode; /* for op.written */
	/* Called once after PENDING.  Any thread.  r: 0 or -errno. */
	void (*done)(void *arg, int r, const char *answer);
	void *arg;
};

/*
 * Runs the lines of buf (copied), which lines_check() has passed.  src is
 * copied; cred must live until done.  Returns 0 or -errno, with *answer (the
 * caller's, for answer_free(); NULL: ok), or PENDING and *script, valid until
 * done is called.
 */
int script_run(const struct source *src, const char *buf, size_t n,
    struct script **script, char **answer);
/* Wipes and frees it: it may have a key in it.  Takes NULL. */
void answer_free(char *answer);
/* Records a refusal of the whole write. */
void
source_record(const struct source *src, const struct err *e, char **answer);
/*
 * Stops it: a command that waits for its turn is given up and done is called
 * with -EINTR; true.  Otherwise the one that runs completes, later lines do
 * not run, done is called at the end; false.
 */
bool script_interrupt(struct script *s);

#endif
