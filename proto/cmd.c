/* SPDX-License-Identifier: MIT */
/*
 * The parser of command lines; see cmd.h.  A line is cut into words, the
 * verb's row is found, and each word goes to one of its parameters.  No
 * memory is allocated unless there is an error to tell.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "parse.h"

struct parser {
	struct cmd *cmd;
	const struct grammar *g;
	unsigned next; /* parameter to look at for the next positional word */
	unsigned given; /* parameters but rights, bits by their indexes */
	struct err *e; /* NULL from the second error on */
};

static bool
type_is_number(char type)
{
	return type == 's' || type == 'u' || type == 'a' || type == 'k';
}

/* Whether a word means to be a number, be it a right one or not. */
static bool
looks_like_number(const char *s)
{
	if (*s == '+' || *s == '-')
		s++;
	return isdigit((unsigned char)*s);
}

/* "LENGTH is missing: how the command is to be written". */
static int
fail_usage(struct parser *ps, const struct param *p, const char *what)
{
	struct text t = { 0 };

	if (ps->e == NULL)
		return -EINVAL;
	if (p != NULL)
		param_usage(p, &t);
	text_puts(&t, what);
	text_puts(&t, ps->cmd->verb->name);
	grammar_usage(ps->g, &t);
	return fail_text(ps->e, &t);
}

static int
fail_option(struct parser *ps)
{
	struct text t = { 0 };
	const char *before = "no such option; there are: ";
	const struct param *p;

	if (ps->e == NULL)
		return -EINVAL;
	for (p = ps->g->params; p < ps->g->params + ps->g->n; p++) {
		if (!p->option)
			continue;
		text_puts(&t, before);
		param_usage(p, &t);
		before = " ";
	}
	if (t.len == 0 && !t.nomem)
		return fail_usage(ps, NULL, "no option is taken here: ");
	return fail_text(ps->e, &t);
}

/* "LENGTH: not a size ...". */
static int
fail_value(struct parser *ps, const struct param *p, const struct err *why)
{
	struct text t = { 0 };

	if (ps->e == NULL)
		return -EINVAL;
	param_usage(p, &t);
	text_printf(&t, ": %s", why->text);
	return fail_text(ps->e, &t);
}

static int
value_parse(struct cmd_arg *a, struct err *e)
{
	switch (a->type) {
	case 's':
		return value_size(a->str, &a->num, e);
	case 'u':
	case 'a':
		return value_number(a->str, UINT64_MAX, &a->num, e);
	case 'k':
		return value_number(a->str, UINT32_MAX, &a->num, e);
	case 'l':
		return value_limit(a->str, &a->num, e);
	case 'o':
		return value_owner(a->str, &a->num, e);
	case 'g':
		return value_gid(a->str, (uint8_t[16]){ 0 }, e);
	case 'n':
		return name_check(a->str, e);
	}
	return 0;
}

static unsigned
param_bit(const struct parser *ps, const struct param *p)
{
	return 1U << (p - ps->g->params);
}

/* Word i, or what stands behind its =, is the argument for p. */
static int
take_arg(struct parser *ps, const struct param *p, unsigned i, const char *str)
{
	struct cmd_arg *a;
	struct err why;

	assert(ps->cmd->nargs < CMD_ARGS);
	a = &ps->cmd->args[ps->cmd->nargs++];
	*a = (struct cmd_arg){ .param = p->name,
		.name_len = p->len,
		.word = (uint8_t)i,
		.type = p->type,
		.str = str };
	ps->given |= param_bit(ps, p);
	/* Before the value is looked at: a bad key is to be masked, too. */
	ps->cmd->words[i].type = p->type;
	return value_parse(a, &why) < 0 ? fail_value(ps, p, &why) : 0;
}

static int
take_option(struct parser *ps, unsigned i, const char *value)
{
	const char *word = ps->cmd->words[i].str;
	const struct param *p;
	size_t n = (size_t)(value - 1 - word);

	if ((p = param_option(ps->g, word, n)) == NULL)
		return fail_option(ps);
	if (ps->given & param_bit(ps, p)) {
		ps->cmd->words[i].type = p->type;
		return fail_usage(ps, p, " is given twice: ");
	}
	return take_arg(ps, p, i, value);
}

