/* SPDX-License-Identifier: MIT */
/* What the files of the parser share, inside of proto only.  See cmd.h. */
#ifndef PROTO_PARSE_H
#define PROTO_PARSE_H

#include "cmd.h"

/* grammar.c */
struct param {
	const char *name; /* in the grammar, len bytes of it */
	uint8_t len;
	char type; /* as in cmd_arg, 'r'ights, 'R': or a number */
	bool option; /* written NAME=VALUE */
	bool optional; /* in brackets */
	bool opens; /* the first of its brackets */
	bool closes; /* the last of its brackets */
};

struct grammar {
	unsigned n;
	struct param params[CMD_ARGS + 1];
};

/* text has been written by us: a mistake in it is an assertion. */
void grammar_parse(struct grammar *g, const char *text);
/* grammar_memo.c: that of v, parsed for the first who asks; without memory into
 * spare. */
const struct grammar *grammar_of(const struct verb *v, struct grammar *spare);
/* As verb_usage(), without the verb; each parameter behind a blank. */
void grammar_usage(const struct grammar *g, struct text *t);
/* The parameter as a user is to write it: "LENGTH", "tag=N", "RIGHT...". */
void param_usage(const struct param *p, struct text *t);
/* The option whose name is the n bytes at name; NULL: there is none. */
const struct param *
param_option(const struct grammar *g, const char *name, size_t n);
/* -EINVAL with t as the reason, which is released. */
int fail_text(struct err *e, struct text *t);

/*
 * rows.c: sets cmd->verb to the row that the words are for, *g to its grammar,
 * as grammar_of().
 */
int row_find(struct cmd *cmd, const struct verb *table, const char *implied,
    struct grammar *spare, const struct grammar **g, struct err *e);

/* words.c: fills cmd->words and buf; a comment has none */
int words_cut(struct cmd *cmd, const char *line, size_t len, struct err *e);

#endif
