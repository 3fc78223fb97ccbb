/* SPDX-License-Identifier: MIT */
/* Cuts a line into words and takes the quotes off; see cmd.h. */
#include <errno.h>
#include <string.h>

#include "parse.h"

static bool
blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Stands for itself: blanks and quotes are not above a quote. */
static bool
is_plain(char c)
{
	return c > '\'' && c != '=';
}

/* Copies the word at s to buf, unquoted.  Returns what is behind it. */
static const char *
word_cut(struct cmd *cmd, const char *s, const char *end)
{
	struct cmd_word *w = &cmd->words[cmd->nwords++];
	char *out = cmd->buf + cmd->used, *equals = NULL;
	bool quoted = false;

	w->str = out;
	w->type = 0;
	for (;; s++) {
		while (s < end && is_plain(*s))
			*out++ = *s++;
		if (s == end || (!quoted && blank(*s)))
			break;
		if (*s == '\'' && quoted && s + 1 < end && s[1] == '\'')
			*out++ = *s++;
		else if (*s == '\'')
			quoted = !quoted;
		else if (*s == '=' && equals == NULL)
			*(equals = out++) = '=';
		else
			*out++ = *s;
	}
	*out++ = '\0';
	w->value = equals != NULL && equals > w->str ? equals + 1 : NULL;
	cmd->used = (unsigned)(out - cmd->buf);
	cmd->unclosed = quoted;
	return s;
}

int
words_cut(struct cmd *cmd, const char *s, size_t len, struct err *e)
{
	const char *end = s + len;

	while (s < end && blank(*s))
		s++;
	if (s < end && *s == '#')
		return 0;
	while (s < end) {
		if (cmd->nwords == CMD_WORDS) {
			cmd->blame = CMD_WORDS;
			return fail(e, EINVAL, "over %d words", CMD_WORDS);
		}
		s = word_cut(cmd, s, end);
		while (s < end && blank(*s))
			s++;
	}
	if (cmd->unclosed) {
		cmd->blame = cmd->nwords - 1;
		return fail(e, EINVAL, "a quote is not closed");
	}
	return 0;
}
