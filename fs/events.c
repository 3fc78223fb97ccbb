/* SPDX-License-Identifier: MIT */
/* The stream of events; see events.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events.h"
#include "fs.h"
#include "outcome.h"

/* Objects that a line is about: four levels, a window's region and its queue
 * pair. */
#define ABOUT_MAX 6
/* Directories from an object to the root: two a level. */
#define OWNERS_MAX 9

struct event_line {
	uint64_t number; /* 0: nothing has stood here yet */
	struct {
		uint64_t id;
		uint32_t seq; /* the how many-th line about it */
	} about[ABOUT_MAX];
	unsigned nabout;
	char *text; /* malloc'ed, a newline at its end; NULL: lost */
	/* The directories on the way that not everybody may search, as they
	 * were: malloc'ed, or NULL. */
	struct owner *owners;
	unsigned nowners;
};

int
events_init(struct events *es, struct err *e)
{
	es->number = 0;
	es->ring = calloc(EVENTS_KEPT, sizeof(*es->ring));
	if (es->ring == NULL)
		return fail(e, ENOMEM, "out of memory for events");
	return 0;
}

static void
line_fini(struct event_line *l)
{
	free(l->text);
	free(l->owners);
	memset(l, 0, sizeof(*l));
}

void
events_fini(struct events *es)
{
	unsigned i;

	for (i = 0; es->ring != NULL && i < EVENTS_KEPT; i++)
		line_fini(&es->ring[i]);
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
line_owners(struct event_line *l, const struct obj *o, bool *nomem)
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
		*nomem = true;
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

/* words is used up. */
static void
events_add(struct events *es, struct obj *o, struct obj *const also[2],
    struct text *words)
{
	struct event_line *l = line_at(es, ++es->number);
	bool nomem = words->nomem;

	line_fini(l);
	l->number = es->number;
	line_about_all(l, o, also);
	line_owners(l, o, &nomem);
	if (nomem)
		text_fini(words);
	l->text = words->buf;
	memset(words, 0, sizeof(*words));
	wake_all(o, also);
}

/* "number time what path" */
static void
words_begin(const struct events *es, const char *what, const struct node *n,
    struct text *t)
{
	const int64_t now = obj_now();
	struct text path = { 0 };

	node_path(n, &path);
	text_printf(t, "%llu %lld.%06lld %s ",
	    (unsigned long long)es->number + 1, (long long)(now / 1000000000),
	    (long long)(now / 1000 % 1000000), what);
	text_puts(t, path.nomem ? "?" : path.buf);
	text_fini(&path);
}

static struct node
node_of(struct obj *o)
{
	return (struct node){ .o = o, .dir = kind_info(o->kind)->dirtypes[0] };
}

/* The words of its status behind the first, its state. */
static void
words_status(struct obj *o, struct text *t)
{
	struct text status = { 0 };
	const char *words;

	kind_info(o->kind)->status(o, &status);
	if (status.nomem)
		t->nomem = true;
	else if ((words = strchr(status.buf, ' ')) != NULL)
		text_puts(t, words);
	text_fini(&status);
}

static void
words_more(const struct event *ev, struct text *t)
{
	switch (ev->kind) {
	case EV_REGISTERED:
	case EV_REREGISTERED:
	case EV_BOUND:
		words_status(ev->o, t);
		break;
	case EV_STATE:
		text_printf(t, " state=%s",
		    name_of(qp_state_names, qp_of(ev->o)->state));
		break;
	case EV_INVALIDATED:
		text_printf(t, " how=%s", name_of(key_end_names, ev->how));
		break;
	case EV_RENAMED:
		text_printf(t, " to=%s", ev->word);
		break;
	case EV_ASYNC:
		text_printf(t, " event=%s", ev->word);
		if (ev->port != 0)
			text_printf(t, " port=%u", ev->port);
		break;
	default:
		break;
	}
	if (ev->by != (uid_t)-1)
		text_printf(t, " by=%u", ev->by);
}

void
events_tell(void *arg, const struct event *ev)
{
	struct events *es = arg;
	const struct node n = node_of(ev->o);
	struct text t = { 0 };

	words_begin(es, name_of(event_names, ev->kind), &n, &t);
	words_more(ev, &t);
	text_puts(&t, "\n");
	events_add(es, ev->o, ev->also, &t);
}

void
events_refused(struct events *es, const struct outcome *out)
{
	static struct obj *const nobody[2];
	struct text t = { 0 };

	words_begin(es, "refused", out->where, &t);
	text_printf(&t, " verb=%s errno=", out->verb != NULL ? out->verb : "?");
	text_errno(&t, out->e->code);
	text_printf(&t, " by=%u\n", out->uid);
	events_add(es, out->o, nobody, &t);
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
	return l->text != NULL;
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
		place_pass(&p, l->text == NULL ? seq : seq - 1, t);
		p.seen = seq;
		if (line_is_seen(l, v->cred))
			text_puts(t, l->text);
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
			text_puts(t, l->text);
	}
	return 0;
}
