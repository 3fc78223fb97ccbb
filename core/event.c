/* SPDX-License-Identifier: MIT */
/* What happens to objects; see event.h. */
#include "event.h"
#include "types.h"

const struct name event_names[] = {
	{ "added", EV_ADDED },
	{ "removed", EV_REMOVED },
	{ "made", EV_MADE },
	{ "renamed", EV_RENAMED },
	{ "registered", EV_REGISTERED },
	{ "reregistered", EV_REREGISTERED },
	{ "deregistered", EV_DEREGISTERED },
	{ "bound", EV_BOUND },
	{ "invalidated", EV_INVALIDATED },
	{ "new_index", EV_NEW_INDEX },
	{ "state", EV_STATE },
	{ "destroyed", EV_DESTROYED },
	{ "async", EV_ASYNC },
	{ NULL, 0 },
};

void
event_tell(const struct event *ev)
{
	const struct world *w = ev->o->world;

	if (w->tell != NULL)
		w->tell(w->tell_arg, ev);
}

void
event_of(struct obj *o, enum event_kind kind, uid_t by)
{
	const struct event ev = { .kind = kind, .o = o, .by = by };

	event_tell(&ev);
}
