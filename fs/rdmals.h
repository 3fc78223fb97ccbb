/* SPDX-License-Identifier: MIT */
/*
 * rdmals: what its files share.  It is a client: it knows the texts of a
 * mounted tree, and neither objects nor the daemon.
 */
#ifndef FS_RDMALS_H
#define FS_RDMALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../proto/text.h"

/* As rdmafs(5) has for names and words a good deal less. */
#define ROW_WORDS 48

struct word {
	const char *key, *value;
};

/*
 * One line of a list, or of a file below kernel/.  All of it points into the
 * line it was parsed from, or into a buffer of the reader's, and is gone with
 * the next one.
 */
struct row {
	const char *path; /* from the mount: soft0/pd/lab/mr/buf */
	const char *kind; /* mr, or kernel-mr */
	const char *state; /* of a kernel row "" if its file has none */
	const char *id; /* of a kernel row: its number; else NULL */
	bool own; /* it is an object of rdmafs */
	size_t nwords;
	struct word words[ROW_WORDS];
};

/*
 * Parses a line, which has no newline and is changed.  False: it is torn or
 * not of this kind; row then is not to be used.
 */
bool row_parse(struct row *r, char *line);
/* As row_parse(), of MOUNT/<dev>/kernel/<what>; kind and path are not set. */
bool row_parse_kernel(struct row *r, char *line);
/* A word's value; NULL: it has none. */
const char *row_get(const struct row *r, const char *key);
/* As row_get(), as a number; 0 and *n, or -1. */
int row_number(const struct row *r, const char *key, uint64_t *n);
/* sum, and the row: a number that is another for another row (FNV-1a). */
uint64_t row_sum(const struct row *r, uint64_t sum);
/* How deep the object is: a device 0, a domain 1, what is in it 2, ... */
unsigned row_depth(const struct row *r);
/* Its name: the last part of the path. */
const char *row_name(const struct row *r);
/* The name of its device, of its domain ("": it is in none), in buf. */
const char *row_device(const struct row *r, char *buf, size_t size);
const char *row_domain(const struct row *r, char *buf, size_t size);

enum filter_op { FILTER_IS, FILTER_OVER, FILTER_UNDER };

struct filter {
	const char *key, *value;
	enum filter_op op;
	bool seen; /* a row had the key: if none has, it is a mistake */
};

/* Whom PATH waits for: --holders. */
struct holders {
	const char *path; /* from the mount; NULL: it is not asked */
	unsigned depth; /* of the object */
	const char *kind; /* mr, mw ...; NULL for a device and a domain */
	char pdn[24]; /* what the kernel calls the domain; "": unknown */
	int64_t hidden; /* more by its counts than the reader could see */
};

/* What is asked for, and how it went. */
struct query {
	const char *mount;
	char **paths; /* from the mount; "" is the mount itself */
	size_t npaths;
	const char **kinds;
	size_t nkinds;
	struct filter *filters;
	size_t nfilters;
	bool kernel; /* other processes' objects, too */
	struct holders holders;
	size_t found; /* rows that were wanted */
	uint64_t sum; /* over what they say: it tells whether that changed */
	bool trouble; /* something could not be read; it has been told */
};

/* Prints "rdmals: ..." on stderr and marks the query, if it is given. */
void complain(struct query *q, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Adds a word of the command line: a kind, a filter or a path.  0, or -1 after
 * a message; *status has the exit status then.
 */
int query_add(struct query *q, const char *word, int *status);
/* Makes PATH that whose holders are wanted; as query_add(). */
int query_hold(struct query *q, const char *path, int *status);
void query_fini(struct query *q);
/* Whether a row is asked for. */
bool query_wants(struct query *q, const struct row *r);
/* Whether it keeps the object of --holders busy. */
bool query_holds(const struct query *q, const struct row *r);
/* Whether the path is, or is below, what was asked for by path. */
bool path_below(const char *path, const char *top);

/*
 * Called with each row in order, what is asked for (wanted) and the others;
 * a parent comes before its children.  Other than 0 stops.
 */
typedef int (*row_fn)(void *arg, const struct row *r, bool wanted);
/* Reads what the query's paths say.  Returns what row_fn did; 0: all read. */
int query_read(struct query *q, row_fn fn, void *arg);

/* What the output goes to. */
struct look {
	FILE *out;
	bool colour, utf8;
	unsigned width, height; /* of the terminal; 0: no limit */
	bool kernel; /* with the columns of other processes */
	int64_t now; /* seconds since the Epoch */
};

/* Names that have been looked up: rows are many, and users few. */
#define USERS 64
struct users {
	struct user {
		uint32_t uid;
		char name[33]; /* "": nothing here yet */
	} at[USERS];
};

/* One value as a person reads it; they add to t. */
/* What has bytes that a terminal could mind as vis(3) has it. */
void cell_text(struct text *t, const char *s);
void cell_size(struct text *t, const char *bytes);
void cell_user(struct users *users, struct text *t, const char *uid);
void cell_state(struct text *t, const struct row *r);
void cell_bound(struct text *t, const struct row *r);
void cell_age(struct text *t, const char *made, int64_t now);
/* The escape sequence for a state of n bytes; "" for most. */
const char *cell_colour(const char *state, size_t n);

/* The ways to show: each reads the query and writes all; -1: no memory. */
int show_table(struct query *q, const struct look *look);
int show_tree(struct query *q, const struct look *look);
int show_json(struct query *q, const struct look *look);
typedef int (*show_fn)(struct query *q, const struct look *look);

/*
 * Adds chown(1) and chmod(1) of an object, its files and its directories, as
 * far as they are not as new.
 */
void owners_text(struct query *q, const struct row *r, struct text *t);
/* Prints a script for sh(1) that makes the objects again. */
int restore(struct query *q, FILE *out);

/* A terminal's size now; without a terminal as it was. */
void look_size(struct look *look);
/* Shows again after each change, until SIGINT or SIGTERM; the exit status. */
int watch(struct query *q, struct look *look, show_fn show);

#endif
