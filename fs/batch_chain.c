/* SPDX-License-Identifier: MIT */
/*
 * Lines of a batch that do not wait for each other: binds and invalidations of
 * different windows over one queue pair, which does what is posted in order, and
 * nothing behind what fails.  So each line but knows that those before it have
 * been posted; that they have gone well is known before anything else is done.
 * A line is parsed again if it has failed.
 */
#include "batch_impl.h"

#define CHAIN_LINES 256

/* A line on its way. */
struct slot {
	struct call call; /* first */
	struct batch *b;
	struct obj *o; /* referenced */
	struct command_count *count; /* of its verb */
	char *error; /* what the object's said until now */
	size_t pos; /* of the line in the write */
	size_t len; /* without its newline */
	uint64_t line; /* its number */
	const struct file *ctl;
	atomic_int result; /* PENDING: not over */
	bool step; /* call.op.work is to be done first */
};

struct chain {
	struct mw_chain mws;
	pthread_t thread; /* begins and ends it, and may sleep */
	bool ending;
	unsigned n;
	/* Slots that are not over nor wait for their step; and one more until
	 * all have begun. */
	atomic_uint left;
	struct slot slots[CHAIN_LINES];
};

static struct slot *
slot_of(struct op *op)
{
	return (struct slot *)(void *)op;
}

/* Whether it was the last. */
static bool
chain_leave(struct chain *c)
{
	return atomic_fetch_sub(&c->left, 1) == 1;
}

static void
slot_leaves(struct slot *s)
{
	struct batch *b = s->b;

	if (!chain_leave(b->chain))
		return;
	b->work.fn = batch_goes_on;
	pool_submit(b->node.o->world->slow, &b->work);
}

static void
slot_done(struct op *op, int r)
{
	slot_of(op)->result = r;
	slot_leaves(slot_of(op));
}

/* What may sleep is done by the batch's own thread: here, or it waits until the
 * chain has been flushed, which has locks. */
static void
slot_later(struct op *op)
{
	struct slot *s = slot_of(op);
	struct chain *c = s->b->chain;

	if (pthread_equal(pthread_self(), c->thread) && !c->ending) {
		op->work.fn(&op->work);
		return;
	}
	s->step = true;
	slot_leaves(s);
}

/* Never: it has its turn from the start. */
static void
slot_turn(struct op *op, int r)
{
	slot_done(op, r);
}

static struct chain *
chain_get(struct batch *b)
{
	struct chain *c = b->chain;

	if (c == NULL && (c = b->chain = calloc(1, sizeof(*c))) == NULL)
		return NULL;
	if (c->n == 0) {
		c->thread = pthread_self();
		atomic_store(&c->left, 1);
	}
	return c;
}

/* The window of b->place and b->name, with its turn, unless somebody else has
 * that, perhaps a line before. */
static bool
slot_enter(struct batch *b, struct slot *s)
{
	struct world *w = b->node.o->world;
	struct obj *o;
	bool entered;

	world_lock(w);
	entered = place_holds(b) && (o = place_object(b)) != NULL &&
		  o->kind == KIND_MW &&
		  op_enter(&s->call.op, o, b->cmd->verb->name, slot_turn,
		      slot_done) == 0;
	if (entered)
		s->o = obj_ref(o);
	world_unlock(w);
	return entered;
}

static void
slot_begin(struct batch *b, struct slot *s)
{
	struct chain *c = b->chain;
	int r;

	s->b = b;
	s->ctl = b->place.ctl;
	s->count = b->slot->count;
	s->call.fs = b->call.fs;
	s->call.cmd = b->cmd;
	s->call.cred = b->call.cred;
	s->call.pid = b->call.pid;
	s->call.answer = &b->said;
	s->call.op.reader = b->call.cred->uid;
	s->call.op.later = slot_later;
	s->call.op.chain = &c->mws;
	s->line = b->stream.line;
	s->step = false;
	s->result = PENDING;
	c->n++;
	atomic_fetch_add(&c->left, 1);
	if ((r = b->cmd->verb->run(&s->call)) != PENDING)
		slot_done(&s->call.op, r);
	parsed_leave(b);
}

/* Whether the line is all in the write, from which it is read again. */
static bool
line_is_whole(const struct batch *b, const char *line, size_t len)
{
	return line == b->job->buf + b->pos - b->line_len &&
	       b->line_len == len + 1;
}

