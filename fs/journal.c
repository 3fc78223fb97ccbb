/* SPDX-License-Identifier: MIT */
/*
 * Files of entries that come one by one, of which the last are kept: what there
 * is, and what has come since.  Knows nothing of who waits for them.
 */
#include <errno.h>

#include "tree.h"

uint64_t
journal_now(const struct view *v)
{
	uint64_t next = 1, n;

	while ((n = v->file->journal(v, next, NULL)) > 0)
		next = n + 1;
	return next;
}

int
journal_since(const struct view *v, uint64_t *next, struct text *t)
{
	uint64_t at = *next, n;

	while ((n = v->file->journal(v, at, NULL)) > 0) {
		if (n > at)
			text_printf(
			    t, "lost %llu\n", (unsigned long long)(n - at));
		(void)v->file->journal(v, n, t);
		at = n + 1;
	}
	if (t->nomem)
		return -ENOMEM;
	*next = at;
	return 0;
}

int
get_journal(const struct view *v, struct text *t)
{
	uint64_t first = v->file->journal(v, 1, NULL);

	return first > 0 ? journal_since(v, &first, t) : 0;
}
