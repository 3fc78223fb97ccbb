/* SPDX-License-Identifier: MIT */
/* What a status says of a region or a window; see shown.h. */
#include <string.h>

#include "shown.h"

void
mr_show(const struct mr *mr, struct mr_shown *s)
{
	s->length = mr->mem.length;
	s->pinned = mem_pinned(&mr->mem);
	s->windows = mr->nwindows;
	s->rights = mr->rights | RIGHT_LOCAL_READ;
	s->active = mr->active;
	s->emulated = mr->emulated;
}

void
mr_shown_words(const struct mr_shown *s, struct text *t)
{
	if (s->active)
		text_printf(t, " length=%llu", (unsigned long long)s->length);
	text_puts(t, " rights=");
	text_rights(t, s->rights, ',');
	if (!s->active)
		return;
	text_printf(t, " windows=%zu pinned=%llu", s->windows,
	    (unsigned long long)s->pinned);
	if (s->emulated)
		text_puts(t, " rereg=emulated");
}

void
mw_show(const struct mw *mw, struct mw_shown *s)
{
	s->offset = mw->bound.offset;
	s->length = mw->bound.length;
	s->rights = mw->bound.rights;
	s->type = mw->type;
	s->bound = mw->mr != NULL;
	s->by_peer = mw->by_peer;
	(void)strlcpy(s->mr, s->bound ? mw->mr->o.name : "", sizeof(s->mr));
	(void)strlcpy(
	    s->qp, mw->qp != NULL ? mw->qp->o.name : "", sizeof(s->qp));
}

void
mw_shown_words(const struct mw_shown *s, struct text *t)
{
	text_printf(t, " type=%u", s->type);
	if (s->bound)
		text_printf(t, " mr=%s offset=%llu length=%llu", s->mr,
		    (unsigned long long)s->offset,
		    (unsigned long long)s->length);
	text_puts(t, " rights=");
	text_rights(t, s->rights, ',');
	if (s->qp[0] != '\0')
		text_printf(t, " qp=%s", s->qp);
	if (s->by_peer)
		text_puts(t, " invalidated=peer");
}
