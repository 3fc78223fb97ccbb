/* SPDX-License-Identifier: MIT */
/*
 * The commands of a batch, parsed.  Many lines say the same of one object after
 * the other: the last few commands are kept, but for those that have a key or an
 * address in them.
 */
#include "batch_impl.h"

static const struct cmd no_command;

static struct parsed *
slot_find(struct batch *b, const struct verb *table)
{
	struct parsed *p;

	for (p = b->parsed; p < b->parsed + PARSED_SLOTS; p++)
		if (p->table == table && p->len == b->rest_len &&
		    memcmp(p->text, b->rest, b->rest_len) == 0)
			return p;
	return NULL;
}

/* One that keeps nothing, or the one whose turn it is. */
static struct parsed *
slot_free(struct batch *b)
{
	struct parsed *p;

	for (p = b->parsed; p < b->parsed + PARSED_SLOTS; p++)
		if (p->table == NULL)
			return p;
	p = &b->parsed[b->next_slot++ % PARSED_SLOTS];
	p->table = NULL;
	cmd_fini(&p->cmd);
	return p;
}

static bool
is_secret(const struct cmd *cmd)
{
	const struct cmd_arg *a;

	for (a = cmd->args; a < cmd->args + cmd->nargs; a++)
		if (a->type == 'k' || a->type == 'a')
			return true;
	return false;
}

int
parsed_get(struct batch *b, const struct verb *table, bool reuse, struct err *e)
{
	struct parsed *p;
	int r;

	parsed_leave(b);
	p = reuse ? slot_find(b, table) : NULL;
	b->slot = p != NULL ? p : slot_free(b);
	b->cmd = b->call.cmd = &b->slot->cmd;
	if (p != NULL)
		return 0;
	p = b->slot;
	r = cmd_parse(&p->cmd, table, NULL, b->rest, b->rest_len, e);
	if (p->cmd.verb != NULL)
		p->count =
		    commands_of(&b->call.fs->commands, p->cmd.verb->name);
	if (r == 0 && reuse && p->cmd.verb != NULL &&
	    b->rest_len <= PARSED_TEXT && !is_secret(&p->cmd)) {
		p->table = table;
		p->len = b->rest_len;
		memcpy(p->text, b->rest, b->rest_len);
	}
	return r;
}

void
parsed_leave(struct batch *b)
{
	if (b->slot != NULL && b->slot->table == NULL)
		cmd_fini(&b->slot->cmd);
	b->slot = NULL;
	b->cmd = b->call.cmd = &no_command;
}

void
parsed_wipe(struct batch *b)
{
	struct parsed *p;

	parsed_leave(b);
	for (p = b->parsed; p < b->parsed + PARSED_SLOTS; p++)
		if (p->table != NULL)
			cmd_fini(&p->cmd);
}
