/* SPDX-License-Identifier: MIT */
/*
 * One line of a batch: PATH VERB ARG..., which is for the ctl of an object, or
 * mkdir, rmdir, mv.  How it began, how it ended, and who is told.
 */
#include "batch_impl.h"
#include "outcome.h"

/*
 * Words.
 */
static bool
blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *
skip_blanks(const char *s, const char *end)
{
	while (s < end && blank(*s))
		s++;
	return s;
}

/* The first word is the path, the rest the command. */
static void
path_cut(struct batch *b, const char *s, const char *end)
{
	b->path = s;
	while (s < end && !blank(*s))
		s++;
	b->path_len = (size_t)(s - b->path);
	b->rest = skip_blanks(s, end);
	b->rest_len = (size_t)(end - b->rest);
}

void
line_cut(struct batch *b, const char *line, size_t len)
{
	path_cut(b, skip_blanks(line, line + len), line + len);
}

static bool
path_equals(const struct batch *b, const char *word)
{
	return strlen(word) == b->path_len &&
	       memcmp(b->path, word, b->path_len) == 0;
}

/* Whether the line is a row of batch_verbs: no path begins so. */
static bool
path_is_verb(const struct batch *b)
{
	const struct verb *v;

	for (v = batch_verbs; v->name != NULL; v++)
		if (path_equals(b, v->name))
			return true;
	return false;
}

/*
 * A command on an object.
 */

/* Somebody else has its turn: waits for that. */
static int
object_wait(struct batch *b)
{
	struct op *op = &b->call.op;
	int r;

	pthread_mutex_lock(&b->lock);
	op_init(op, b->o, b->cmd->verb->name, batch_turn, batch_done);
	op->reader = b->call.cred->uid;
	r = op_begin(op, true);
	b->waits = r == PENDING;
	b->turn = r == 0;
	/* Once it is PENDING and unlocked, b is whoever's has the turn. */
	pthread_mutex_unlock(&b->lock);
	return r;
}

/*
 * Finds b->o in b->place and, unless only its error is to be told, takes its
 * turn: 0, PENDING, -ESTALE: the place is to be looked for again, or -errno.
 */
static int
object_enter(struct batch *b, bool tell)
{
	struct world *w = b->node.o->world;
	struct op *op = &b->call.op;
	struct obj *o;
	int r = -ESTALE;

	world_lock(w);
	if (place_holds(b)) {
		r = 0;
		if ((o = place_object(b)) == NULL)
			r = -b->why.code;
		else
			b->o = obj_ref(o);
		if (r == 0 && !tell)
			r = op_enter(
			    op, o, b->cmd->verb->name, batch_turn, batch_done);
	}
	world_unlock(w);
	if (r == PENDING)
		return object_wait(b);
	b->turn = r == 0 && !tell;
	op->reader = b->call.cred->uid;
	return r;
}

int
line_parse(struct batch *b, struct err *e)
{
	const struct file *ctl = b->place.ctl;
	int r;

	/* Where no commands are taken, the words are cut to show them. */
	r = parsed_get(b, ctl != NULL ? ctl->verbs : batch_verbs, true, e);
	if (r == 0 && b->cmd->verb == NULL)
		r = fail(e, EINVAL, "a verb is missing behind the path");
	return r;
}

/* A command that does not parse is told by its object, as if it had been
 * written there. */
static int
object_begin(struct batch *b)
{
	struct err e;
	int parsed, r;

	do {
		r = place_find(b, b->path, b->path_len);
		parsed = line_parse(b, &e);
		if (r == 0)
			r = object_enter(b, parsed < 0);
		if (r == -ESTALE)
			b->place.len = PATH_TEXT;
	} while (r == -ESTALE);
	if (r == 0 && parsed < 0) {
		b->call.op.err = e;
		return parsed;
	}
	return r == 0 ? b->cmd->verb->run(&b->call) : r;
}

