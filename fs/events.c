/* SPDX-License-Identifier: MIT */
/* The stream of events: what happens becomes a line; see events.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events_impl.h"
#include "outcome.h"

/* Directories from an object to the root: two a level. */
#define OWNERS_MAX 9

int
events_init(struct events *es, struct err *e)
{
	*es = (struct events){ .number = 0 };
	es->ring = calloc(EVENTS_KEPT, sizeof(*es->ring));
	if (es->ring == NULL)
		return fail(e, ENOMEM, "out of memory for events");
	return 0;
}

/* Ready for another one. */
static void
line_reset(struct event_line *l)
{
	free(l->owners);
	l->owners = NULL;
	l->nowners = l->nabout = 0;
	l->lost = false;
	l->words = NULL;
	text_reset(&l->path);
}

void
events_fini(struct events *es)
{
	unsigned i;

	for (i = 0; es->ring != NULL && i < EVENTS_KEPT; i++) {
		line_reset(&es->ring[i]);
		text_fini(&es->ring[i].path);
	}
	free(es->ring);
	es->ring = NULL;
	text_fini(&es->place.path);
}

static void
line_about(struct event_line *l, struct obj *o)
{
	o->events++;
	l->about[l->nabout].id = o->id;
	l->about[l->nabout++].seq = o->events;
}

/* o and what is above it, but the root, which every line is about. */
static void
line_about_all(struct event_line *l, struct obj *o, struct obj *const also[2])
{
	unsigned i;

	for (; o->parent != NULL; o = o->parent)
		line_about(l, o);
	for (i = 0; i < 2; i++)
		if (also[i] != NULL)
			line_about(l, also[i]);
}

static void
owners_add(struct owner *owners, unsigned *n, const struct owner *own)
{
	if ((own->mode & 0111) != 0111)
		owners[(*n)++] = *own;
}

static bool
place_has(const struct event_place *p, const struct obj *o)
{
	return o->parent != NULL && p->parent == o->parent->id &&
	       p->kind == o->kind && p->shuffles == o->world->shuffles;
}

static void
line_owners(
    struct event_line *l, const struct event_place *p, const struct obj *o)
{
	struct owner owners[OWNERS_MAX];
	unsigned n = 0;

	if (p->open && place_has(p, o) && (o->owner.mode & 0111) == 0111)
		return;
	for (; o != NULL; o = o->parent) {
		owners_add(owners, &n, &o->owner);
		if (o->parent != NULL)
			owners_add(owners, &n, &obj_siblings(o)->owner);
	}
	if (n == 0)
		return;
	if ((l->owners = calloc(n, sizeof(*owners))) == NULL) {
		l->lost = true;
		return;
	}
	memcpy(l->owners, owners, n * sizeof(*owners));
	l->nowners = n;
}

static void
wake_all(struct obj *o, struct obj *const also[2])
{
	unsigned i;

	for (; o != NULL; o = o->parent)
		obj_wake(o, WAIT_EVENT);
	for (i = 0; i < 2; i++)
		if (also[i] != NULL)
			obj_wake(also[i], WAIT_EVENT);
}

/* From the line of o, which has the path and owners. */
static void
place_set(
    struct event_place *p, const struct obj *o, const struct event_line *l)
{
	const struct text *path = &l->path;

	p->parent = 0;
	p->open = l->nowners == 0 && !l->lost;
	text_reset(&p->path);
	text_add(&p->path, path->buf, path->len - strlen(o->name));
	if (p->path.nomem)
		return;
	p->parent = o->parent->id;
	p->kind = o->kind;
	p->shuffles = o->world->shuffles;
}

static void
line_path(struct events *es, const struct node *n, struct event_line *l)
{
	const struct obj *o = n->o;
	struct text *path = &l->path;

	if (o->parent == NULL || n->dir->number != 0 || n->file != NULL) {
		node_path(n, path);
	} else if (place_has(&es->place, o)) {
		text_add(path, es->place.path.buf, es->place.path.len);
		text_puts(path, o->name);
	} else {
		node_path(n, path);
		if (!path->nomem)
			place_set(&es->place, o, l);
	}
}

