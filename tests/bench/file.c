/* SPDX-License-Identifier: MIT */
/* rdmafs' files as the benchmarks use them. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

#define BATCH_BYTES (1u << 20)
#define LINE_BYTES  256

struct path
path(const char *fmt, ...)
{
	struct path p;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p.s, sizeof(p.s), fmt, ap);
	va_end(ap);
	return p;
}

int
open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

void
write_all(int fd, const char *text, size_t len)
{
	if (write(fd, text, len) != (ssize_t)len)
		err(1, "write %.40s", text);
}

bool
try_put(const char *path, const char *text)
{
	int fd = open_file(path, O_WRONLY);
	bool good = write(fd, text, strlen(text)) >= 0;
	int code = errno;

	close(fd);
	errno = code;
	return good;
}

void
put(const char *path, const char *text)
{
	if (!try_put(path, text))
		err(1, "%s >%s", text, path);
}

void
make_dir(const char *path)
{
	if (mkdir(path, 0755) < 0)
		err(1, "mkdir %s", path);
}

unsigned long
proc_kb(pid_t pid, const char *key)
{
	char line[256];
	unsigned long kb = 0;
	FILE *f = fopen(path("/proc/%d/status", (int)pid).s, "r");

	if (f == NULL)
		err(1, "/proc/%d/status", (int)pid);
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			kb = strtoul(line + strlen(key) + 1, NULL, 10);
	fclose(f);
	return kb;
}

/* A file of the name may be there without taking mkdir yet. */
bool
has_batch(const char *pd)
{
	return access(path("%s/batch", pd).s, W_OK) == 0;
}

static bool
batch_run(const struct many *m, int fd, char *buf)
{
	size_t used = 0;
	unsigned i;

	for (i = 0; i < m->count; i++) {
		used += (size_t)snprintf(
		    buf + used, LINE_BYTES, m->format, m->first + i);
		if (used < BATCH_BYTES - LINE_BYTES && i < m->count - 1)
			continue;
		if (write(fd, buf, used) != (ssize_t)used)
			return false;
		used = 0;
	}
	return true;
}

/* "mkdir NAME\n" or "PATH VERB...\n", by hand. */
static bool
by_hand(const char *pd, char *line)
{
	char *rest = strchr(line, ' ');

	line[strcspn(line, "\n")] = '\0';
	*rest++ = '\0';
	if (strcmp(line, "mkdir") == 0)
		return mkdir(path("%s/%s", pd, rest).s, 0755) == 0;
	return try_put(path("%s/%s/ctl", pd, line).s, rest);
}

bool
many_run(const struct many *m)
{
	char line[LINE_BYTES], *buf;
	bool good = true;
	unsigned i;
	int fd;

	if (has_batch(m->pd)) {
		fd = open_file(path("%s/batch", m->pd).s, O_WRONLY);
		if ((buf = malloc(BATCH_BYTES)) == NULL)
			err(1, "malloc");
		good = batch_run(m, fd, buf);
		free(buf);
		close(fd);
		return good;
	}
	for (i = 0; good && i < m->count; i++) {
		snprintf(line, sizeof(line), m->format, m->first + i);
		good = by_hand(m->pd, line);
	}
	return good;
}