int
line_begin(struct batch *b, const char *line, size_t len)
{
	const char *end = line + len, *s = skip_blanks(line, end);
	int r;

	b->o = NULL;
	b->turn = b->told = false;
	if (s == end || *s == '#')
		return LINE_EMPTY;
	if (atomic_load_explicit(&b->stop, memory_order_relaxed)) {
		b->path_len = b->rest_len = 0;
		return fail(&b->why, EINTR, "interrupted before it began");
	}
	path_cut(b, s, end);
	if (!path_is_verb(b))
		return object_begin(b);
	b->rest = s;
	b->rest_len = (size_t)(end - s);
	b->path_len = 0;
	r = parsed_get(b, batch_verbs, false, &b->why);
	return r == 0 ? b->cmd->verb->run(&b->call) : r;
}

/*
 * How it went.
 */

/* What follows from the end of a command on b->o, whatever it was. */
static void
object_leave(struct batch *b, bool well)
{
	struct world *w = b->node.o->world;
	struct obj *o = b->o, *drop;
	char *error = NULL;

	world_lock(w);
	if (well && o->error != NULL) {
		error = o->error;
		o->error = NULL;
	}
	if (b->turn) /* never its last reference: there is b->o's own */
		(void)op_end_locked(&b->call.op);
	drop = last_set(b, o);
	world_unlock(w);
	if (drop != NULL)
		obj_unref(drop);
	if (error != NULL)
		free(error);
	b->o = NULL;
	b->turn = false;
}

/* Of the line that has failed: its number, its words, whom to blame. */
static struct outcome
line_outcome(const struct batch *b, const struct err *e)
{
	return (struct outcome){ .fs = b->call.fs,
		.o = b->node.o,
		.where = &b->node,
		.uid = b->job->uid,
		.pid = b->job->pid,
		.verb = b->cmd->verb != NULL ? b->cmd->verb->name : NULL,
		.e = e,
		.line = (unsigned)b->stream.line };
}

/* As if it had been written to the object's ctl. */
static void
object_record(struct batch *b, const struct err *e)
{
	const struct node ctl = { .o = b->o,
		.dir = kind_info(b->o->kind)->dirtypes[0],
		.file = b->place.ctl };
	struct outcome out = line_outcome(b, e);
	struct text shown = { 0 };

	if (e->code != 0)
		cmd_blame(b->cmd, e, &shown);
	out.o = b->o;
	out.where = &ctl;
	out.line = 0;
	out.shown = shown.buf;
	outcome_record(&out, NULL);
	text_fini(&shown);
}

/* Where the batch is: what the object, or a change of the tree, has told
 * already is told nobody else. */
static void
line_record(struct batch *b, const struct err *e, bool told, char **answer)
{
	struct outcome out = line_outcome(b, e);
	struct text shown = { 0 };

	if (b->path_len > 0)
		cmd_blame_behind(
		    b->cmd, b->path, b->path_len, b->o != NULL, e, &shown);
	else if (b->rest_len > 0)
		cmd_blame(b->cmd, e, &shown);
	out.shown = shown.buf;
	if (told)
		outcome_error(&out, answer);
	else
		outcome_record(&out, answer);
	text_fini(&shown);
}

int
line_refuse(struct batch *b, char **answer)
{
	parsed_leave(b);
	b->path_len = b->rest_len = 0;
	line_record(b, &b->why, false, answer);
	return -b->why.code;
}

int
line_over(struct batch *b, int r, char **answer)
{
	struct err *e = b->o != NULL ? &b->call.op.err : &b->why;

	if (r == 0 && b->o != NULL && b->call.fs->trace == NULL) {
		command_count(b->slot->count, 0);
	} else if (b->o != NULL) {
		if (r == 0)
			err_clear(e);
		object_record(b, e);
	}
	if (r < 0)
		line_record(b, e, b->told || b->o != NULL, answer);
	if (b->o != NULL)
		object_leave(b, r == 0);
	parsed_leave(b);
	return r;
}
