/* SPDX-License-Identifier: MIT */
/*
 * How commands went, and who is told: the object's error file, errors of the
 * root, the trace of -d, and the counts of metrics.
 */
#ifndef FS_OUTCOME_H
#define FS_OUTCOME_H

#include "tree.h"

/* How a command, mkdir, rmdir or mv went. */
struct outcome {
	struct fs *fs;
	struct obj *o; /* whose error file tells it; NULL: none */
	const struct node *where; /* the path in errors and in the trace */
	uid_t uid; /* whose errors tell it */
	pid_t pid;
	const char *verb; /* NULL: the line did not parse */
	const struct err *e; /* code 0: it went well */
	unsigned line; /* 0: not numbered */
	const char *shown; /* the two lines of cmd_blame(), or NULL */
	struct op *turn; /* whose turn ends with it, see op_end(); NULL: none */
};

/*
 * Records it: in o's error file, in the trace, in the counts, and if it was
 * refused in the errors of uid.  Takes the lock.  *answer (malloc'ed, the caller's, left
 * alone if it went well; answer may be NULL) is what the error file says.
 */
void outcome_record(const struct outcome *out, char **answer);
/* In o's error file alone, of what others have been told already; refused. */
void outcome_error(const struct outcome *out, char **answer);

#endif
