/* SPDX-License-Identifier: MIT */
/* FUSE messages by kind, as rdmafs and null count them. */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define METRIC "fuse_messages_total{opcode=\""

void
counter_open(struct counter *c, const char *path)
{
	c->fd = open_file(path, O_RDONLY);
}

void
counter_close(struct counter *c)
{
	close(c->fd);
}

static void
take(const struct counter *c, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while ((n = pread(c->fd, buf + used, size - 1 - used, (off_t)used)) > 0)
		used += (size_t)n;
	if (n < 0)
		err(1, "counts of messages");
	buf[used] = '\0';
}

/* The value of one opcode in a text. */
static double
value(const char *text, const char *opcode, size_t len)
{
	const char *p = text;

	while ((p = strstr(p, METRIC)) != NULL) {
		p += strlen(METRIC);
		if (strncmp(p, opcode, len) == 0 && p[len] == '"')
			return strtod(strchr(p, ' '), NULL);
	}
	return 0;
}

bool
counter_there(struct counter *c)
{
	take(c, c->buf, sizeof(c->buf));
	return strstr(c->buf, METRIC) != NULL;
}

/* Twice, so that what counting itself costs is known. */
void
counter_begin(struct counter *c)
{
	take(c, c->self, sizeof(c->self));
	take(c, c->before, sizeof(c->before));
}

static double
difference(const struct counter *c, const char *opcode, size_t len)
{
	const double before = value(c->before, opcode, len);

	return value(c->buf, opcode, len) - before -
	       (before - value(c->self, opcode, len));
}

void
counter_end(struct counter *c, unsigned n, char *buf, size_t size)
{
	const char *p = c->buf;
	size_t used = 0, len;
	double d;

	take(c, c->buf, sizeof(c->buf));
	buf[0] = '\0';
	while ((p = strstr(p, METRIC)) != NULL && used < size) {
		p += strlen(METRIC);
		len = strcspn(p, "\"");
		if ((d = difference(c, p, len)) != 0)
			used += (size_t)snprintf(buf + used, size - used,
			    "%s%.*s %.4g", used ? "  " : "", (int)len, p,
			    d / n);
	}
	if (used == 0)
		snprintf(buf, size, "none");
}

double
counter_sum(struct counter *c, const char *opcode)
{
	const char *p = c->buf;
	double sum = 0;
	size_t len;

	while ((p = strstr(p, METRIC)) != NULL) {
		p += strlen(METRIC);
		len = strcspn(p, "\"");
		if (opcode == NULL ||
		    (strlen(opcode) == len && strncmp(opcode, p, len) == 0))
			sum += difference(c, p, len);
	}
	return sum;
}

/* The last RELEASE may come after the answer to the last close. */
void
message_row(const char *what, struct counter *c, const struct work *w)
{
	const unsigned n = 1000;
	char counts[300];

	if (!counter_there(c)) {
		printf("%-46s  -  not counted\n", what);
		return;
	}
	w->run(w->arg, 2);
	usleep(20000);
	counter_begin(c);
	w->run(w->arg, n);
	usleep(20000);
	counter_end(c, n, counts, sizeof(counts));
	printf("%-46s  %s\n", what, counts);
	fflush(stdout);
}
