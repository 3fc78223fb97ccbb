/* SPDX-License-Identifier: MIT */
/* Small things against the null daemon, which are as good as FUSE can be. */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define BIND       "bind r 0 4K remote_write\n"
#define INVALIDATE "invalidate\n"

/* A file of one of the mounts; commands alternate. */
struct target {
	struct path path;
	int fd;
	unsigned turn;
	int flags; /* beside O_WRONLY */
};

static void
write_next(struct target *t)
{
	if (t->turn++ % 2 == 0)
		write_all(t->fd, BIND, strlen(BIND));
	else
		write_all(t->fd, INVALIDATE, strlen(INVALIDATE));
}

static void
run_kept(void *arg, unsigned n)
{
	while (n-- > 0)
		write_next(arg);
}

static void
run_command(void *arg, unsigned n)
{
	struct target *t = arg;

	while (n-- > 0) {
		t->fd = open_file(t->path.s, O_WRONLY | t->flags);
		write_next(t);
		close(t->fd);
	}
}

/* As cat(1): to the end. */
static void
run_cat(void *arg, unsigned n)
{
	const struct target *t = arg;
	char buf[4096];
	int fd;

	while (n-- > 0) {
		fd = open_file(t->path.s, O_RDONLY);
		while (read(fd, buf, sizeof(buf)) > 0)
			;
		close(fd);
	}
}

static void
run_stat(void *arg, unsigned n)
{
	const struct target *t = arg;
	struct stat st;

	while (n-- > 0)
		if (lstat(t->path.s, &st) < 0)
			err(1, "%s", t->path.s);
}

/* One kind of work, on rdmafs and on the null daemon. */
struct small {
	const char *what;
	void (*run)(void *arg, unsigned n);
	const char *file, *null_file;
	int flags;
	double limit; /* 0: no goal */
};

static const struct small smalls[] = {
	{ "open, write, close of ctl", run_command, "mw/w/ctl", "mw/w/ctl.f", 0,
	    1.15 },
	{ "the same as the shell's >", run_command, "mw/w/ctl", "mw/w/ctl.f",
	    O_TRUNC | O_CREAT, 1.15 },
	{ "open, read, close of status", run_cat, "mw/w/status",
	    "mw/w/status.f", 0, 1.15 },
	{ "open, read, close of rights", run_cat, "mw/w/rights",
	    "mw/w/rights.f", 0, 1.15 },
	{ "open, read, close of ctl", run_cat, "mw/w/ctl", "mw/w/ctl.f", 0, 0 },
	{ "stat of a directory", run_stat, "mw/w", "mw/w", 0, 0 },
	{ "stat of type", run_stat, "mw/w/type", "mw/w/type.f", 0, 0 },
	{ "stat of status", run_stat, "mw/w/status", "mw/w/status.f", 0, 0 },
};
#define SMALLS (sizeof(smalls) / sizeof(smalls[0]))

static void
prepare(const struct path *pd)
{
	char name[8];
	unsigned i;

	make_dir(pd->s);
	make_dir(path("%s/mr/r", pd->s).s);
	put(path("%s/mr/r/ctl", pd->s).s, "reg 64K local_write mw_bind\n");
	make_dir(path("%s/mw/w", pd->s).s);
	for (i = 0; i < TEAM; i++) {
		snprintf(name, sizeof(name), "w%u", i);
		make_dir(path("%s/mw/%s", pd->s, name).s);
	}
}

/* Processes that each write commands to an object of their own when told. */
struct team {
	const char *pd, *suffix;
	unsigned size;
	int go[TEAM][2], done[2];
};

static void
member(const struct team *team, unsigned i)
{
	struct target t = { .turn = 0 };
	unsigned n;

	t.fd = open_file(
	    path("%s/mw/w%u/ctl%s", team->pd, i, team->suffix).s, O_WRONLY);
	while (read(team->go[i][0], &n, sizeof(n)) == sizeof(n)) {
		run_kept(&t, n);
		if (write(team->done[1], "", 1) < 0)
			break;
	}
	_exit(0);
}

static void
team_start(struct team *team)
{
	unsigned i;

	if (pipe2(team->done, O_CLOEXEC) < 0)
		err(1, "pipe");
	for (i = 0; i < team->size; i++) {
		if (pipe2(team->go[i], O_CLOEXEC) < 0)
			err(1, "pipe");
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			close(team->go[i][1]);
			member(team, i);
		}
		close(team->go[i][0]);
	}
}

