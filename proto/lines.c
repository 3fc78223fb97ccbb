/* SPDX-License-Identifier: MIT */
/* What a write brings, before it is parsed: lines and names; see cmd.h. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "cmd.h"

#define NAME_LEN 64

/*
 * A pipe's writer may cut its text at a multiple of 4096 in the middle of a
 * line, and then this much without a newline at its end is half a command.
 */
#define CUT_LEN 4096

static bool
is_forbidden(char c)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

#define EACH(byte) (UINT64_MAX / 255 * (byte))

/* Whether any of eight bytes may be forbidden: below a blank, or 0x7f.  Each
 * byte's own high bit is left out; those that have it are not. */
static bool
is_suspect(const char *s)
{
	uint64_t v, low;

	memcpy(&v, s, sizeof(v));
	low = v & EACH(0x7f);
	/* The high bit of a sum: from a blank on; 0x7f. */
	return ((~(low + EACH(0x80 - ' ')) | (low + EACH(1))) & ~v &
		   EACH(0x80)) != 0;
}

size_t
line_sound(const char *line, size_t len)
{
	size_t i = 0;

	while (i < len) {
		if (len - i >= 8 && !is_suspect(line + i))
			i += 8;
		else if (!is_forbidden(line[i]))
			i++;
		else
			break;
	}
	return i;
}

static int
line_check(const char *line, size_t len, unsigned number, struct err *e)
{
	size_t i = line_sound(line, len);

	if (i == len)
		return 0;
	return fail(e, EINVAL,
	    "line %u: byte %zu is the control character 0x%02x", number, i + 1,
	    (unsigned)line[i]);
}

static int
lengths_check(const char *buf, size_t n, struct err *e)
{
	const char *line;
	size_t len, pos = 0;

	for (unsigned i = 1; lines_next(buf, n, &pos, &line, &len); i++)
		if (len > CMD_LINE)
			return fail(e, EMSGSIZE,
			    "line %u has %zu bytes; at most %d", i, len,
			    CMD_LINE);
	return 0;
}

int
lines_check(const char *buf, size_t n, size_t max, struct err *e)
{
	const char *line;
	size_t len, pos = 0;
	int r;

	if (n > max)
		return fail(e, EMSGSIZE,
		    "a write of %zu bytes; at most %zu at once", n, max);
	if ((r = lengths_check(buf, n, e)) < 0)
		return r;
	if (n >= CUT_LEN && buf[n - 1] != '\n')
		return fail(e, EMSGSIZE,
		    "a write of %zu bytes, %d or more, without a newline at "
		    "its end: it may be cut in the middle of a line",
		    n, CUT_LEN);
	for (unsigned i = 1; lines_next(buf, n, &pos, &line, &len); i++)
		if ((r = line_check(line, len, i, e)) < 0)
			return r;
	return 0;
}

bool
lines_next(
    const char *buf, size_t n, size_t *pos, const char **line, size_t *len)
{
	const char *end;

	if (*pos >= n)
		return false;
	*line = buf + *pos;
	end = memchr(*line, '\n', n - *pos);
	*len = end != NULL ? (size_t)(end - *line) : n - *pos;
	*pos += *len + 1;
	return true;
}

static bool
name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

int
name_check(const char *name, struct err *e)
{
	size_t n = 0;

	while (name_char(name[n]))
		n++;
	if (name[n] != '\0' || n == 0 || memchr("._-", name[0], 3) != NULL)
		return fail(e, EINVAL,
		    "a name is letters, digits and . _ - and begins with a "
		    "letter or a digit");
	if (n > NAME_LEN)
		return fail(e, ENAMETOOLONG, "a name has at most %d characters",
		    NAME_LEN);
	return 0;
}
