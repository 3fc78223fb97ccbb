/* SPDX-License-Identifier: MIT */
/* Doing and looking, in this process or in another. */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "truth.h"

static bool
is_listed(const char *dir, const char *name)
{
	const struct dirent *d;
	bool found = false;
	DIR *dp = opendir(dir);

	if (dp == NULL)
		return false;
	while ((d = readdir(dp)) != NULL)
		found |= strcmp(d->d_name, name) == 0;
	closedir(dp);
	return found;
}

static int
command(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), code = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		code = errno;
	close(fd);
	return code;
}

void
answer_here(const struct question *q, struct answer *a)
{
	memset(a, 0, sizeof(*a));
	switch (q->ask) {
	case ASK_STAT:
		a->err = lstat(q->path, &a->st) < 0 ? errno : 0;
		break;
	case ASK_LISTED:
		a->listed = is_listed(q->path, q->text);
		break;
	case ASK_LINK:
		if (readlink(q->path, a->target, sizeof(a->target) - 1) < 0)
			a->err = errno;
		break;
	case ASK_PUT:
		a->err = command(q->path, q->text);
		break;
	}
}

void
helper_run(int fd)
{
	struct question q;
	struct answer a;

	while (recv(fd, &q, sizeof(q), 0) == sizeof(q)) {
		answer_here(&q, &a);
		if (send(fd, &a, sizeof(a), 0) < 0)
			break;
	}
}

void
helper_ask(int fd, const struct question *q)
{
	if (send(fd, q, sizeof(*q), 0) < 0)
		err(2, "the helper");
}

void
helper_answer(int fd, struct answer *a)
{
	if (recv(fd, a, sizeof(*a), 0) != sizeof(*a))
		err(2, "the helper");
}

void
helper_put(struct truth *t, const char *text, const char *path)
{
	struct question q = { .ask = ASK_PUT };

	snprintf(q.path, sizeof(q.path), "%s", path);
	snprintf(q.text, sizeof(q.text), "%s", text);
	helper_ask(t->helper, &q);
}

void
helper_wait(struct truth *t)
{
	struct answer a;

	helper_answer(t->helper, &a);
	if ((errno = a.err) != 0)
		err(2, "the helper's command");
}

void
put(const char *text, const char *fmt, ...)
{
	char path[256];

	FORMAT(path, fmt);
	if ((errno = command(path, text)) != 0)
		err(2, "%s >%s", text, path);
}

void
refused(const char *text, const char *fmt, ...)
{
	char path[256];

	FORMAT(path, fmt);
	if (command(path, text) == 0)
		errx(2, "%s >%s: not refused", text, path);
}

void
make(const char *fmt, ...)
{
	char path[256];

	FORMAT(path, fmt);
	if (mkdir(path, 0755) < 0)
		err(2, "mkdir %s", path);
}

void
unmake(const char *fmt, ...)
{
	char path[256];

	FORMAT(path, fmt);
	if (rmdir(path) < 0)
		err(2, "rmdir %s", path);
}

void
word(char *buf, size_t size, const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (n < 0)
		err(2, "%s", path);
	buf[n] = '\0';
	buf[strcspn(buf, " \n")] = '\0';
	close(fd);
}
