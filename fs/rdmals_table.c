/* SPDX-License-Identifier: MIT */
/*
 * Rows as a table; see rdmals.h.  Its columns are as wide as what is in them,
 * so that all cells are kept, as one text, until the last row is known.
 */
#include <string.h>

#include "rdmals.h"

enum {
	OWN,
	KIND,
	PATH,
	OWNER,
	SIZE,
	RIGHTS,
	STATE,
	BOUND,
	AGE,
	PID,
	COMMAND,
	COLUMNS
};

static const struct column {
	const char *name;
	unsigned least; /* so narrow a terminal may make it; 0: as it is */
	bool right; /* numbers */
	bool kernel; /* of --kernel */
} columns[COLUMNS] = {
	[OWN] = { "OWN", .kernel = true },
	[KIND] = { "KIND" },
	[PATH] = { "PATH", .least = 20 },
	[OWNER] = { "OWNER" },
	[SIZE] = { "SIZE", .right = true },
	[RIGHTS] = { "RIGHTS", .least = 10 },
	[STATE] = { "STATE" },
	[BOUND] = { "BOUND TO", .least = 10 },
	[AGE] = { "AGE", .right = true },
	[PID] = { "PID", .right = true, .kernel = true },
	[COMMAND] = { "COMMAND", .kernel = true },
};

struct table {
	const struct look *look;
	struct users users;
	struct text cells; /* each ends in a NUL */
	size_t rows;
	bool kernel; /* some are of other processes, or could be */
	unsigned width[COLUMNS];
};

static void
cell_fill(struct table *table, const struct row *r, unsigned column)
{
	struct text *t = &table->cells;
	const char *s = NULL;

	switch (column) {
	case OWN:
		s = r->own ? "*" : NULL;
		break;
	case KIND:
		s = r->kind;
		break;
	case PATH:
		s = r->path;
		break;
	case OWNER:
		cell_user(&table->users, t, row_get(r, "owner"));
		break;
	case SIZE:
		cell_size(t, row_get(r, "length"));
		break;
	case RIGHTS:
		s = row_get(r, "rights");
		break;
	case STATE:
		cell_state(t, r);
		break;
	case BOUND:
		cell_bound(t, r);
		break;
	case AGE:
		cell_age(t, row_get(r, "made"), table->look->now);
		break;
	case PID:
		s = row_get(r, "pid");
		break;
	case COMMAND:
		s = row_get(r, "comm");
		break;
	default:
		break;
	}
	if (s != NULL)
		cell_text(t, s);
}

static bool
column_shown(const struct table *table, unsigned column)
{
	return table->kernel || !columns[column].kernel;
}

static int
table_row(void *arg, const struct row *r, bool wanted)
{
	struct table *table = arg;
	struct text *t = &table->cells;
	size_t begin;
	unsigned i;

	if (!wanted)
		return 0;
	for (i = 0; i < COLUMNS; i++) {
		begin = t->len;
		cell_fill(table, r, i);
		if (t->len == begin)
			text_puts(t, "-");
		if (t->len - begin > table->width[i])
			table->width[i] = (unsigned)(t->len - begin);
		text_add(t, "", 1);
	}
	table->rows++;
	table->kernel |= r->id != NULL;
	return t->nomem ? -1 : 0;
}

/* Narrows what can be narrowed until the columns fit into a terminal. */
static void
table_fit(struct table *table)
{
	static const unsigned order[] = { RIGHTS, BOUND, PATH };
	unsigned i, sum = 0, least, over, *w;

	for (i = 0; i < COLUMNS; i++)
		if (column_shown(table, i))
			sum += table->width[i] + 2;
	for (i = 0; i < 3 && sum > table->look->width + 2; i++) {
		w = &table->width[order[i]];
		least = columns[order[i]].least;
		over = sum - table->look->width - 2;
		if (*w <= least)
			continue;
		if (over > *w - least)
			over = *w - least;
		*w -= over;
		sum -= over;
	}
}

/* One cell, cut to its column with a + at its end, and to the line's rest. */
static void
cell_print(const struct table *table, unsigned column, const char *cell,
    unsigned *room, bool last)
{
	FILE *out = table->look->out;
	int len = (int)strlen(cell), width = (int)table->width[column];
	bool cut = len > width;

	if (cut)
		len = width;
	if (table->look->width > 0 && (unsigned)width > *room)
		width = (int)*room;
	if (len > width)
		len = width;
	if (columns[column].right)
		fprintf(out, "%*s", width - len, "");
	fprintf(out, "%.*s%s", cut && len > 0 ? len - 1 : len, cell,
	    cut && len > 0 ? "+" : "");
	if (!columns[column].right && !last)
		fprintf(out, "%*s", width - len, "");
	*room -= (unsigned)width;
}

/* A line of cells, behind which it returns; NULL: the headline. */
static const char *
line_print(const struct table *table, const char *cells)
{
	FILE *out = table->look->out;
	unsigned i, room = table->look->width, last = COLUMNS - 1;
	const char *cell, *next = cells, *colour;
	bool first = true;

	while (!column_shown(table, last))
		last--;
	for (i = 0; i < COLUMNS; i++) {
		cell = cells != NULL ? next : columns[i].name;
		if (cells != NULL)
			next += strlen(next) + 1;
		if (!column_shown(table, i))
			continue;
		if (!first && (table->look->width == 0 || room > 2)) {
			fputs("  ", out);
			room -= 2;
		} else if (!first) {
			room = 0;
		}
		first = false;
		colour = "";
		if (table->look->colour && cells == NULL)
			colour = "\033[1m";
		else if (table->look->colour && i == STATE)
			colour = cell_colour(cell, strlen(cell));
		fputs(colour, out);
		cell_print(table, i, cell, &room, i == last);
		fputs(colour[0] != '\0' ? "\033[m" : "", out);
	}
	fputc('\n', out);
	return next;
}

int
show_table(struct query *q, const struct look *look)
{
	struct table table = { .look = look, .kernel = look->kernel };
	const char *cells;
	size_t n;
	int ret;

	for (n = 0; n < COLUMNS; n++)
		table.width[n] = (unsigned)strlen(columns[n].name);
	ret = query_read(q, table_row, &table);
	if (look->width > 0)
		table_fit(&table);
	cells = table.cells.buf;
	if (ret == 0 && table.rows > 0)
		(void)line_print(&table, NULL);
	for (n = 0; ret == 0 && n < table.rows; n++)
		cells = line_print(&table, cells);
	text_fini(&table.cells);
	return ret;
}
