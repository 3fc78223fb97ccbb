/* SPDX-License-Identifier: MIT */
/* Shows a refused command, its secrets masked, and a caret; see cmd.h. */
#include <ctype.h>
#include <string.h>

#include "parse.h"

#define MASK       "***"
#define HEX_KEY    4 /* so many hexadecimal digits in a row may be a key */
#define KEY_DIGITS 8 /* so many decimal ones at a name's start, too */
#define KEY_WORD   6 /* characters, 0x and four digits */

/* What a number could be part of: separators cut words into these. */
static size_t
piece_len(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) ||
	       (s[n] != '\0' && strchr("+-._", s[n]) != NULL))
		n++;
	return n;
}

static bool
piece_is_secret(const char *s, size_t n)
{
	size_t digits = 0;

	for (; n > 0 && !isalnum((unsigned char)*s); n--)
		s++;
	if (n > 0 && isdigit((unsigned char)*s))
		return true;
	for (; n > 0 && digits < HEX_KEY; n--)
		digits = isxdigit((unsigned char)*s++) ? digits + 1 : 0;
	return digits == HEX_KEY;
}

static void
mask_numbers(const char *s, struct text *t)
{
	size_t n;

	for (; *s != '\0'; s += n) {
		n = piece_len(s);
		if (n > 0 && piece_is_secret(s, n))
			text_puts(t, MASK);
		else
			text_add(t, s, n > 0 ? n : (n = 1));
	}
}

static void
mask_key(const struct cmd_word *w, struct text *t)
{
	if (w->value != NULL)
		text_add(t, w->str, (size_t)(w->value - w->str));
	text_puts(t, MASK);
}

/* A hexadecimal number that might be all of a key, and would be a strange offset
 * or tag. */
static bool
is_like_key(const char *s)
{
	return s[0] == '0' && (s[1] == 'x' || s[1] == 'X') &&
	       strlen(s) >= KEY_WORD;
}

static bool
begins_with_key(const char *s)
{
	return (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) ||
	       strspn(s, "0123456789") >= KEY_DIGITS;
}

/* What may be a key or an address where a name or a word should be, or a name
 * of a path; the number of a clone is shorter. */
static bool
is_misplaced(const struct cmd_word *w)
{
	const char *s = w->value != NULL ? w->value : w->str;

	if (w->type == 'u' || w->type == 's')
		return is_like_key(s);
	if (w->type != 'n' && w->type != 'w')
		return false;
	while (!begins_with_key(s)) {
		if ((s = strchr(s, '/')) == NULL)
			return false;
		s++;
	}
	return true;
}

static void
mask_word(const struct cmd *cmd, unsigned i, struct text *t)
{
	const struct cmd_word *w = &cmd->words[i];

	text_add(t, "", 0);
	if (w->type == 'k')
		mask_key(w, t);
	else if (w->type == 'v' || (cmd->parsed && !is_misplaced(w)))
		text_puts(t, w->str);
	else
		mask_numbers(w->str, t);
}

/* Masked, quoted where that is needed, and harmless: in this order. */
static void
show_word(const struct cmd *cmd, unsigned i, struct text *t)
{
	struct text masked = { 0 }, quoted = { 0 };

	mask_word(cmd, i, &masked);
	if (masked.nomem)
		goto out;
	if (cmd->unclosed && i + 1 == cmd->nwords) {
		text_puts(&quoted, "'");
		text_puts(&quoted, masked.buf);
	} else {
		text_word(&quoted, masked.buf);
	}
	if (!quoted.nomem)
		text_vis(t, quoted.buf, quoted.len);
out:
	t->nomem = t->nomem || masked.nomem || quoted.nomem;
	text_fini(&quoted);
	text_fini(&masked);
}

/* Whether a list of rights with commas has right in it. */
static bool
list_has(const char *list, const char *right)
{
	size_t n;

	for (;;) {
		list += *list == '+' || *list == '-';
		n = strcspn(list, ",");
		if (strncmp(list, right, n) == 0 && right[n] == '\0')
			return true;
		if (list[n] == '\0')
			return false;
		list += n + 1;
	}
}

/* The word that names a right; all of them together: the first word, which
 * may be a number. */
static unsigned
right_to_blame(const struct cmd *cmd, const char *right)
{
	unsigned i, first = 0;
	uint32_t bit;

	for (i = cmd->nwords; i-- > 0;) {
		if (cmd->words[i].type != 'r')
			continue;
		first = i;
		if (list_has(cmd->words[i].str, right))
			return i;
	}
	if (strcmp(right, "rights") != 0 && value_right(right, &bit, NULL) < 0)
		return 0;
	return first;
}

static unsigned
word_to_blame(const struct cmd *cmd, const struct err *e)
{
	const struct cmd_arg *a;

	if (!cmd->parsed)
		return cmd->blame;
	if (e == NULL || e->arg == NULL)
		return 0;
	if ((a = cmd_arg(cmd, e->arg, strlen(e->arg))) != NULL)
		return a->word;
	return right_to_blame(cmd, e->arg);
}

void
cmd_blame(const struct cmd *cmd, const struct err *e, struct text *t)
{
	unsigned i, blame = word_to_blame(cmd, e);
	size_t column = 0, start = t->len;

	for (i = 0; i < cmd->nwords; i++) {
		if (i > 0)
			text_puts(t, " ");
		if (i == blame)
			column = t->len - start;
		show_word(cmd, i, t);
	}
	if (blame >= cmd->nwords && cmd->nwords > 0) {
		column = t->len - start + 1;
		if (cmd->verb == NULL) /* there are more words */
			text_puts(t, " ...");
	}
	text_printf(t, "\n%*s^\n", (int)column, "");
}

static void
show_path(const char *path, size_t n, bool known, struct text *t)
{
	struct text word = { 0 }, masked = { 0 };

	text_add(&word, path, n);
	if (!word.nomem && !known)
		mask_numbers(word.buf, &masked);
	if (word.nomem || masked.nomem)
		t->nomem = true;
	else if (known)
		text_vis(t, word.buf, word.len);
	else
		text_vis(t, masked.buf, masked.len);
	text_fini(&masked);
	text_fini(&word);
}

void
cmd_blame_behind(const struct cmd *cmd, const char *path, size_t n, bool known,
    const struct err *e, struct text *t)
{
	struct text behind = { 0 };
	size_t start = t->len, column, first;

	show_path(path, n, known, t);
	text_puts(t, " ");
	column = t->len - start;
	cmd_blame(cmd, e, &behind);
	if (behind.nomem || t->nomem) {
		t->nomem = true;
		text_fini(&behind);
		return;
	}
	first = strcspn(behind.buf, "\n") + 1;
	text_add(t, behind.buf, first);
	if (e->arg != NULL && strcmp(e->arg, "path") == 0)
		text_puts(t, "^\n");
	else
		text_printf(t, "%*s%s", (int)column, "", behind.buf + first);
	text_fini(&behind);
}
