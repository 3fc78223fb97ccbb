/* SPDX-License-Identifier: MIT */
/* The stream of events; see events.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events.h"
#include "fs.h"
#include "outcome.h"
#include "shown.h"

/* Objects that a line is about: four levels, a window's region and its queue
 * pair. */
#define ABOUT_MAX 6
/* Directories from an object to the root: two a level. */
#define OWNERS_MAX 9

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
	enum event_kind kind;
	uid_t by;
	unsigned port;
	union {
		struct mr_shown mr;
		struct mw_shown mw;
		enum qp_state state;
		enum key_end how;
		char word[160]; /* the longest: pd/NAME/mr/NAME */
		struct {
			const char *verb; /* static; NULL: none was parsed */
			int code;
		} refused;
	} u;
};

/* Of a line that core has not told. */
#define EV_REFUSED ((enum event_kind)(EV_ASYNC + 1))

int
events_init(struct events *es, struct err *e)
{
	es->number = 0;
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
}

static struct event_line *
line_at(const struct events *es, uint64_t number)
{
	return &es->ring[number % EVENTS_KEPT];
}

/* The number of the oldest line that is kept; es->number + 1: there is none. */
static uint64_t
events_oldest(const struct events *es)
{
	return es->number > EVENTS_KEPT ? es->number - EVENTS_KEPT + 1 : 1;
}

/*
 * Adding a line.
 */
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

