/* SPDX-License-Identifier: MIT */
/*
 * The grammars of all rows, each parsed once: a table of slots that are filled
 * and never emptied, so that who reads it needs no lock.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "parse.h"

#define SLOTS 256 /* some 80 rows have a text of their own */

struct memo {
	const char *text;
	struct grammar g;
};

static _Atomic(struct memo *) slots[SLOTS];

static struct memo *
memo_new(const char *text)
{
	struct memo *m = malloc(sizeof(*m));

	if (m == NULL)
		return NULL;
	m->text = text;
	grammar_parse(&m->g, text);
	return m;
}

/* The memo in slot, which is text's if nobody else's; NULL: no memory. */
static struct memo *
slot_get(_Atomic(struct memo *) *slot, const char *text)
{
	struct memo *m = atomic_load_explicit(slot, memory_order_acquire);
	struct memo *mine;

	if (m != NULL || (mine = memo_new(text)) == NULL)
		return m;
	if (atomic_compare_exchange_strong(slot, &m, mine))
		return mine;
	free(mine);
	return m;
}

const struct grammar *
grammar_of(const struct verb *v, struct grammar *spare)
{
	size_t first = ((uintptr_t)v->grammar * UINT64_C(0x9e3779b97f4a7c15)) >>
		       (64 - 8),
	       i;
	struct memo *m;

	for (i = 0; i < SLOTS; i++) {
		m = slot_get(&slots[(first + i) % SLOTS], v->grammar);
		if (m == NULL)
			break;
		if (m->text == v->grammar)
			return &m->g;
	}
	grammar_parse(spare, v->grammar);
	return spare;
}
