/* SPDX-License-Identifier: MIT */
/* Commands counted by verb; see commands.h. */
#include <string.h>

#include "commands.h"
#include "tree.h"

static struct command_count *
verb_find(struct commands *c, const char *verb)
{
	unsigned i;

	/* Most often the very string: equal literals are one. */
	for (i = 0; i < c->n; i++)
		if (c->verbs[i] == verb)
			return &c->counts[i];
	for (i = 0; i < c->n; i++)
		if (strcmp(c->verbs[i], verb) == 0)
			return &c->counts[i];
	return NULL;
}

static void
verb_add(struct commands *c, const char *verb)
{
	if (c->n == COMMANDS_VERBS || verb_find(c, verb) != NULL)
		return;
	c->verbs[c->n] = verb;
	c->counts[c->n++].verb = verb;
}

static void
verbs_add(struct commands *c, const struct dirtype *d)
{
	const struct file *f;
	const struct verb *v;

	for (f = d->files; f != NULL && f->name != NULL; f++)
		for (v = f->verbs; v != NULL && v->name != NULL; v++)
			verb_add(c, v->name);
}

void
commands_init(struct commands *c)
{
	/* The first one is for what is none; the others are no lines. */
	static const char *const others[] = { "invalid", "mkdir", "rmdir", "mv",
		"clone" };
	const struct dirtype *const *d;
	size_t i;
	int k;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		verb_add(c, others[i]);
	for (k = KIND_ROOT; k <= KIND_MEM; k++)
		for (d = kind_info((enum kind)k)->dirtypes; *d != NULL; d++)
			verbs_add(c, *d);
}

struct command_count *
commands_of(struct commands *c, const char *verb)
{
	struct command_count *n = verb != NULL ? verb_find(c, verb) : NULL;

	return n != NULL ? n : &c->counts[0];
}

void
command_count(struct command_count *n, int code)
{
	tally_add(&n->all, 1);
	if (code != 0)
		tally_add(&n->refused[code < COMMANDS_ERRNO ? code : 0], 1);
}

void
commands_count(struct commands *c, const char *verb, int code)
{
	command_count(commands_of(c, verb), code);
}
