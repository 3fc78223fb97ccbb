/* SPDX-License-Identifier: MIT */
/* Lines of lists and of kernel/ into rows; see rdmals.h. */
#include <string.h>

#include "../proto/value.h"
#include "rdmals.h"

/*
 * The end of the quoted part that begins at s, with '' in it for one quote,
 * which become one; it has to end the word, too.  NULL: it is no quoted part.
 */
static char *
quote_take(char *s)
{
	char *from, *to, *end = s;

	do
		if ((end = strchr(end + 1, '\'')) == NULL)
			return NULL;
	while (end[1] == '\'' && *++end != '\0');
	if (strchr(" \t", end[1]) == NULL)
		return NULL;
	for (from = s + 1, to = s; from < end; from++) {
		*to++ = *from;
		from += *from == '\'';
	}
	*to = '\0';
	return end + 1;
}

/* Takes the next word from *s, up to a blank; its value may be quoted.  NULL:
 * there is none. */
static char *
word_take(char **s)
{
	char *word = *s + strspn(*s, " \t"), *end;
	size_t n = strcspn(word, "= \t");

	if (*word == '\0')
		return NULL;
	if (word[n] != '=' || word[n + 1] != '\'' ||
	    (end = quote_take(word + n + 1)) == NULL)
		end = word + n + strcspn(word + n, " \t");
	*s = end + (*end != '\0');
	*end = '\0';
	return word;
}

/* The key=value words up to the line's end; one without = says nothing. */
static void
words_take(struct row *r, char *s)
{
	char *word, *value;

	r->nwords = 0;
	while ((word = word_take(&s)) != NULL) {
		value = strchr(word, '=');
		if (value == NULL || r->nwords == ROW_WORDS)
			continue;
		*value++ = '\0';
		r->words[r->nwords++] = (struct word){ word, value };
	}
}

bool
row_parse(struct row *r, char *line)
{
	memset(r, 0, offsetof(struct row, words));
	r->path = word_take(&line);
	r->kind = r->path != NULL ? word_take(&line) : NULL;
	r->state = r->kind != NULL ? word_take(&line) : NULL;
	r->own = true;
	if (r->state == NULL || strchr(r->kind, '=') != NULL ||
	    strchr(r->state, '=') != NULL)
		return false;
	words_take(r, line);
	return true;
}

bool
row_parse_kernel(struct row *r, char *line)
{
	const char *own, *state;

	memset(r, 0, offsetof(struct row, words));
	words_take(r, line);
	if (r->nwords == 0)
		return false;
	r->id = r->words[0].value;
	own = row_get(r, "own");
	r->own = own != NULL && strcmp(own, "yes") == 0;
	state = row_get(r, "state");
	r->state = state != NULL ? state : "";
	return true;
}

const char *
row_get(const struct row *r, const char *key)
{
	size_t i;

	for (i = 0; i < r->nwords; i++)
		if (strcmp(r->words[i].key, key) == 0)
			return r->words[i].value;
	return NULL;
}

int
row_number(const struct row *r, const char *key, uint64_t *n)
{
	const char *value = row_get(r, key);

	if (value == NULL || value_number(value, UINT64_MAX, n, NULL) < 0)
		return -1;
	return 0;
}

static uint64_t
text_sum(const char *s, uint64_t sum)
{
	do
		sum = (sum ^ (unsigned char)*s) * 0x100000001b3;
	while (*s++ != '\0');
	return sum;
}

uint64_t
row_sum(const struct row *r, uint64_t sum)
{
	size_t i;

	sum = text_sum(r->path, sum ^ 0xcbf29ce484222325);
	sum = text_sum(r->state, sum);
	for (i = 0; i < r->nwords; i++)
		sum =
		    text_sum(r->words[i].value, text_sum(r->words[i].key, sum));
	return sum;
}

/* soft0, soft0/pd/lab, soft0/pd/lab/qp/q: two parts a level. */
unsigned
row_depth(const struct row *r)
{
	const char *s;
	unsigned slashes = 0;

	if (r->id != NULL)
		return 1;
	for (s = r->path; (s = strchr(s, '/')) != NULL; s++)
		slashes++;
	return (slashes + 1) / 2;
}

const char *
row_name(const struct row *r)
{
	const char *slash = strrchr(r->path, '/');

	return slash != NULL ? slash + 1 : r->path;
}

const char *
row_device(const struct row *r, char *buf, size_t size)
{
	(void)strlcpy(buf, r->path, size);
	buf[strcspn(buf, "/")] = '\0';
	return buf;
}

const char *
row_domain(const struct row *r, char *buf, size_t size)
{
	const char *s = strchr(r->path, '/');

	buf[0] = '\0';
	if (s == NULL || strncmp(s, "/pd/", 4) != 0)
		return buf;
	(void)strlcpy(buf, s + 4, size);
	buf[strcspn(buf, "/")] = '\0';
	return buf;
}
