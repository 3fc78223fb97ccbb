/* SPDX-License-Identifier: MIT */
/* Finds the row of a table that a line is for; see cmd.h. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "parse.h"

static int
fail_verb(const struct verb *table, struct err *e)
{
	const struct verb *v;
	struct text t = { 0 };

	text_puts(&t, "unknown verb; there are:");
	for (v = table; v->name != NULL; v++)
		if (v == table || strcmp(v->name, v[-1].name) != 0)
			text_printf(&t, " %s", v->name);
	return fail_text(e, &t);
}

/* Whether any word from the first on is an option that g insists on. */
static bool
row_is_meant(const struct grammar *g, const struct cmd *cmd, unsigned first)
{
	const struct cmd_word *w;
	const struct param *p;

	for (w = cmd->words + first; w < cmd->words + cmd->nwords; w++) {
		if (w->value == NULL)
			continue;
		p = param_option(g, w->str, (size_t)(w->value - 1 - w->str));
		if (p != NULL && !p->optional)
			return true;
	}
	return false;
}

static bool
row_is_plain(const struct grammar *g)
{
	for (unsigned i = 0; i < g->n; i++)
		if (g->params[i].option && !g->params[i].optional)
			return false;
	return true;
}

static const struct verb *
verb_find(const struct verb *table, const char *name)
{
	for (; table->name != NULL; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

static bool
rows_differ(const struct verb *a, const struct verb *b)
{
	return b->name == NULL ||
	       (a->name != b->name && strcmp(a->name, b->name) != 0);
}

/* Of the rows that have the name of v, the one that the words are for. */
static const struct verb *
row_choose(const struct verb *v, const struct cmd *cmd, unsigned first,
    struct grammar *spare, const struct grammar **g)
{
	const struct verb *row, *plain = NULL;

	if (rows_differ(v, v + 1)) {
		*g = grammar_of(v, spare);
		return v;
	}
	for (row = v; row == v || !rows_differ(v, row); row++) {
		*g = grammar_of(row, spare);
		if (row_is_meant(*g, cmd, first))
			return row;
		if (plain == NULL && row_is_plain(*g))
			plain = row;
	}
	if (plain == NULL)
		plain = v;
	if (plain + 1 != row)
		*g = grammar_of(plain, spare);
	return plain;
}

int
row_find(struct cmd *cmd, const struct verb *table, const char *implied,
    struct grammar *spare, const struct grammar **g, struct err *e)
{
	const struct verb *v;

	v = verb_find(table, implied != NULL ? implied : cmd->words[0].str);
	if (v == NULL) {
		assert(implied == NULL);
		return fail_verb(table, e);
	}
	if (implied == NULL)
		cmd->words[0].type = 'v';
	cmd->verb = row_choose(v, cmd, implied == NULL, spare, g);
	return 0;
}
