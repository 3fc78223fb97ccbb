/* SPDX-License-Identifier: MIT */
/* The stream of events, as its readers see it; see events.h. */
#include <errno.h>
#include <unistd.h>

#include "events_impl.h"
#include "fs.h"

/* The number of the oldest line that is kept; es->number + 1: there is none. */
static uint64_t
events_oldest(const struct events *es)
{
	return es->number > EVENTS_KEPT ? es->number - EVENTS_KEPT + 1 : 1;
}

static void
line_text(const struct event_line *l, struct text *t)
{
	text_printf(t, "%llu %lld.%06lld %s %s", (unsigned long long)l->number,
	    (long long)(l->time / 1000000000),
	    (long long)(l->time / 1000 % 1000000), l->what, l->path.buf);
	if (l->words != NULL)
		l->words(l, t);
	if (l->by != (uid_t)-1)
		text_printf(t, " by=%u", l->by);
	text_puts(t, "\n");
}

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

/* Whether a read would give something, which a line alone that he may not see
 * would not. */
static bool
events_come(const struct view *v, const struct place *at)
{
	struct place p = *at;
	struct text t = { 0 };
	bool come;

	/* Without memory a read says so. */
	come = events_since(v, &p, 1, &t) < 0 || t.len > 0;
	text_fini(&t);
	return come;
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
