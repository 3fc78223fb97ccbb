/* SPDX-License-Identifier: MIT */
/*
 * What the benchmarks share.  A row of the table is a ratio: the median of
 * many, each of two rounds of work right after each other.  What goes wrong
 * ends the program.
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define PATH_BYTES 512
#define PRINTF(n)  __attribute__((format(printf, n, (n) + 1)))

/* ---- pair.c ---- */

#define SAMPLES 512
#define PAIRS   101
#define TEAM    8 /* processes */

struct samples {
	double v[SAMPLES];
	unsigned n;
};

/* Does something n times. */
struct work {
	void (*run)(void *arg, unsigned n);
	void *arg;
};

enum goal { NO_GOAL, AT_MOST, AT_LEAST };

/* Seconds of a clock that never goes back. */
double now(void);
/* Seconds that n times take. */
double work_seconds(const struct work *w, unsigned n);
/* How many take about so many seconds. */
unsigned work_count(const struct work *w, double seconds);
void sample(struct samples *s, double v);
/* The cost of a over that of b, each time, from so many pairs of rounds. */
void pairs(
    struct samples *s, const struct work *a, const struct work *b, unsigned n);
/* The same, beside those that are there. */
void more_pairs(
    struct samples *s, const struct work *a, const struct work *b, unsigned n);
/* A line of the table, of its samples; or why there are none; or of a number
 * that no other pair would change. */
void row(const char *what, struct samples *s, enum goal goal, double limit);
void row_one(const char *what, double v, enum goal goal, double limit);
void row_none(const char *what, enum goal goal, double limit, const char *fmt,
    ...) PRINTF(4);

/* ---- message.c ---- */

/* Where a daemon counts its FUSE messages: the file is kept open. */
struct counter {
	int fd;
	char buf[1 << 16];
	char before[1 << 16], self[1 << 16];
};

/* File metrics of rdmafs, messages.f of null. */
void counter_open(struct counter *c, const char *path);
/* Does it count at all? */
bool counter_there(struct counter *c);
void counter_close(struct counter *c);
/* From now on. */
void counter_begin(struct counter *c);
/* Messages since then, each divided by n: "OPEN 1  WRITE 1". */
void counter_end(struct counter *c, unsigned n, char *buf, size_t size);
/* After counter_end(): those of an opcode, NULL: of all. */
double counter_sum(struct counter *c, const char *opcode);
/* A line of the table of messages: what n times of work need. */
void message_row(const char *what, struct counter *c, const struct work *w);

/* ---- file.c: rdmafs' files ---- */

/* A formatted path. */
struct path {
	char s[PATH_BYTES];
};

struct path path(const char *fmt, ...) PRINTF(1);
int open_file(const char *path, int flags);
/* All of it in one write. */
void write_all(int fd, const char *text, size_t len);
void put(const char *path, const char *text);
/* false: refused, errno says why. */
bool try_put(const char *path, const char *text);
void make_dir(const char *path);
/* The number behind a key in /proc/PID/status: kB. */
unsigned long proc_kb(pid_t pid, const char *key);

/* Many lines of a batch, or the same by hand where there is none. */
struct many {
	const char *pd;
	const char
	    *format; /* a line of batch with the number: "mkdir mw/w%u\n" */
	unsigned first, count;
};

bool has_batch(const char *pd);
/* Returns whether all went well; if not, errno says why. */
bool many_run(const struct many *m);

/* ---- the parts ---- */

/* What bench is told. */
struct setup {
	const char *rdmafs; /* where it is mounted */
	pid_t pid;
	/* floor, team: null's mount; scale: that of another rdmafs */
	const char *other;
	unsigned objects;
};

void part_floor(const struct setup *s);
void part_team(const struct setup *s);
void part_scale(const struct setup *s);
void part_memory(const struct setup *s);
void part_list(const struct setup *s);
void part_data(const struct setup *s);
void part_batch(const struct setup *s);

#endif
