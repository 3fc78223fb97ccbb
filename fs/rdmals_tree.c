/* SPDX-License-Identifier: MIT */
/*
 * Rows as an indented tree; see rdmals.h.  Whether a line is its parent's last
 * is known only behind it, so that lines are kept, with their depths.
 */
#include <string.h>

#include "rdmals.h"

#define LEVELS 5 /* device, domain, what is in it, mapping, and one spare */

struct branch {
	struct text path, line;
	bool shown;
};

struct tree {
	const struct look *look;
	struct branch at[LEVELS]; /* the last row of each level */
	unsigned levels;
	struct text lines; /* each ends in a NUL */
	struct text depths; /* a byte each: its level, and LAST */
};

#define LAST 0x80

/* What stands behind the name: as in the table, what there is. */
static void
line_details(struct text *t, const struct row *r)
{
	const char *size = row_get(r, "length");
	const char *rights = row_get(r, "rights");
	const char *comm = row_get(r, "comm"), *pid = row_get(r, "pid");
	struct text bound = { 0 };

	cell_state(t, r);
	if (size != NULL) {
		text_puts(t, " ");
		cell_size(t, size);
	}
	if (rights != NULL)
		text_printf(t, " %s", rights);
	cell_bound(&bound, r);
	t->nomem |= bound.nomem;
	if (bound.len > 0)
		text_printf(t, " %s", bound.buf);
	text_fini(&bound);
	if (pid != NULL) {
		text_puts(t, " pid=");
		cell_text(t, pid);
	}
	if (comm != NULL) {
		text_puts(t, " ");
		cell_text(t, comm);
	}
}

/* The path from the row above: pd/lab below soft0; all of it at the root. */
static void
line_fill(struct tree *tree, struct text *t, const struct row *r, bool wanted)
{
	const char *above =
	    tree->levels > 1 ? tree->at[tree->levels - 2].path.buf : NULL;
	struct text details = { 0 };

	text_puts(t, r->path + (above != NULL ? strlen(above) + 1 : 0));
	if (!wanted)
		return;
	if (tree->look->kernel && r->own)
		text_puts(t, " *");
	line_details(&details, r);
	t->nomem |= details.nomem;
	/* What has no state begins with the blank that would be behind it. */
	if (details.len > 0)
		text_printf(t, "  %s", details.buf + (details.buf[0] == ' '));
	text_fini(&details);
}

static void
tree_add(struct tree *tree, unsigned level)
{
	struct branch *b = &tree->at[level];
	const char depth = (char)level;

	text_add(&tree->lines, b->line.buf, b->line.len + 1);
	text_add(&tree->depths, &depth, 1);
	b->shown = true;
}

/* What is shown comes with all that it is in, by their names. */
static int
tree_row(void *arg, const struct row *r, bool wanted)
{
	struct tree *tree = arg;
	struct branch *b;
	unsigned i;

	while (tree->levels > 0 &&
	       (tree->levels == LEVELS || row_depth(r) < tree->levels ||
		   !path_below(r->path, tree->at[tree->levels - 1].path.buf)))
		tree->levels--;
	b = &tree->at[tree->levels++];
	text_reset(&b->path);
	text_reset(&b->line);
	text_puts(&b->path, r->path);
	b->shown = false;
	if (b->path.nomem)
		return -1;
	line_fill(tree, &b->line, r, wanted);
	if (b->line.nomem)
		return -1;
	for (i = 0; wanted && i < tree->levels; i++)
		if (!tree->at[i].shown)
			tree_add(tree, i);
	return tree->lines.nomem || tree->depths.nomem ? -1 : 0;
}

/* Marks each line behind which none of its level follows below its parent. */
static void
tree_mark(struct tree *tree)
{
	bool later[LEVELS] = { false };
	char *d = tree->depths.buf;
	size_t i;
	unsigned level;

	for (i = tree->depths.len; i-- > 0;) {
		level = (unsigned char)d[i];
		if (!later[level])
			d[i] = (char)(level | LAST);
		later[level] = true;
		memset(later + level + 1, 0, LEVELS - level - 1);
	}
}

/* At most *room bytes of s, of which less are left then. */
static void
put_cut(FILE *out, const char *s, size_t n, size_t *room)
{
	if (n > *room)
		n = *room;
	(void)fwrite(s, 1, n, out);
	*room -= n;
}

/* A line, its state in a colour; room: columns that are left for it. */
static void
line_print(const struct look *look, const char *line, size_t room)
{
	const char *state = strstr(line, "  "), *colour;
	size_t n;

	if (!look->colour || state == NULL) {
		put_cut(look->out, line, strlen(line), &room);
		fputc('\n', look->out);
		return;
	}
	state += 2;
	n = strcspn(state, " ");
	colour = cell_colour(state, n);
	put_cut(look->out, line, (size_t)(state - line), &room);
	fputs(colour, look->out);
	put_cut(look->out, state, n, &room);
	fputs(colour[0] != '\0' ? "\033[m" : "", look->out);
	put_cut(look->out, state + n, strlen(state + n), &room);
	fputc('\n', look->out);
}

/* One piece of the drawing, four columns wide, where there is room. */
static void
draw_print(const struct look *look, const char *piece, size_t *room)
{
	if (*room < 4) {
		*room = 0;
		return;
	}
	fputs(piece, look->out);
	*room -= 4;
}

static void
tree_print(const struct tree *tree)
{
	static const char *const ascii[] = { "|-- ", "`-- ", "|   ", "    " };
	static const char *const lines[] = { "├── ", "└── ", "│   ", "    " };
	const char *const *draw = tree->look->utf8 ? lines : ascii;
	const char *line = tree->lines.buf;
	bool last[LEVELS] = { false };
	size_t i, room;
	unsigned level, l;

	for (i = 0; i < tree->depths.len; i++) {
		room = tree->look->width > 0 ? tree->look->width : SIZE_MAX;
		level = (unsigned char)tree->depths.buf[i] & ~(unsigned)LAST;
		last[level] = (unsigned char)tree->depths.buf[i] & LAST;
		for (l = 1; l < level; l++)
			draw_print(tree->look, draw[last[l] ? 3 : 2], &room);
		if (level > 0)
			draw_print(tree->look, draw[last[level]], &room);
		line_print(tree->look, line, room);
		line += strlen(line) + 1;
	}
}

int
show_tree(struct query *q, const struct look *look)
{
	struct tree tree = { .look = look };
	unsigned i;
	int ret;

	ret = query_read(q, tree_row, &tree);
	if (ret == 0) {
		tree_mark(&tree);
		tree_print(&tree);
	}
	for (i = 0; i < LEVELS; i++) {
		text_fini(&tree.at[i].path);
		text_fini(&tree.at[i].line);
	}
	text_fini(&tree.lines);
	text_fini(&tree.depths);
	return ret;
}
