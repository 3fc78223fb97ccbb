/* SPDX-License-Identifier: MIT */
/*
 * A table of verbs, near to the real ones, that the tests of the parser share,
 * and the texts that come of it.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <inttypes.h>

#include "../../proto/cmd.h"

static const struct verb verbs[] = {
	{ "reg", "length:size [rights...] [iova=addr] [huge=size]", NULL, "" },
	{ "reg", "fd=num [offset=size] [length=size] [rights...]", NULL, "" },
	{ "bind",
	    "mr:name [offset:size length:size] [rights...] [qp=name] [tag=num]",
	    NULL, "" },
	{ "connect", "qpn=num psn=num gid=word [lid=num] [mtu=num]", NULL, "" },
	{ "write", "mr:name offset:size length:size addr:addr rkey:key", NULL,
	    "" },
	{ "send", "mr:name offset:size length:size [imm=num] [invalidate=key]",
	    NULL, "" },
	{ "type", "type:word", NULL, "" },
	{ "rights", "rights+num...", NULL, "" },
	{ "invalidate", "", NULL, "" },
	{ NULL, NULL, NULL, NULL },
};

#define VERBS "reg bind connect write send type rights invalidate"

#define USAGE_REG   "reg LENGTH [RIGHT...] [iova=ADDR] [huge=SIZE]"
#define USAGE_FD    "reg fd=N [offset=SIZE] [length=SIZE] [RIGHT...]"
#define USAGE_BIND  "bind MR [OFFSET LENGTH] [RIGHT...] [qp=NAME] [tag=N]"
#define USAGE_CONN  "connect qpn=N psn=N gid=GID [lid=N] [mtu=N]"
#define USAGE_WRITE "write MR OFFSET LENGTH ADDR RKEY"
#define NOT_SIZE    "not a size (a number, K, M, G or T may stand behind it)"
#define NOT_NUMBER  "not a number (decimal, 0x hexadecimal, 0 octal)"
#define NOT_NAME                                                        \
	"a name is letters, digits and . _ - and begins with a letter " \
	"or a digit"
#define NO_RIGHT                                                        \
	"no such right; there are: local_read local_write remote_read " \
	"remote_write remote_atomic mw_bind zero_based on_demand "      \
	"hugetlb relaxed_ordering flush_global flush_persistent"

/* "VERB PARAM:VALUE ... {RIGHTS}": what a parsed line means. */
static inline void
describe(const struct cmd *cmd, struct text *t)
{
	const struct cmd_arg *a;

	text_puts(t, cmd->verb != NULL ? cmd->verb->name : "nothing");
	for (a = cmd->args; a < cmd->args + cmd->nargs; a++) {
		text_printf(t, " %.*s:", a->name_len, a->param);
		if (a->type == 'n' || a->type == 'w')
			text_puts(t, a->str);
		else
			text_printf(t, "%" PRIu64, a->num);
	}
	if (!cmd->rights.given)
		return;
	text_puts(t, " {");
	if (cmd->rights.relative) {
		text_puts(t, "+");
		text_rights(t, cmd->rights.add, ',');
		text_puts(t, " -");
		text_rights(t, cmd->rights.remove, ',');
	} else {
		text_rights(t, cmd->rights.value, ',');
	}
	text_puts(t, "}");
}

#endif
