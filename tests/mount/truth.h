/* SPDX-License-Identifier: MIT */
/*
 * What the files of truth*.c share: a process that changes objects, and looks
 * at once whether stat(2) and readdir(3) know of it.
 */
#ifndef TESTS_MOUNT_TRUTH_H
#define TESTS_MOUNT_TRUTH_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#define SIGHTS  48
#define CHANGES 32

#define PRINTF(n) __attribute__((format(printf, n, (n) + 1)))

/* A path of a function's arguments. */
#define FORMAT(buf, fmt)                              \
	do {                                          \
		va_list ap;                           \
                                                      \
		va_start(ap, fmt);                    \
		vsnprintf(buf, sizeof(buf), fmt, ap); \
		va_end(ap);                           \
	} while (0)

enum ask { ASK_STAT, ASK_LISTED, ASK_LINK, ASK_PUT };

/* What another process is asked to do, and what it found. */
struct question {
	enum ask ask;
	char path[256];
	char text[256]; /* ASK_LISTED: a name; ASK_PUT: a command */
};

struct answer {
	int err; /* errno */
	bool listed;
	char target[256];
	struct stat st;
};

/* One look at a file, right after a change. */
struct sight {
	struct question q;
	struct answer a;
};

struct truth {
	char near[128], far[128], other[128]; /* domains */
	unsigned long wanted, tries, looks, stale;
	const char *what; /* the change that is looked at */
	size_t change; /* its number */
	unsigned long told[CHANGES]; /* stale ones of each */
	int ask; /* a socket: another process looks; -1: this one */
	int helper; /* that socket */
	struct sight sights[SIGHTS];
	size_t nsights;
	unsigned round; /* of all changes */
	const char *window, *region; /* what they are called now */
};

/* truth_look.c: looking, here or in another process. */

/* Does what is asked, in this process. */
void answer_here(const struct question *q, struct answer *a);
/* What the helper does until its socket is closed. */
void helper_run(int fd);
void helper_ask(int fd, const struct question *q);
void helper_answer(int fd, struct answer *a);
/* Asks the helper without waiting for its answer; helper_wait() does. */
void helper_put(struct truth *t, const char *text, const char *path);
void helper_wait(struct truth *t);

/* A command; the program ends if it is refused. */
void put(const char *text, const char *fmt, ...) PRINTF(2);
/* A command that has to be refused. */
void refused(const char *text, const char *fmt, ...) PRINTF(2);
void make(const char *fmt, ...) PRINTF(1);
void unmake(const char *fmt, ...) PRINTF(1);
/* The first word of a file; the program ends if there is none. */
void word(char *buf, size_t size, const char *path);

/* truth_see.c: what is seen, and what is there. */

/* Looks at a file now; judge() compares. */
void see(struct truth *t, const char *fmt, ...) PRINTF(2);
/* Looks at the first of names, which blanks separate, below a directory, and
 * in turn at a quarter of the others. */
void
see_all(struct truth *t, const char *names, const char *fmt, ...) PRINTF(3);
/* As see(); and it must have these permission bits, this group. */
void see_mode(struct truth *t, mode_t mode, const char *fmt, ...) PRINTF(3);
void see_group(struct truth *t, gid_t gid, const char *fmt, ...) PRINTF(3);
/* Whether it is there, and whether its directory lists it. */
void see_there(struct truth *t, bool there, const char *fmt, ...) PRINTF(3);
/* A symbolic link's target; NULL: there must be none. */
void
see_link(struct truth *t, const char *target, const char *fmt, ...) PRINTF(3);
/* A change is over: what was seen must be what is there now.  One try. */
void judge(struct truth *t);
void stale(struct truth *t, const char *path, const char *why);

/* truth_change.c: all changes. */

/* The files of each kind whose text a command may change. */
#define WINDOW "status ctl rights rkey addr length type error"
#define REGION "status ctl rights lkey rkey addr length windows error data"
#define QP     "status ctl rights state num local remote error"
#define PD     "status list error"

void changes_prepare(struct truth *t);
/* All of them once. */
void changes_run(struct truth *t);

/* A window, bound to a region or, with NULL, to none; a region. */
void see_window(struct truth *t, const char *name, const char *region);
void see_region(struct truth *t, const char *dir, const char *name);
/* bind, to the region and then as it says. */
void bind_window(struct truth *t, const char *window, const char *how);

/* truth_object.c: changes of objects that stay. */

void change_bind(struct truth *t);
void change_invalidate(struct truth *t);
void change_window_rights(struct truth *t);
void change_rereg(struct truth *t);
void change_move(struct truth *t);
void change_reg(struct truth *t);
void change_mode(struct truth *t);
void change_group(struct truth *t);
void change_window_name(struct truth *t);
void change_region_name(struct truth *t);
void change_refused(struct truth *t);

/* truth_life.c: objects that come and go. */

/* Connects q of one domain with that of another. */
void join(const char *one, const char *two);
void change_life(struct truth *t);
void change_region_end(struct truth *t);
void change_clone(struct truth *t);
void change_by_peer(struct truth *t);
void change_qp(struct truth *t);
void change_all_invalid(struct truth *t);
void change_domain(struct truth *t);

#endif
