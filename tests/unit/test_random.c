/* SPDX-License-Identifier: MIT */
/* Random lines made of what lines are made of: what must hold for each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "tap.h"

/* xorshift64*: the same lines in each run. */
static uint64_t
random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1d;
}

static unsigned
below(uint64_t *state, unsigned n)
{
	return (unsigned)(random_next(state) >> 33) % n;
}

#define SECRET_HEX "5ec2e7aa"
#define SECRET_DEC "1589831594"

static const char *const tokens[] = { "reg", "bind", "connect", "write", "send",
	"type", "rights", "invalidate", "buf", "a", "4K", "0", "1", "64Q", "-1",
	"+1", "0x" SECRET_HEX, SECRET_DEC, SECRET_HEX, "fd=3",
	"iova=", "iova=0x1000", "invalidate=0x" SECRET_HEX,
	"invalidate=" SECRET_HEX, "qp=q", "qp=", "tag=1", "qpn=1", "psn=2",
	"gid=fe80::1", "foo=1", "remote_read", "+remote_write", "-mw_bind",
	"none", "0xf", ",", "=", "'", "''", "'a b'", "#", "\t", "\\", "\033[1m",
	"\303\251", "\001" };

/* A line in memory of just its size, so that a sanitizer sees its end. */
static char *
random_line(uint64_t *state, size_t *len)
{
	unsigned words = below(state, 9);
	struct text t = { 0 };
	char *line;

	if (below(state, 1000) == 0)
		words = 60 + below(state, 8);
	for (unsigned i = 0; i < words; i++) {
		/* The first is mostly a verb. */
		text_puts(&t, tokens[i == 0 && below(state, 8) > 0
					 ? below(state, 8)
					 : below(state, NELEM(tokens))]);
		if (below(state, 10) > 0)
			text_puts(&t, " ");
	}
	if (t.len > 0 && below(state, 10) == 0)
		t.buf[below(state, (unsigned)t.len)] = (char)below(state, 256);
	*len = t.len;
	line = malloc(t.len);
	if (t.len > 0)
		memcpy(line, t.buf, t.len);
	text_fini(&t);
	return line;
}

static bool
has_secret(const char *s)
{
	return strstr(s, "5ec2") != NULL || strstr(s, "1589") != NULL;
}

/* Two lines, printable; the caret under the command or right behind it. */
static bool
well_shown(const struct text *t)
{
	const char *end = memchr(t->buf, '\n', t->len);
	size_t width, caret;

	if (end == NULL || strlen(t->buf) != t->len)
		return false;
	width = (size_t)(end - t->buf);
	for (const char *s = t->buf; s < end; s++)
		if (*s < ' ' || *s > '~')
			return false;
	caret = strspn(end + 1, " ");
	return caret <= width + 1 && strcmp(end + 1 + caret, "^\n") == 0;
}

/* No word is shown that has a key: only where all of them are masked. */
static bool
keeps_secrets(const struct cmd *cmd, const struct text *t)
{
	if (cmd->parsed)
		for (unsigned i = 0; i < cmd->nwords; i++)
			if (cmd->words[i].type != 'k' &&
			    has_secret(cmd->words[i].str))
				return true;
	return !has_secret(t->buf);
}

/* Whether the words, put together again, mean the same. */
static bool
means_the_same(const struct cmd *cmd, const char *implied)
{
	struct text line = { 0 }, one = { 0 }, two = { 0 };
	struct cmd again;
	bool same;

	for (unsigned i = 0; i < cmd->nwords; i++) {
		text_puts(&line, i > 0 ? " " : "");
		text_word(&line, cmd->words[i].str);
	}
	same = cmd_parse(&again, verbs, implied, line.buf, line.len, NULL) == 0;
	describe(cmd, &one);
	describe(&again, &two);
	same = same && strcmp(one.buf, two.buf) == 0;
	cmd_fini(&again);
	text_fini(&two);
	text_fini(&one);
	text_fini(&line);
	return same;
}

struct tally {
	unsigned parsed, wrong, badly_shown, secrets, changed;
};

static void
try_line(const char *line, size_t len, const char *implied, struct tally *n)
{
	struct text t = { 0 };
	struct cmd cmd;
	struct err e = { 0 };
	int r = cmd_parse(&cmd, verbs, implied, line, len, &e);

	n->wrong += cmd.parsed != (r == 0);
	if (r < 0)
		n->wrong += r != -EINVAL || e.code != EINVAL ||
			    e.text[0] == '\0' || strchr(e.text, '\n') != NULL;
	cmd_blame(&cmd, &e, &t);
	n->badly_shown += !well_shown(&t);
	n->secrets += !keeps_secrets(&cmd, &t) || has_secret(e.text);
	if (r == 0 && cmd.verb != NULL) {
		n->parsed++;
		n->changed += !means_the_same(&cmd, implied);
	}
	text_fini(&t);
	cmd_fini(&cmd);
}

static void
test_random(void)
{
	uint64_t state = 0x9e3779b97f4a7c15;
	struct tally n = { 0 };
	size_t len;

	for (unsigned i = 0; i < 200000; i++) {
		char *line = random_line(&state, &len);

		try_line(line, len, i % 8 == 0 ? "rights" : NULL, &n);
		free(line);
	}
	ok(n.parsed > 5000, "many of 200000 random lines mean something: %u",
	    n.parsed);
	is_int(n.wrong, 0, "each returns 0, or -EINVAL with a reason");
	is_int(n.badly_shown, 0, "each is shown in two harmless lines");
	is_int(n.secrets, 0, "none shows a key");
	is_int(n.changed, 0, "each means the same when it is quoted anew");
}

int
main(void)
{
	test_random();
	return done_testing();
}
