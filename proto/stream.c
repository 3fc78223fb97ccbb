/* SPDX-License-Identifier: MIT */
/* Lines of a stream that comes in pieces; see stream.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "stream.h"

void
stream_fini(struct stream *s)
{
	if (s->kept != NULL)
		freezero(s->kept, CMD_LINE + 1);
	s->kept = NULL;
	s->len = 0;
}

static int
fail_long(struct err *e)
{
	return fail(e, EMSGSIZE, "a line of over %d bytes", CMD_LINE);
}

static int
bytes_check(const char *line, size_t len, struct err *e)
{
	size_t i = line_sound(line, len);

	if (i == len)
		return 1;
	return fail(e, EINVAL, "byte %zu is the control character 0x%02x",
	    i + 1, (unsigned)line[i]);
}

/* The kept line and the n bytes that it goes on with. */
static int
line_join(struct stream *s, const char *more, size_t n, struct err *e)
{
	if (n > CMD_LINE - s->len)
		return fail_long(e);
	memcpy(s->kept + s->len, more, n);
	s->len += n;
	return bytes_check(s->kept, s->len, e);
}

int
stream_next(struct stream *s, const char *buf, size_t n, size_t *pos,
    const char **line, size_t *len, struct err *e)
{
	size_t begun = s->spent ? 0 : s->len, left = n - *pos;
	const char *from = buf + *pos, *end;

	end = left > 0 ? memchr(from, '\n', left) : NULL;
	if (end == NULL && begun + left <= CMD_LINE)
		return 0;
	s->line++;
	if (end == NULL)
		return fail_long(e);
	*len = begun + (size_t)(end - from);
	*pos += (size_t)(end - from) + 1;
	s->spent = true;
	if (*len > CMD_LINE)
		return fail_long(e);
	*line = begun > 0 ? s->kept : from;
	if (begun > 0)
		return line_join(s, from, (size_t)(end - from), e);
	return bytes_check(*line, *len, e);
}

int
stream_keep(
    struct stream *s, const char *buf, size_t n, size_t pos, struct err *e)
{
	size_t begun = s->spent ? 0 : s->len;

	if (begun == 0 && s->len > 0)
		explicit_bzero(s->kept, s->len);
	s->len = begun;
	s->spent = false;
	if (n == pos)
		return 0;
	if (s->kept == NULL && (s->kept = malloc(CMD_LINE + 1)) == NULL)
		return fail(e, ENOMEM, "out of memory for an unfinished line");
	memcpy(s->kept + begun, buf + pos, n - pos);
	s->len += n - pos;
	return 0;
}

bool
stream_is_unfinished(const struct stream *s)
{
	size_t i = 0;

	while (i < s->len && (s->kept[i] == ' ' || s->kept[i] == '\t'))
		i++;
	return i < s->len && s->kept[i] != '#';
}
