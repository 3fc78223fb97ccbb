/* SPDX-License-Identifier: MIT */
/* qp/<qp>/wc: the completions that are kept, oldest first. */
#include <errno.h>

#include "tree.h"

static void
wc_line(const struct wc_entry *e, struct text *t)
{
	text_printf(t, "%llu %lld.%06lld %s %s bytes=%u",
	    (unsigned long long)e->number, (long long)(e->time / 1000000000),
	    (long long)(e->time / 1000 % 1000000), name_of(wr_op_names, e->op),
	    name_of(wc_status_names, e->status), e->bytes);
	if (e->with_imm)
		text_printf(t, " imm=%u", e->imm);
	if (e->invalidated[0] != '\0')
		text_printf(t, " invalidated=mw/%s", e->invalidated);
	text_puts(t, "\n");
}

static void
wc_now(const struct view *v, struct place *at)
{
	at->next = qp_of(v->o)->nwcs + 1;
}

static bool
wc_come(const struct view *v, const struct place *at)
{
	return qp_of(v->o)->nwcs >= at->next;
}

/* Completions that came between and are not kept any more are told. */
static int
wc_since(const struct view *v, struct place *at, size_t want, struct text *t)
{
	const struct qp *qp = qp_of(v->o);
	const struct wc_entry *e;
	uint64_t next = at->next;

	while (t->len < want && (e = qp_wc(qp, next)) != NULL) {
		if (e->number > next)
			text_printf(t, "lost %llu\n",
			    (unsigned long long)(e->number - next));
		wc_line(e, t);
		next = e->number + 1;
	}
	if (t->nomem)
		return -ENOMEM;
	at->next = next;
	return 0;
}

const struct journal wc_journal = { wc_now, wc_since, wc_come };

int
get_wc(const struct view *v, struct text *t)
{
	const struct wc_entry *e = qp_wc(qp_of(v->o), 1);
	struct place at = { .next = e == NULL ? 1 : e->number };

	return wc_since(v, &at, SIZE_MAX, t);
}
