/* SPDX-License-Identifier: MIT */
/*
 * How often each verb was told to do something, and refused, and with which
 * errno.  The verbs are those of the tables, and mkdir, rmdir, mv, clone; what
 * is none of them counts as "invalid".  No lock: relaxed atomics.
 */
#ifndef FS_COMMANDS_H
#define FS_COMMANDS_H

#include "../core/tally.h"

#define COMMANDS_VERBS 64 /* more are not told apart */
#define COMMANDS_ERRNO 134 /* Linux has them up to 133 */

struct commands {
	unsigned n; /* constant after commands_init(), as are the verbs */
	const char *verbs[COMMANDS_VERBS]; /* of counts, side by side */
	struct command_count {
		const char *verb; /* static */
		count_t all; /* the refused ones too */
		count_t refused[COMMANDS_ERRNO]; /* by errno; 0: any other */
	} counts[COMMANDS_VERBS];
};

void commands_init(struct commands *c);
/* One more; verb NULL: a line that was none; code: a positive errno, 0: done. */
void commands_count(struct commands *c, const char *verb, int code);
/* In two steps, for who counts a verb again and again. */
struct command_count *commands_of(struct commands *c, const char *verb);
void command_count(struct command_count *n, int code);

#endif
