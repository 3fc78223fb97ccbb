/* SPDX-License-Identifier: MIT */
/*
 * The stream of events: one ring for the whole tree, of which each `events`
 * file shows what is about its object or below it.  A reader costs nothing here:
 * he has a place in the ring.  Guarded by world.lock.
 */
#ifndef FS_EVENTS_H
#define FS_EVENTS_H

#include <stdint.h>

#include "../core/event.h"
#include "tree.h"

#define EVENTS_KEPT  8192 /* lines in the ring */
#define EVENTS_SHOWN 1024 /* lines of a file that is opened for reading */

struct event_line;

struct events {
	struct event_line *ring; /* EVENTS_KEPT of them */
	uint64_t number; /* of the last line, from 1; 0: none */
	/* Where the object of the last line is: the next one is most likely
	 * in the same directory. */
	struct event_place {
		uint64_t parent; /* its id; 0: there is none */
		uint8_t kind;
		uint64_t shuffles; /* the world's at that time */
		struct text path; /* with a slash behind it */
		bool open; /* everybody may search it and all above it */
	} place;
};

/* Returns 0 or -ENOMEM with the reason. */
int events_init(struct events *es, struct err *e);
void events_fini(struct events *es);
/* For world.tell: adds the line of ev and wakes who waits for it.  Without
 * memory the line is lost, and told as lost. */
void events_tell(void *es, const struct event *ev);

struct outcome;

/* A command was refused; lock held.  Neither the reason nor a word of the
 * command is told: whoever may know them reads the error. */
void events_refused(struct events *es, const struct outcome *out);

/* The row of every events file. */
extern const struct journal events_journal;
int get_events(const struct view *v, struct text *t);

#define EVENTS_FILE                                                      \
	{                                                                \
		"events", .get = get_events, .journal = &events_journal, \
			  .waits = WAIT_EVENT, .mode = 0666,             \
			  .flags = FILE_NO_SIZE                          \
	}

#endif