bool
chain_join(struct batch *b, const char *line, size_t len)
{
	struct chain *c;
	struct slot *s;
	struct err e;

	if (atomic_load(&b->stop) || b->alone == b->stream.line ||
	    b->call.fs->trace != NULL || !line_is_whole(b, line, len) ||
	    (c = chain_get(b)) == NULL)
		return false;
	/* What has failed at once is known, and ends it. */
	s = &c->slots[c->n];
	if (c->n > 0 && s[-1].result < 0)
		return false;
	line_cut(b, line, len);
	/* No batch lies beside windows. */
	if (b->rest_len == 0 || memchr(b->path, '/', b->path_len) == NULL ||
	    place_find(b, b->path, b->path_len) < 0 || line_parse(b, &e) < 0 ||
	    !b->cmd->verb->chains || !slot_enter(b, s))
		return false;
	s->pos = b->pos - b->line_len;
	s->len = len;
	slot_begin(b, s);
	return true;
}

bool
chain_is_full(const struct batch *b)
{
	return b->chain->n == CHAIN_LINES;
}

bool
chain_is_ending(const struct batch *b)
{
	return b->chain != NULL && b->chain->ending;
}

/* Their steps, which may sleep: they are over then. */
static void
chain_steps(struct chain *c)
{
	struct op *op;
	unsigned i;

	c->thread = pthread_self();
	c->ending = false;
	atomic_store(&c->left, c->n + 1); /* for slot_done(): never the last */
	for (i = 0; i < c->n; i++) {
		if (!c->slots[i].step)
			continue;
		op = &c->slots[i].call.op;
		op->work.fn(&op->work);
	}
}

/* How it went is known where the object is: with its error. */
static int
slot_record(struct batch *b, struct slot *s, char **answer)
{
	struct err e;

	b->stream.line = s->line;
	line_cut(b, b->job->buf + s->pos, s->len);
	(void)place_find(b, b->path, b->path_len);
	b->place.ctl = s->ctl;
	(void)line_parse(b, &e);
	b->o = s->o; /* with its reference */
	b->turn = b->told = false;
	b->call.op.err = s->call.op.err;
	s->o = NULL;
	return line_over(b, s->result, answer);
}

/* Lines that have gone well, or have not run. */
static void
slots_leave(struct batch *b)
{
	struct world *w = b->node.o->world;
	struct slot *s, *end = b->chain->slots + b->chain->n;

	world_lock(w);
	for (s = b->chain->slots; s < end; s++) {
		s->error = NULL;
		if (s->o == NULL)
			continue;
		if (s->result == 0) {
			s->error = s->o->error;
			s->o->error = NULL;
		}
		(void)op_end_locked(&s->call.op); /* not its last */
		s->o = obj_drop(s->o);
	}
	world_unlock(w);
	for (s = b->chain->slots; s < end; s++) {
		free(s->error);
		obj_unref(s->o);
	}
}

/* The first that has not gone well; n: there is none. */
static unsigned
chain_first(const struct chain *c)
{
	unsigned i = 0;

	while (i < c->n && c->slots[i].result == 0)
		i++;
	return i;
}

/* From the line of s on they are read again, and it stands alone. */
static void
chain_rewind(struct batch *b, const struct slot *s)
{
	b->pos = s->pos;
	b->stream.line = s->line - 1;
	b->stream.spent = true; /* if the end of the write is kept already */
	b->alone = s->line;
	b->phase = PHASE_NEXT;
}

static int
chain_tell(struct batch *b, char **answer)
{
	struct chain *c = b->chain;
	unsigned i, first = chain_first(c);
	struct slot *s = &c->slots[first];
	struct op *op = &s->call.op;
	int r = 0;

	for (i = 0; i < first; i++)
		command_count(c->slots[i].count, 0);
	if (first < c->n && s->result == -ECANCELED) {
		chain_rewind(b, s);
	} else if (first < c->n) {
		r = slot_record(b, s, answer);
		op_end(op);
	}
	slots_leave(b);
	return r;
}

int
chain_over(struct batch *b, char **answer)
{
	struct chain *c = b->chain;
	int r;

	if (c == NULL || c->n == 0)
		return 0;
	if (!c->ending) {
		c->ending = true;
		mw_chain_flush(&c->mws);
		if (!chain_leave(c))
			return PENDING;
	}
	chain_steps(c);
	r = chain_tell(b, answer);
	mw_chain_end(&c->mws);
	c->ending = false;
	c->n = 0;
	return r;
}

void
chain_free(struct batch *b)
{
	free(b->chain);
}
