/* SPDX-License-Identifier: MIT */
/*
 * Command lines: a table of verbs with their grammar, the parser that it
 * feeds, and the words shown to the user, which come from the same rows.
 *
 * A grammar is words separated by blanks, each a parameter:
 *
 *	NAME:TYPE	a positional argument
 *	NAME=TYPE	an option, written NAME=VALUE anywhere behind the verb
 *	rights...	the rest of the positional words are rights
 *	rights+num...	as above, and a number, or +right -right, may stand
 *			there
 *	[ ... ]		what stands inside may be left out as a whole
 *
 * TYPE is name (an object's name), size (bytes, K M G T), num, addr or key (a
 * number of 64, 64, 32 bits; a key is secret), limit (a size, or max, which is
 * UINT64_MAX, or default), owner (a user's id, or default, which is
 * OWNER_DEFAULT), gid (which is read from the word again), word (anything).  Optional
 * positionals come as one group: given is all of it or nothing, and it is
 * given if the word there has a digit at its start or behind a sign (a group
 * that begins with a name or a word: if there is a word).
 * Example:  "mr:name [offset:size length:size] [rights...] [tag=num]".
 * Options stand alone in their brackets.
 *
 * In a line, words are separated by blanks and tabs.  '...' quotes as in rc,
 * anywhere in a word; '' inside stands for one quote.  A word with a = behind
 * its first character is an option, quoted or not.
 *
 * A verb may stand in several rows of a table, one behind the other: a row
 * with an option that is not in brackets is chosen when that option is
 * written, the row without one otherwise.
 */
#ifndef PROTO_CMD_H
#define PROTO_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../core/err.h"
#include "text.h"
#include "value.h"

#define OWNER_DEFAULT UINT64_MAX

#define CMD_LINE  4095 /* bytes of a line, the newline not counted */
#define CMD_WORDS 64 /* words of a line; more is -EINVAL */
#define CMD_ARGS  8 /* parameters of a grammar, rights not counted */

struct call; /* whoever runs the verbs knows what it is */

/* A table ends in a NULL name.  Constant, and for ever. */
struct verb {
	const char *name;
	const char *grammar; /* "" for none */
	/* Runs it; the meaning of what it returns is the owner's. */
	int (*run)(struct call *c);
	const char *help; /* what it does, the verbs call; or NULL */
	bool chains; /* the owner's: it may run behind one that is not over */
};

struct cmd_arg {
	const char *param; /* in the grammar, name_len bytes of it */
	uint8_t name_len;
	uint8_t word; /* index of the word it stands in */
	/* 'n'ame 's'ize n'u'm 'a'ddr 'k'ey 'g'id 'l'imit 'o'wner 'w'ord */
	char type;
	uint64_t num; /* size, num, addr, key, limit, owner */
	const char *str; /* as it was written: in buf */
};

/* One parsed line.  About 5 KiB; wipe with cmd_fini(): it may hold a key. */
struct cmd {
	const struct verb *verb; /* NULL: a blank line or a comment */
	bool parsed; /* cmd_parse() returned 0 */
	bool implied; /* the verb is not among the words */
	bool unclosed; /* the last word's quote is not closed */
	unsigned nwords, nargs;
	unsigned blame; /* word the parser stopped at; nwords: behind them */
	unsigned used; /* bytes of buf that were written */
	struct cmd_word {
		const char *str; /* unquoted, in buf */
		const char *value; /* of an option, behind its =; or NULL */
		char type; /* as in cmd_arg, 'r'ight, 'v'erb, 0: not taken */
	} words[CMD_WORDS];
	struct cmd_arg args[CMD_ARGS];
	struct rights rights;
	char buf[CMD_LINE + CMD_WORDS + 1];
};

/*
 * Parses len bytes of one line (no newline in it, at most CMD_LINE bytes,
 * checked by lines_check()) by table.  implied: NULL, or the name of the
 * table's verb that all lines are arguments of (the rights file).
 * Returns 0, or -EINVAL with the reason in e (e->arg NULL; the word to blame
 * is kept in cmd for cmd_blame()).  An unknown verb's text lists the verbs.
 * cmd need not be initialised; it is to be given to cmd_fini() in any case.
 */
int cmd_parse(struct cmd *cmd, const struct verb *table, const char *implied,
    const char *line, size_t len, struct err *e);
void cmd_fini(struct cmd *cmd);

/* The argument of the parameter whose name has n bytes; NULL: not given. */
const struct cmd_arg *
cmd_arg(const struct cmd *cmd, const char *name, size_t n);

/* Its value by the parameter's name, whose length the compiler knows. */
static inline bool
cmd_has(const struct cmd *cmd, const char *param)
{
	return cmd_arg(cmd, param, strlen(param)) != NULL;
}

static inline uint64_t
cmd_num(const struct cmd *cmd, const char *param, uint64_t otherwise)
{
	const struct cmd_arg *a = cmd_arg(cmd, param, strlen(param));

	return a != NULL ? a->num : otherwise;
}

/* Or NULL. */
static inline const char *
cmd_str(const struct cmd *cmd, const char *param)
{
	const struct cmd_arg *a = cmd_arg(cmd, param, strlen(param));

	return a != NULL ? a->str : NULL;
}

/*
 * Adds two lines to t: the command, and a caret under the first letter of
 * the word to blame: where the parser stopped, or what e->arg names: the word
 * of that parameter, of that right, else the verb.  Keys are shown as ***; if
 * the line did not parse, so is every word (or option value, or word between
 * commas) that has a digit at its start or behind its sign, or four hexadecimal
 * digits in a row; in a line that did, what looks like a key for a name, a number
 * or a size.  Words are shown with one blank between them, those
 * past CMD_WORDS as "..."; anything a terminal may take amiss is
 * vis(3)-encoded.  The caret counts columns of what is shown.
 */
void cmd_blame(const struct cmd *cmd, const struct err *e, struct text *t);

/*
 * The same of a command that stands behind a path of n bytes: that is to blame
 * if e->arg is "path".  known: it is that of something, else it is masked like
 * a word of a line that did not parse.
 */
void cmd_blame_behind(const struct cmd *cmd, const char *path, size_t n,
    bool known, const struct err *e, struct text *t);

/* "bind MR [OFFSET LENGTH] [RIGHT...] [tag=N]", from the grammar. */
void verb_usage(const struct verb *v, struct text *t);
/* The same without the verb, where it is implied. */
void verb_usage_implied(const struct verb *v, struct text *t);
/* "# usage  (help)" lines for each row, as they stand at the end of a ctl. */
void verbs_help(const struct verb *table, struct text *t);

/*
 * Checks what one write(2) brought before anything of it is parsed: lines of
 * at most CMD_LINE bytes, no NUL and no control bytes but tab and newline, a
 * newline at the end if n >= 4096, n <= max.
 * Returns 0, -EMSGSIZE or -EINVAL with the reason.
 */
int lines_check(const char *buf, size_t n, size_t max, struct err *e);
/* How many bytes there are before the first that no line may have, or len. */
size_t line_sound(const char *line, size_t len);
/*
 * The next line of buf from *pos on; *line and *len without its newline;
 * *pos moves behind it.  Returns false at the end.
 */
bool lines_next(
    const char *buf, size_t n, size_t *pos, const char **line, size_t *len);

/*
 * Whether name may be an object's: [A-Za-z0-9][A-Za-z0-9._-]{0,63}.
 * Returns 0, -EINVAL, or -ENAMETOOLONG, with the reason.
 */
int name_check(const char *name, struct err *e);

#endif
