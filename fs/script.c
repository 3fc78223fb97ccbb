/* SPDX-License-Identifier: MIT */
/* What one write(2) to a control file brought; see script.h. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs.h"
#include "script.h"

struct script {
	struct call call;
	struct source src;
	struct cmd cmd;
	struct text said; /* the answers up to now */
	size_t n, pos;
	unsigned line; /* the number of the present one, from 1 */
	unsigned lines; /* in all */
	bool parsed; /* the only line, in cmd */
	bool turn; /* the present command has its object's turn */

	/* Above world.lock; guards the two below, and call.op against being
	 * made anew while script_interrupt() looks at it. */
	pthread_mutex_t lock;
	bool stop; /* no further line runs */
	bool begun; /* call.op is in use */

	char buf[];
};

static int
script_parse(struct script *s, struct cmd *cmd, const char *line, size_t len,
    struct err *e)
{
	const struct file *f = s->src.node.file;

	return cmd_parse(cmd, f->verbs, f->implied, line, len, e);
}

void
answer_free(char *answer)
{
	if (answer != NULL)
		freezero(answer, strlen(answer));
}

/* Whose error tells how it went; NULL: nobody's, it only asks. */
static struct obj *
source_subject(const struct source *src)
{
	return src->node.file->flags & FILE_ASKS ? NULL : src->node.o;
}

/* Only a script of several lines numbers them. */
static unsigned
script_line_shown(const struct script *s)
{
	return s->lines > 1 ? s->line : 0;
}

/* turn: which ends with it; or NULL. */
static void
script_record(struct script *s, const struct cmd *cmd, struct err *e,
    struct op *turn, char **answer)
{
	struct text shown = { 0 };
	struct outcome out = { .fs = s->src.fs,
		.o = source_subject(&s->src),
		.where = &s->src.node,
		.uid = s->src.uid,
		.pid = s->src.pid,
		.verb = cmd->verb != NULL ? cmd->verb->name : NULL,
		.e = e,
		.line = script_line_shown(s),
		.turn = turn };

	if (e->code != 0)
		cmd_blame(cmd, e, &shown);
	out.shown = shown.buf;
	outcome_record(&out, answer);
	text_fini(&shown);
}

/* Checks all lines before any runs.  A line that is alone stays parsed. */
static int
script_check(struct script *s, char **answer)
{
	const char *line;
	size_t len, pos = 0;
	struct err e;
	int r = 0;

	while (lines_next(s->buf, s->n, &pos, &line, &len))
		s->lines++;
	pos = 0;
	while (r == 0 && lines_next(s->buf, s->n, &pos, &line, &len)) {
		s->line++;
		err_clear(&e);
		if ((r = script_parse(s, &s->cmd, line, len, &e)) < 0)
			script_record(s, &s->cmd, &e, NULL, answer);
		s->parsed = r == 0 && s->lines == 1;
		if (!s->parsed)
			cmd_fini(&s->cmd);
	}
	s->line = 0;
	return r;
}