/* The next line, about o; the rest of it is the caller's. */
static struct event_line *
line_begin(struct events *es, const struct node *n, struct obj *const also[2])
{
	struct event_line *l = line_at(es, ++es->number);

	line_reset(l);
	l->number = es->number;
	l->time = timing_clock(CLOCK_REALTIME);
	line_about_all(l, n->o, also);
	line_owners(l, &es->place, n->o);
	line_path(es, n, l);
	l->lost |= l->path.nomem;
	return l;
}

static void
words_registered(const struct event_line *l, struct text *t)
{
	mr_shown_words(&l->u.mr, t);
}

static void
words_bound(const struct event_line *l, struct text *t)
{
	mw_shown_words(&l->u.mw, t);
}

static void
words_state(const struct event_line *l, struct text *t)
{
	text_printf(t, " state=%s", name_of(qp_state_names, l->u.state));
}

static void
words_invalidated(const struct event_line *l, struct text *t)
{
	text_printf(t, " how=%s", name_of(key_end_names, l->u.how));
}

static void
words_renamed(const struct event_line *l, struct text *t)
{
	text_printf(t, " to=%s", l->u.said.word);
}

static void
words_async(const struct event_line *l, struct text *t)
{
	text_printf(t, " event=%s", l->u.said.word);
	if (l->u.said.port != 0)
		text_printf(t, " port=%u", l->u.said.port);
}

static void
words_refused(const struct event_line *l, struct text *t)
{
	const char *verb = l->u.refused.verb;

	text_printf(t, " verb=%s errno=", verb != NULL ? verb : "?");
	text_errno(t, l->u.refused.code);
}

/* What there is to say of it beyond what, where and by whom. */
static void
line_take(struct event_line *l, const struct event *ev)
{
	switch (ev->kind) {
	case EV_REGISTERED:
	case EV_REREGISTERED:
		mr_show(mr_of(ev->o), &l->u.mr);
		l->words = words_registered;
		break;
	case EV_BOUND:
		mw_show(mw_of(ev->o), &l->u.mw);
		l->words = words_bound;
		break;
	case EV_STATE:
		l->u.state = (enum qp_state)qp_of(ev->o)->state;
		l->words = words_state;
		break;
	case EV_INVALIDATED:
		l->u.how = ev->how;
		l->words = words_invalidated;
		break;
	case EV_RENAMED:
		if (ev->to != NULL) /* a region, to another domain */
			(void)snprintf(l->u.said.word, sizeof(l->u.said.word),
			    "pd/%s/mr/%s", ev->to->name, ev->word);
		else
			(void)strlcpy(
			    l->u.said.word, ev->word, sizeof(l->u.said.word));
		l->words = words_renamed;
		break;
	case EV_ASYNC:
		(void)strlcpy(l->u.said.word, ev->word, sizeof(l->u.said.word));
		l->u.said.port = ev->port;
		l->words = words_async;
		break;
	default:
		break;
	}
}

void
events_tell(void *arg, const struct event *ev)
{
	const struct node n = { .o = ev->o,
		.dir = kind_info(ev->o->kind)->dirtypes[0] };
	struct event_line *l = line_begin(arg, &n, ev->also);

	l->what = name_of(event_names, ev->kind);
	l->by = ev->by;
	line_take(l, ev);
	wake_all(ev->o, ev->also);
}

void
events_refused(struct events *es, const struct outcome *out)
{
	static struct obj *const nobody[2];
	struct event_line *l = line_begin(es, out->where, nobody);

	l->what = "refused";
	l->by = out->uid;
	l->u.refused.verb = out->verb;
	l->u.refused.code = out->e->code;
	l->words = words_refused;
	wake_all(out->where->o, nobody);
}
