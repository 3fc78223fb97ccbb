/* SPDX-License-Identifier: MIT */
/*
 * What is seen right after a change, and whether that is what is there: which
 * a statx(2) that is told to ask the daemon says, and a read.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "truth.h"

#define SHOWN 5 /* so many stale ones of a change are described */

static struct sight *
look(struct truth *t, enum ask what, const char *path, const char *text)
{
	struct sight *s = &t->sights[t->nsights++];

	if (t->nsights > SIGHTS)
		errx(2, "more than %d looks at one change", SIGHTS);
	s->q.ask = what;
	snprintf(s->q.path, sizeof(s->q.path), "%s", path);
	snprintf(s->q.text, sizeof(s->q.text), "%s", text);
	t->looks++;
	if (t->ask < 0) {
		answer_here(&s->q, &s->a);
	} else {
		helper_ask(t->ask, &s->q);
		helper_answer(t->ask, &s->a);
	}
	return s;
}

void
stale(struct truth *t, const char *path, const char *why)
{
	t->stale++;
	if (t->told[t->change]++ < SHOWN)
		printf("%s, seen by %s: %s: %s\n", t->what,
		    t->ask < 0 ? "who did it" : "another", path, why);
}

void
see(struct truth *t, const char *fmt, ...)
{
	char path[256];

	FORMAT(path, fmt);
	look(t, ASK_STAT, path, "");
}

void
see_all(struct truth *t, const char *names, const char *fmt, ...)
{
	char dir[256], list[256], *rest = list, *name;
	unsigned long i;

	FORMAT(dir, fmt);
	snprintf(list, sizeof(list), "%s", names);
	for (i = 0; (name = strsep(&rest, " ")) != NULL; i++)
		if (i == 0 || (i + t->round) % 4 == 0)
			see(t, "%s/%s", dir, name);
}

void
see_mode(struct truth *t, mode_t mode, const char *fmt, ...)
{
	const struct sight *s;
	char path[256];

	FORMAT(path, fmt);
	s = look(t, ASK_STAT, path, "");
	if (s->a.err != 0 || (s->a.st.st_mode & 07777) != mode)
		stale(t, path, "the old mode");
}

void
see_group(struct truth *t, gid_t gid, const char *fmt, ...)
{
	const struct sight *s;
	char path[256];

	FORMAT(path, fmt);
	s = look(t, ASK_STAT, path, "");
	if (s->a.err != 0 || s->a.st.st_gid != gid)
		stale(t, path, "the old group");
}

void
see_there(struct truth *t, bool there, const char *fmt, ...)
{
	const struct sight *s;
	char path[256], *slash;

	FORMAT(path, fmt);
	s = look(t, ASK_STAT, path, "");
	if ((s->a.err == 0) != there || (!there && s->a.err != ENOENT))
		stale(t, path, there ? "it is there" : "it is gone");
	slash = strrchr(path, '/');
	*slash = '\0';
	s = look(t, ASK_LISTED, path, slash + 1);
	if (s->a.listed != there)
		stale(t, path, there ? "lists it not" : "lists what is gone");
}

void
see_link(struct truth *t, const char *target, const char *fmt, ...)
{
	const struct sight *s;
	char path[256];

	FORMAT(path, fmt);
	s = look(t, ASK_LINK, path, "");
	if (target == NULL ? s->a.err != ENOENT
			   : s->a.err != 0 || strcmp(s->a.target, target) != 0)
		stale(t, path, "the old target");
	s = look(t, ASK_STAT, path, "");
	if (target == NULL
		? s->a.err != ENOENT
		: s->a.err != 0 || (size_t)s->a.st.st_size != strlen(target))
		stale(t, path, "the old link");
}

/* The length of a fresh read; a value that is not there has none. */
static off_t
read_length(const char *path)
{
	int fd = open(path, O_RDONLY);
	char buf[8192];
	off_t length = 0;
	ssize_t n;

	if (fd < 0)
		return 0;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		length += n;
	close(fd);
	return length;
}

static bool
ends_in(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash + 1, name) == 0;
}

static void
judge_size(struct truth *t, const struct sight *s)
{
	const char *path = s->q.path;
	off_t length, size = s->a.st.st_size;

	if (ends_in(path, "data"))
		return;
	length = read_length(path);
	/* Of what may be huge it is an upper bound. */
	if (size < length || (size > length && !ends_in(path, "list") &&
				 !ends_in(path, "windows")))
		stale(t, path, "the size is not what a read gives");
}

static bool
same_time(const struct timespec *a, const struct statx_timestamp *b)
{
	return a->tv_sec == b->tv_sec && (uint32_t)a->tv_nsec == b->tv_nsec;
}

static void
judge_stat(struct truth *t, const struct sight *s)
{
	const char *path = s->q.path;
	const struct stat *st = &s->a.st;
	struct statx now;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_STATX_FORCE_SYNC,
		STATX_BASIC_STATS, &now) < 0) {
		if (s->a.err == 0)
			stale(t, path, "it is gone");
		return;
	}
	if (s->a.err != 0)
		stale(t, path, "it is there");
	else if ((uint64_t)st->st_size != now.stx_size)
		stale(t, path, "the old size");
	else if (st->st_mode != now.stx_mode)
		stale(t, path, "the old mode");
	else if (st->st_uid != now.stx_uid || st->st_gid != now.stx_gid)
		stale(t, path, "the old owner");
	else if (!same_time(&st->st_mtim, &now.stx_mtime))
		stale(t, path, "the old time");
	else if (S_ISREG(st->st_mode))
		judge_size(t, s);
}

void
judge(struct truth *t)
{
	size_t i;

	for (i = 0; i < t->nsights; i++)
		if (t->sights[i].q.ask == ASK_STAT)
			judge_stat(t, &t->sights[i]);
	t->nsights = 0;
	t->tries++;
	t->ask = t->tries % 2 == 0 ? -1 : t->helper;
}