static void
line_owners(struct event_line *l, const struct obj *o)
{
	struct owner owners[OWNERS_MAX];
	unsigned n = 0;

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

/* The next line, about o; the rest of it is the caller's. */
static struct event_line *
line_begin(struct events *es, const struct node *n, struct obj *const also[2])
{
	struct event_line *l = line_at(es, ++es->number);

	line_reset(l);
	l->number = es->number;
	l->time = obj_now();
	line_about_all(l, n->o, also);
	line_owners(l, n->o);
	node_path(n, &l->path);
	l->lost |= l->path.nomem;
	return l;
}

static void
line_take(struct event_line *l, const struct event *ev)
{
	switch (ev->kind) {
	case EV_REGISTERED:
	case EV_REREGISTERED:
		mr_show(mr_of(ev->o), &l->u.mr);
		break;
	case EV_BOUND:
		mw_show(mw_of(ev->o), &l->u.mw);
		break;
	case EV_STATE:
		l->u.state = (enum qp_state)qp_of(ev->o)->state;
		break;
	case EV_INVALIDATED:
		l->u.how = ev->how;
		break;
	case EV_RENAMED:
	case EV_ASYNC:
		(void)strlcpy(l->u.word, ev->word, sizeof(l->u.word));
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
	l->kind = ev->kind;
	l->by = ev->by;
	l->port = ev->port;
	line_take(l, ev);
	wake_all(ev->o, ev->also);
}

void
events_refused(struct events *es, const struct outcome *out)
{
	static struct obj *const nobody[2];
	struct event_line *l = line_begin(es, out->where, nobody);

	l->what = "refused";
	l->kind = EV_REFUSED;
	l->by = out->uid;
	l->u.refused.verb = out->verb;
	l->u.refused.code = out->e->code;
	wake_all(out->where->o, nobody);
}

static void
line_words(const struct event_line *l, struct text *t)
{
	switch ((int)l->kind) {
	case EV_REGISTERED:
	case EV_REREGISTERED:
		mr_shown_words(&l->u.mr, t);
		break;
	case EV_BOUND:
		mw_shown_words(&l->u.mw, t);
		break;
	case EV_STATE:
		text_printf(
		    t, " state=%s", name_of(qp_state_names, l->u.state));
		break;
	case EV_INVALIDATED:
		text_printf(t, " how=%s", name_of(key_end_names, l->u.how));
		break;
	case EV_RENAMED:
		text_printf(t, " to=%s", l->u.word);
		break;
	case EV_ASYNC:
		text_printf(t, " event=%s", l->u.word);
		if (l->port != 0)
			text_printf(t, " port=%u", l->port);
		break;
	case EV_REFUSED:
		text_printf(t, " verb=%s errno=",
		    l->u.refused.verb != NULL ? l->u.refused.verb : "?");
		text_errno(t, l->u.refused.code);
		break;
	default:
		break;
	}
}

static void
line_text(const struct event_line *l, struct text *t)
{
	text_printf(t, "%llu %lld.%06lld %s %s", (unsigned long long)l->number,
	    (long long)(l->time / 1000000000),
	    (long long)(l->time / 1000 % 1000000), l->what, l->path.buf);
	line_words(l, t);
	if (l->by != (uid_t)-1)
		text_printf(t, " by=%u", l->by);
	text_puts(t, "\n");
}

/*
 * Reading.
 */

/* Whether l is about o; *seq: the how many-th that is. */
static bool
line_is_about(const struct event_line *l, const struct obj *o, uint32_t *seq)
{
	unsigned i;

	*seq = (uint32_t)l->number;
	if (o->parent == NULL)
		return true;
	for (i = 0; i < l->nabout; i++)
		if (l->about[i].id == o->id) {
			*seq = l->about[i].seq;
			return true;
		}
	return false;
}

static bool
line_is_seen(const struct event_line *l, const struct cred *cred)
{
	unsigned i;

	for (i = 0; i < l->nowners; i++)
		if (!cred_may(cred, &l->owners[i], X_OK))
			return false;
	return !l->lost;
}

/* How many lines there have been about o. */
static uint32_t
events_count(const struct events *es, const struct obj *o)
{
	return o->parent == NULL ? (uint32_t)es->number : o->events;
}

static void
events_now(const struct view *v, struct place *at)
{
	at->next = v->fs->events.number + 1;
	at->seen = events_count(&v->fs->events, v->o);
}

/* Lines up to seq are no longer to come; those between were lost. */
static void
place_pass(struct place *at, uint32_t seq, struct text *t)
{
	uint32_t lost = seq - at->seen;

	if (lost > 0)
		text_printf(t, "lost %u\n", lost);
	at->seen = seq;
}

static int
events_since(
    const struct view *v, struct place *at, size_t want, struct text *t)
{
	const struct events *es = &v->fs->events;
	struct place p = *at;
	const struct event_line *l;
	uint32_t seq;

	if (p.next < events_oldest(es))
		p.next = events_oldest(es);
	for (; p.next <= es->number && t->len < want; p.next++) {
		l = line_at(es, p.next);
		if (!line_is_about(l, v->o, &seq))
			continue;
		place_pass(&p, l->lost ? seq : seq - 1, t);
		p.seen = seq;
		if (line_is_seen(l, v->cred))
			line_text(l, t);
	}
	/* Of those that were lost there may be none behind them. */
	if (p.next > es->number)
		place_pass(&p, events_count(es, v->o), t);
	if (t->nomem)
		return -ENOMEM;
	*at = p;
	return 0;
}

static bool
events_come(const struct view *v, const struct place *at)
{
	return events_count(&v->fs->events, v->o) != (uint32_t)at->seen;
}

const struct journal events_journal = { events_now, events_since, events_come };

/* The last EVENTS_SHOWN that this reader may see. */
int
get_events(const struct view *v, struct text *t)
{
	const struct events *es = &v->fs->events;
	uint64_t first = es->number + 1, n, oldest = events_oldest(es);
	unsigned shown = 0;
	const struct event_line *l;
	uint32_t seq;

	for (n = es->number; n >= oldest && shown < EVENTS_SHOWN; n--) {
		l = line_at(es, n);
		if (!line_is_about(l, v->o, &seq) || !line_is_seen(l, v->cred))
			continue;
		first = n;
		shown++;
	}
	for (n = first; n <= es->number; n++) {
		l = line_at(es, n);
		if (line_is_about(l, v->o, &seq) && line_is_seen(l, v->cred))
			line_text(l, t);
	}
	return 0;
}
