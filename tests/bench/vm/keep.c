/* SPDX-License-Identifier: MIT */
/*
 * keep: what a program pays that keeps its files of rdmafs open.  Reads lines,
 * their words separated by tabs, and answers each with the nanoseconds that all
 * the writes took, or with - and which one failed.  A # in PATH and TEXT stands
 * for the number of the object, from 0:
 *
 *	kept COUNT PATH TEXT	a write to each of so many files
 *	batch COUNT PATH TEXT	so many lines, in one write to one file
 *	data COUNT PATH BYTES	so many writes of so many bytes, at offset 0
 *
 * Files are opened before the time counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define OBJECTS 256
#define LINE    512 /* bytes; of a text as well */
#define DATA    (1u << 20)

struct job {
	unsigned count;
	const char *path, *text;
	int fd[OBJECTS];
	char line[OBJECTS][LINE];
	size_t len[OBJECTS];
	char *bytes; /* DATA of them */
};

static uint64_t
now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Copies pattern with i in place of #.  Returns the length; cuts at LINE. */
static size_t
expand(const char *pattern, unsigned i, char out[LINE])
{
	size_t n = 0;

	for (; *pattern != '\0' && n + 12 < LINE; pattern++) {
		if (*pattern == '#')
			n += (size_t)snprintf(out + n, LINE - n, "%u", i);
		else
			out[n++] = *pattern;
	}
	out[n] = '\0';
	return n;
}

static int
job_open(struct job *j)
{
	char path[LINE];
	unsigned i;

	for (i = 0; i < j->count; i++) {
		(void)expand(j->path, i, path);
		j->len[i] = expand(j->text, i, j->line[i]);
		j->line[i][j->len[i]++] = '\n';
		if (i > 0 && strchr(j->path, '#') == NULL) {
			j->fd[i] = j->fd[0];
			continue;
		}
		if ((j->fd[i] = open(path, O_WRONLY | O_CLOEXEC)) < 0)
			return -1;
	}
	return 0;
}

static void
job_close(struct job *j)
{
	unsigned i;

	for (i = 0; i < j->count; i++)
		if (j->fd[i] >= 0 && (i == 0 || j->fd[i] != j->fd[0]))
			(void)close(j->fd[i]);
	if (j->fd[0] >= 0)
		(void)close(j->fd[0]);
}

static int
kept(struct job *j)
{
	unsigned i;

	for (i = 0; i < j->count; i++)
		if (write(j->fd[i], j->line[i], j->len[i]) < 0)
			return -1;
	return 0;
}

/* All lines are put together within the time. */
static int
batch(struct job *j)
{
	char all[OBJECTS * LINE];
	size_t n = 0;
	unsigned i;

	for (i = 0; i < j->count; i++) {
		memcpy(all + n, j->line[i], j->len[i]);
		n += j->len[i];
	}
	return write(j->fd[0], all, n) == (ssize_t)n ? 0 : -1;
}

static int
data(struct job *j)
{
	size_t size = strtoul(j->text, NULL, 0);
	unsigned i;

	for (i = 0; i < j->count; i++)
		if (pwrite(j->fd[i], j->bytes, size, 0) != (ssize_t)size)
			return -1;
	return 0;
}

static void
answer(struct job *j, int (*run)(struct job *))
{
	uint64_t begin, end;
	unsigned i;
	int r;

	for (i = 0; i < OBJECTS; i++)
		j->fd[i] = -1;
	r = job_open(j);
	begin = now();
	if (r == 0)
		r = run(j);
	end = now();
	if (r == 0)
		(void)printf("%llu\n", (unsigned long long)(end - begin));
	else
		(void)printf("- %s: %s\n", j->path, strerror(errno));
	(void)fflush(stdout);
	job_close(j);
}

static void
take(struct job *j, char *line)
{
	char *verb, *count;

	line[strcspn(line, "\n")] = '\0';
	verb = strsep(&line, "\t");
	count = strsep(&line, "\t");
	j->path = strsep(&line, "\t");
	j->text = line;
	if (j->text == NULL || (j->count = (unsigned)atoi(count)) > OBJECTS)
		exit(2);
	if (strcmp(verb, "kept") == 0)
		answer(j, kept);
	else if (strcmp(verb, "batch") == 0)
		answer(j, batch);
	else if (strcmp(verb, "data") == 0)
		answer(j, data);
	else
		exit(2);
}

int
main(void)
{
	struct job *j = calloc(1, sizeof(*j));
	char line[2 * LINE];

	if (j == NULL || (j->bytes = calloc(1, DATA)) == NULL)
		return 1;
	while (fgets(line, sizeof(line), stdin) != NULL)
		take(j, line);
	free(j->bytes);
	free(j);
	return 0;
}
