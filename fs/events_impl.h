/* SPDX-License-Identifier: MIT */
/* What fs/events*.c share: a line of the ring. */
#ifndef FS_EVENTS_IMPL_H
#define FS_EVENTS_IMPL_H

#include "events.h"
#include "shown.h"

/* Objects that a line is about: four levels, a window's region and its queue
 * pair. */
#define ABOUT_MAX 6

/* What happened is kept as it was, and becomes text when it is read. */
struct event_line {
	uint64_t number; /* 0: nothing has stood here yet */
	int64_t time; /* ns since the epoch */
	struct {
		uint64_t id;
		uint32_t seq; /* the how many-th line about it */
	} about[ABOUT_MAX];
	unsigned nabout;
	/* The directories on the way that not everybody may search, as they
	 * were: malloc'ed, or NULL. */
	struct owner *owners;
	unsigned nowners;

	bool lost; /* there was no memory for it */
	struct text path; /* its memory serves line after line */
	const char *what; /* static */
	uid_t by; /* -1: nobody of this host */
	/* Adds the words behind the path, a blank before each; NULL: none. */
	void (*words)(const struct event_line *l, struct text *t);
	union {
		struct mr_shown mr;
		struct mw_shown mw;
		enum qp_state state;
		enum key_end how;
		struct {
			char word[160]; /* the longest: pd/NAME/mr/NAME */
			unsigned port; /* 0: none */
		} said;
		struct {
			const char *verb; /* static; NULL: none was parsed */
			int code;
		} refused;
	} u;
};

static inline struct event_line *
line_at(const struct events *es, uint64_t number)
{
	return &es->ring[number % EVENTS_KEPT];
}

#endif