static void
team_stop(struct team *team)
{
	unsigned i;

	for (i = 0; i < team->size; i++)
		close(team->go[i][1]);
	for (i = 0; i < team->size; i++)
		wait(NULL);
	close(team->done[0]);
	close(team->done[1]);
}

/* n commands of the whole team. */
static void
run_team(void *arg, unsigned n)
{
	struct team *team = arg;
	unsigned each = (n + team->size - 1) / team->size, i;
	char c;

	each += each % 2;
	for (i = 0; i < team->size; i++)
		if (write(team->go[i][1], &each, sizeof(each)) < 0)
			err(1, "team");
	for (i = 0; i < team->size; i++)
		if (read(team->done[0], &c, 1) != 1)
			errx(1, "a member of the team has ended");
}

static void
row_team(const char *what, const char *pd, const char *suffix, enum goal goal)
{
	struct team one = { .pd = pd, .suffix = suffix, .size = 1 };
	struct team all = { .pd = pd, .suffix = suffix, .size = TEAM };
	/* The rate of all over that of one is the time of one over theirs. */
	const struct work a = { run_team, &one }, b = { run_team, &all };
	struct samples s = { .n = 0 };

	team_start(&one);
	team_start(&all);
	pairs(&s, &a, &b, PAIRS / 2);
	row(what, &s, goal, 2);
	team_stop(&all);
	team_stop(&one);
}

static void
row_kept(struct target *here, struct target *null)
{
	const struct work a = { run_kept, here }, b = { run_kept, null };
	struct samples s = { .n = 0 };

	here->fd = open_file(here->path.s, O_WRONLY);
	null->fd = open_file(null->path.s, O_WRONLY);
	pairs(&s, &a, &b, PAIRS);
	row("write to a kept ctl: bind, invalidate", &s, AT_MOST, 1.3);
}

static void
row_small(const struct small *small, struct target *here, struct target *null)
{
	const struct work a = { small->run, here }, b = { small->run, null };
	struct samples s = { .n = 0 };

	pairs(&s, &a, &b, PAIRS);
	row(small->what, &s, small->limit > 0 ? AT_MOST : NO_GOAL,
	    small->limit);
}

static void
messages(const struct setup *setup, struct target here[], struct target null[])
{
	struct counter c, d;
	struct work w;
	size_t i;

	printf("\nFUSE messages of one, rdmafs above, null below:\n");
	counter_open(&c, path("%s/metrics", setup->rdmafs).s);
	counter_open(&d, path("%s/messages.f", setup->other).s);
	for (i = 0; i < SMALLS; i++) {
		w = (struct work){ smalls[i].run, &here[i] };
		message_row(smalls[i].what, &c, &w);
		w.arg = &null[i];
		message_row("", &d, &w);
	}
	counter_close(&c);
	counter_close(&d);
}

void
part_floor(const struct setup *setup)
{
	struct target here[SMALLS] = { { .turn = 0 } };
	struct target null[SMALLS] = { { .turn = 0 } };
	struct target kept, null_kept;
	struct path pd, null_pd;
	size_t i;

	pd = path("%s/soft0/pd/floor", setup->rdmafs);
	null_pd = path("%s/soft0/pd/floor", setup->other);
	prepare(&pd);
	kept = (struct target){ .path = path("%s/mw/w/ctl", pd.s) };
	null_kept = (struct target){ .path = path("%s/mw/w/ctl.f", null_pd.s) };
	row_kept(&kept, &null_kept);
	for (i = 0; i < SMALLS; i++) {
		here[i].path = path("%s/%s", pd.s, smalls[i].file);
		null[i].path = path("%s/%s", null_pd.s, smalls[i].null_file);
		here[i].flags = null[i].flags = smalls[i].flags;
		row_small(&smalls[i], &here[i], &null[i]);
	}
	messages(setup, here, null);
}

void
part_team(const struct setup *setup)
{
	struct path pd = path("%s/soft0/pd/team", setup->rdmafs);
	struct path null_pd = path("%s/soft0/pd/team", setup->other);

	prepare(&pd);
	row_team("rate of 8 processes on 8 objects over 1", pd.s, "", AT_LEAST);
	row_team("the same, null", null_pd.s, ".f", NO_GOAL);
}
