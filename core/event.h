/* SPDX-License-Identifier: MIT */
/*
 * What happens to objects, told once and at once to whoever keeps the stream
 * (world.tell).  Knows nothing of who reads it.
 */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include "key.h"
#include "obj.h"

/*
 * Each is told after the change it speaks of, when the object's fields have
 * their new values: but EV_DESTROYED, EV_REMOVED and EV_RENAMED before it, while
 * the object has its place and its name.
 */
enum event_kind {
	EV_ADDED, /* a device: it can be used */
	EV_REMOVED, /* a device: it is no more */
	EV_MADE,
	EV_RENAMED, /* word: the new name */
	EV_REGISTERED,
	EV_REREGISTERED, /* rights or domain, and keys */
	EV_DEREGISTERED,
	EV_BOUND, /* a new key, of a window bound before or not */
	EV_INVALIDATED, /* how: the key ended, and no bind followed */
	EV_NEW_INDEX, /* the window's keys have another index now (W9) */
	EV_STATE, /* of a queue pair */
	EV_DESTROYED,
	EV_ASYNC /* word: ibv_event_type without IBV_EVENT_, lower case */
};
extern const struct name event_names[];

struct event {
	enum event_kind kind;
	struct obj *o; /* what it happened to */
	/* Of a window bound or invalidated: its region, and its queue pair if
	 * it is of type 2; of a region that moves: the other domain; or
	 * NULL. */
	struct obj *also[2];
	enum key_end how; /* EV_INVALIDATED */
	uid_t by; /* who asked for it; -1: nobody of this host */
	const char *word; /* valid during the call; or NULL */
	struct obj
	    *to; /* EV_RENAMED: the domain that a region moves to; NULL */
	unsigned port; /* EV_ASYNC of a port; 0 */
};

/* Tells ev; world.lock held. */
void event_tell(const struct event *ev);
/* The same, of what has no more to it than its kind. */
void event_of(struct obj *o, enum event_kind kind, uid_t by);

#endif