static void
script_free(struct script *s)
{
	obj_unref(s->src.node.o);
	text_fini(&s->said);
	explicit_bzero(s->buf, s->n);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* The present command is over. */
static int
script_over(struct script *s, int r, char **answer)
{
	if (r == 0)
		err_clear(&s->call.op.err);
	script_record(
	    s, &s->cmd, &s->call.op.err, s->turn ? &s->call.op : NULL, answer);
	s->turn = false;
	cmd_fini(&s->cmd);
	return r;
}

static void script_turn(struct op *op, int r);
static void script_done(struct op *op, int r);

/* Takes its turn for the parsed command: 0, PENDING, or -errno. */
static int
script_begin(struct script *s)
{
	int r;

	pthread_mutex_lock(&s->lock);
	s->begun = !s->stop;
	if (s->stop) {
		err_clear(&s->call.op.err);
		r = fail(&s->call.op.err, EINTR, "interrupted before it began");
	} else {
		r = op_start(&s->call.op, s->src.node.o, s->cmd.verb->name,
		    (struct op_for){ s->src.cred->uid, s->src.inode },
		    script_turn, script_done);
	}
	s->turn = r == 0;
	/* Once it is PENDING and unlocked, s is whoever's has the turn. */
	pthread_mutex_unlock(&s->lock);
	return r;
}

/* Runs from the next line on: 0, -errno, or PENDING. */
static int
script_go(struct script *s, char **answer)
{
	const char *line;
	size_t len;
	struct err e;
	int r = 0;

	while (r == 0 && lines_next(s->buf, s->n, &s->pos, &line, &len)) {
		s->line++;
		if (!s->parsed)
			(void)script_parse(s, &s->cmd, line, len, &e);
		if (s->cmd.verb == NULL) {
			cmd_fini(&s->cmd);
			continue;
		}
		if ((r = script_begin(s)) == 0)
			r = s->cmd.verb->run(&s->call);
		if (r == PENDING)
			return PENDING;
		r = script_over(s, r, answer);
	}
	return r;
}

/* All is over: what the lines before an error answered stands before it. */
static void
script_answer(struct script *s, char **answer)
{
	struct text all = { 0 };

	if (s->said.len == 0)
		return;
	text_add(&all, s->said.buf, s->said.len);
	if (*answer != NULL)
		text_puts(&all, *answer);
	if (all.nomem) {
		text_fini(&all);
		return;
	}
	answer_free(*answer);
	*answer = all.buf;
}

/* A command is over that was PENDING: on with the rest. */
static void
script_resume(struct script *s, int r)
{
	char *answer = NULL;

	r = script_over(s, r, &answer);
	if (r == 0 && (r = script_go(s, &answer)) == PENDING)
		return;
	script_answer(s, &answer);
	s->src.done(s->src.arg, r, answer);
	answer_free(answer);
	script_free(s);
}

static struct script *
script_of(struct op *op)
{
	return (struct script *)(void *)op;
}

static void
script_done(struct op *op, int r)
{
	script_resume(script_of(op), r);
}

static void
script_turn(struct op *op, int r)
{
	struct script *s = script_of(op);

	/* Not before script_begin() is through. */
	pthread_mutex_lock(&s->lock);
	s->turn = r == 0;
	pthread_mutex_unlock(&s->lock);
	if (r == 0 && (r = s->cmd.verb->run(&s->call)) == PENDING)
		return;
	script_resume(s, r);
}

static struct script *
script_new(const struct source *src, const char *buf, size_t n)
{
	struct script *s = malloc(sizeof(*s) + n);

	if (s == NULL)
		return NULL;
	memcpy(s->buf, buf, n);
	s->n = n;
	s->pos = 0;
	s->line = s->lines = 0;
	s->parsed = s->turn = s->stop = s->begun = false;
	s->said = (struct text){ 0 };
	s->src = *src;
	s->call.answer = &s->said;
	s->call.fs = src->fs;
	s->call.cmd = &s->cmd;
	s->call.cred = src->cred;
	s->call.pid = src->pid;
	pthread_mutex_init(&s->lock, NULL);
	world_lock(&src->fs->world);
	obj_ref(src->node.o);
	world_unlock(&src->fs->world);
	return s;
}

void
source_record(const struct source *src, const struct err *e, char **answer)
{
	const struct outcome out = { .fs = src->fs,
		.o = source_subject(src),
		.where = &src->node,
		.uid = src->uid,
		.pid = src->pid,
		.e = e };

	outcome_record(&out, answer);
}

int
script_run(const struct source *src, const char *buf, size_t n,
    struct script **script, char **answer)
{
	struct script *s = script_new(src, buf, n);
	int r;

	*answer = NULL;
	if (s == NULL) {
		struct err e;

		r = fail(&e, ENOMEM, "out of memory for %zu bytes", n);
		source_record(src, &e, answer);
		return r;
	}
	*script = s;
	if ((r = script_check(s, answer)) == 0)
		r = script_go(s, answer);
	if (r == PENDING)
		return r;
	script_answer(s, answer);
	script_free(s);
	return r;
}

bool
script_interrupt(struct script *s)
{
	bool waited;

	pthread_mutex_lock(&s->lock);
	s->stop = true;
	waited = s->begun && op_cancel(&s->call.op);
	pthread_mutex_unlock(&s->lock);
	return waited;
}
