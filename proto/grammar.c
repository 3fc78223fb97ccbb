/* SPDX-License-Identifier: MIT */
/* Reads grammars and prints them for the user; see cmd.h. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "parse.h"

static bool
name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The type in front of which s stands: ":size", "=num", "...", "+num...". */
static char
type_of(const char *s)
{
	if (*s == '.')
		return 'r';
	if (*s == '+')
		return 'R';
	assert(*s == ':' || *s == '=');
	if (s[1] == 'n' && s[2] == 'u')
		return 'u';
	assert(memchr("nsakglow", s[1], 8) != NULL);
	return s[1];
}

/* Reads one parameter; open: in brackets.  Returns what is behind it. */
static const char *
param_parse(struct param *p, const char *s, bool *open)
{
	p->opens = *s == '[';
	if (p->opens)
		s++;
	p->optional = *open = *open || p->opens;
	p->name = s;
	while (name_char(*s))
		s++;
	assert(s > p->name && s - p->name <= UINT8_MAX);
	p->len = (uint8_t)(s - p->name);
	p->option = *s == '=';
	p->type = type_of(s);
	while (*s != '\0' && *s != ' ' && *s != ']')
		s++;
	p->closes = *s == ']';
	if (p->closes) {
		*open = false;
		s++;
	}
	return s;
}

void
grammar_parse(struct grammar *g, const char *text)
{
	bool open = false;

	for (g->n = 0; *text != '\0'; g->n++) {
		assert(g->n < CMD_ARGS + 1);
		text = param_parse(&g->params[g->n], text, &open);
		while (*text == ' ')
			text++;
	}
	assert(!open);
}

const struct param *
param_option(const struct grammar *g, const char *word, size_t n)
{
	const struct param *p;

	for (p = g->params; p < g->params + g->n; p++)
		if (p->option && p->len == n && memcmp(p->name, word, n) == 0)
			return p;
	return NULL;
}

static void
upper(const char *s, size_t n, struct text *t)
{
	for (; n > 0; n--, s++)
		text_printf(t, "%c", toupper((unsigned char)*s));
}

/* What stands behind the = of an option. */
static void
option_usage(const struct param *p, struct text *t)
{
	text_add(t, p->name, p->len);
	switch (p->type) {
	case 'n':
		text_puts(t, "=NAME");
		break;
	case 's':
		text_puts(t, "=SIZE");
		break;
	case 'u':
		text_puts(t, "=N");
		break;
	case 'a':
		text_puts(t, "=ADDR");
		break;
	case 'k':
		text_puts(t, "=RKEY");
		break;
	case 'l':
		text_puts(t, "=LIMIT");
		break;
	default:
		text_puts(t, "=");
		upper(p->name, p->len, t);
	}
}

void
param_usage(const struct param *p, struct text *t)
{
	if (p->type == 'r' || p->type == 'R')
		text_puts(t, "RIGHT...");
	else if (p->option)
		option_usage(p, t);
	else
		upper(p->name, p->len, t);
}

void
grammar_usage(const struct grammar *g, struct text *t)
{
	const struct param *p;

	for (p = g->params; p < g->params + g->n; p++) {
		text_puts(t, p->opens ? " [" : " ");
		param_usage(p, t);
		if (p->closes)
			text_puts(t, "]");
	}
}

void
verb_usage(const struct verb *v, struct text *t)
{
	struct grammar g;

	grammar_parse(&g, v->grammar);
	text_puts(t, v->name);
	grammar_usage(&g, t);
}

void
verb_usage_implied(const struct verb *v, struct text *t)
{
	struct grammar g;
	struct text usage = { 0 };

	grammar_parse(&g, v->grammar);
	grammar_usage(&g, &usage);
	if (usage.nomem)
		t->nomem = true;
	else if (usage.len > 0)
		text_puts(t, usage.buf + 1); /* without the blank */
	text_fini(&usage);
}

void
verbs_help(const struct verb *table, struct text *t)
{
	for (; table->name != NULL; table++) {
		text_puts(t, "# ");
		verb_usage(table, t);
		if (table->help != NULL && table->help[0] != '\0')
			text_printf(t, "  (%s)", table->help);
		text_puts(t, "\n");
	}
}

int
fail_text(struct err *e, struct text *t)
{
	int r = fail(e, EINVAL, "%s", t->nomem ? "out of memory" : t->buf);

	text_fini(t);
	return r;
}