/* The parameter that a positional word is for; NULL: there is none left. */
static const struct param *
positional_next(struct parser *ps, const char *word)
{
	const struct param *p;

	for (; ps->next < ps->g->n; ps->next++) {
		p = &ps->g->params[ps->next];
		if (p->option)
			continue;
		if (!p->opens || !type_is_number(p->type) ||
		    looks_like_number(word))
			return p;
		while (!ps->g->params[ps->next].closes)
			ps->next++;
	}
	return NULL;
}

static int
take_positional(struct parser *ps, unsigned i)
{
	struct cmd *cmd = ps->cmd;
	const char *word = cmd->words[i].str;
	const struct param *p;

	if ((p = positional_next(ps, word)) == NULL)
		return fail_usage(ps, NULL, "a word too many: ");
	if (p->type == 'r' || p->type == 'R') {
		cmd->words[i].type = 'r';
		return rights_add_word(
		    &cmd->rights, word, p->type == 'R', ps->e);
	}
	ps->next++;
	return take_arg(ps, p, i, word);
}

static int
take_word(struct parser *ps, unsigned i)
{
	const char *value = ps->cmd->words[i].value;

	return value != NULL ? take_option(ps, i, value)
			     : take_positional(ps, i);
}

/*
 * All words behind the verb.  After an error it goes on, for the rest to get
 * their types: a key among them is to be masked.
 */
static int
take_words(struct parser *ps)
{
	int r = 0;

	for (unsigned i = ps->cmd->implied ? 0 : 1; i < ps->cmd->nwords; i++) {
		if (take_word(ps, i) == 0 || r < 0)
			continue;
		r = -EINVAL;
		ps->cmd->blame = i;
		ps->e = NULL;
	}
	return r;
}

static bool
is_given(const struct parser *ps, const struct param *p)
{
	if (p->type == 'r' || p->type == 'R')
		return ps->cmd->rights.given;
	return (ps->given & param_bit(ps, p)) != 0;
}

/* What is in brackets is needed once the first of it was given. */
static int
missing_check(struct parser *ps)
{
	const struct param *p;
	bool needed = true, given;

	for (p = ps->g->params; p < ps->g->params + ps->g->n; p++) {
		given = is_given(ps, p);
		if (!p->optional || p->opens)
			needed = !p->optional || given;
		if (needed && !given) {
			ps->cmd->blame = ps->cmd->nwords;
			return fail_usage(ps, p, " is missing: ");
		}
	}
	return 0;
}

/* Everything but the words and buf, which words_cut() fills. */
static void
cmd_init(struct cmd *cmd, bool implied)
{
	cmd->verb = NULL;
	cmd->parsed = cmd->unclosed = false;
	cmd->implied = implied;
	cmd->nwords = cmd->nargs = cmd->blame = cmd->used = 0;
	cmd->rights = (struct rights){ 0 };
}

int
cmd_parse(struct cmd *cmd, const struct verb *table, const char *implied,
    const char *line, size_t len, struct err *e)
{
	struct parser ps = { .cmd = cmd, .e = e };
	struct grammar spare;
	int r;

	assert(len <= CMD_LINE);
	cmd_init(cmd, implied != NULL);
	if ((r = words_cut(cmd, line, len, e)) < 0)
		return r;
	if (cmd->nwords > 0) {
		if ((r = row_find(cmd, table, implied, &spare, &ps.g, e)) < 0 ||
		    (r = take_words(&ps)) < 0 || (r = missing_check(&ps)) < 0)
			return r;
	}
	cmd->parsed = true;
	return 0;
}

void
cmd_fini(struct cmd *cmd)
{
	explicit_bzero(cmd->args, cmd->nargs * sizeof(cmd->args[0]));
	explicit_bzero(cmd->buf, cmd->used);
	cmd_init(cmd, false);
}

const struct cmd_arg *
cmd_arg(const struct cmd *cmd, const char *name, size_t n)
{
	const struct cmd_arg *a;

	for (a = cmd->args; a < cmd->args + cmd->nargs; a++)
		if (a->name_len == n && memcmp(a->param, name, n) == 0)
			return a;
	return NULL;
}
