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
	char *buf;
	size_t n, pos;
	unsigned line; /* the number of the present one, from 1 */
	unsigned lines; /* in all */
	bool turn; /* the present command has its object's turn */

	/* Above world.lock; guards the two below, and call.op against being
	 * made anew while script_interrupt() looks at it. */
	pthread_mutex_t lock;
	bool stop; /* no further line runs */
	bool begun; /* call.op is in use */
};

static char *
outcome_text(const struct err *e, unsigned line, const char *shown)
{
	struct text t = { 0 };

	text_errno(&t, e->code);
	text_puts(&t, ": ");
	if (line > 0)
		text_printf(&t, "line %u: ", line);
	text_printf(&t, "%s\n", e->text);
	if (shown != NULL)
		text_puts(&t, shown);
	if (t.nomem) {
		text_fini(&t);
		return NULL;
	}
	return t.buf;
}

static void
outcome_log(struct fs *fs, const struct node *where, uid_t uid, pid_t pid,
    const char *error)
{
	struct text path = { 0 };
	char *first = strndup(error, strcspn(error, "\n"));

	world_lock(&fs->world);
	node_path(where, &path);
	world_unlock(&fs->world);
	if (first != NULL && !path.nomem)
		errlog_add(&fs->errlog, uid, pid, path.buf, first);
	free(first);
	text_fini(&path);
}

void
outcome_record(struct fs *fs, struct obj *o, const struct node *where,
    uid_t uid, pid_t pid, const struct err *e, unsigned line, const char *shown,
    char **answer)
{
	char *error = NULL, *old;

	if (e->code != 0) {
		/* Without memory for its text a refusal stands as "ok":
		 * never, so a fixed one does. */
		error = outcome_text(e, line, shown);
		if (error != NULL) {
			outcome_log(fs, where, uid, pid, error);
			if (answer != NULL)
				*answer = strdup(error);
		}
	}
	world_lock(&fs->world);
	old = o->error;
	o->error = error;
	world_unlock(&fs->world);
	free(old);
}

int
call_may_use(struct call *c, struct mr *mr, uint32_t rights)
{
	struct world *w = mr->o.world;
	struct node data = { .o = &mr->o,
		.dir = kind_info(KIND_MR)->dirtypes[0] };
	struct owner own;
	int want = 0;
	bool may;

	if (rights & (RIGHT_REMOTE_WRITE | RIGHT_REMOTE_ATOMIC))
		want |= W_OK;
	if ((rights & RIGHT_REMOTE_READ) || want == 0)
		want |= R_OK;
	data.file = dir_file(data.dir, "data");
	world_lock(w);
	own = node_owner(&data);
	may = cred_reaches(c->cred, &mr->o) && cred_may(c->cred, &own, want);
	world_unlock(w);
	if (may)
		return 0;
	return fail_at(&c->op.err, "mr", EACCES,
	    "you may not %s the data of this region, which these rights ask "
	    "for",
	    want == R_OK   ? "read"
	    : want == W_OK ? "write"
			   : "read and write");
}

struct mr *
call_region(struct call *c, const char *name, uint32_t rights)
{
	struct obj *pd = c->op.obj->parent;
	struct obj *o;

	world_lock(pd->world);
	if ((o = obj_by_name(obj_set(pd, KIND_MR), name)) != NULL)
		obj_ref(o);
	world_unlock(pd->world);
	if (o == NULL) {
		(void)fail_at(&c->op.err, "mr", ENOENT,
		    "there is no region of this name in the domain");
		return NULL;
	}
	if (call_may_use(c, mr_of(o), rights) < 0) {
		obj_unref(o);
		return NULL;
	}
	return mr_of(o);
}

int
run_keep(struct call *c)
{
	struct obj *o = c->op.obj;

	if (!o->clone)
		return fail(&c->op.err, EINVAL,
		    "made by mkdir: it stays anyway; keep is for what was "
		    "made through clone");
	world_lock(o->world);
	o->keep = true;
	world_unlock(o->world);
	return 0;
}

static int
script_parse(struct script *s, struct cmd *cmd, const char *line, size_t len,
    struct err *e)
{
	const struct file *f = s->src.node.file;

	return cmd_parse(cmd, f->verbs, f->implied, line, len, e);
}

/* Only a script of several lines numbers them. */
static unsigned
script_line_shown(const struct script *s)
{
	return s->lines > 1 ? s->line : 0;
}

static void
script_record(
    struct script *s, const struct cmd *cmd, struct err *e, char **answer)
{
	struct text shown = { 0 };

	if (e->code != 0)
		cmd_blame(cmd, e, &shown);
	outcome_record(s->src.fs, s->src.node.o, &s->src.node, s->src.uid,
	    s->src.pid, e, script_line_shown(s), shown.buf, answer);
	text_fini(&shown);
}

/* Checks all lines before any runs. */
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
			script_record(s, &s->cmd, &e, answer);
		cmd_fini(&s->cmd);
	}
	s->line = 0;
	return r;
}

static void
script_free(struct script *s)
{
	obj_unref(s->src.node.o);
	explicit_bzero(s->buf, s->n);
	free(s->buf);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static void
script_trace(struct script *s, int r)
{
	struct fs *fs = s->src.fs;
	struct text t = { 0 };

	if (fs->trace == NULL)
		return;
	world_lock(&fs->world);
	node_path(&s->src.node, &t);
	world_unlock(&fs->world);
	text_printf(&t, ": %s uid=%u pid=%d -> ", s->cmd.verb->name, s->src.uid,
	    s->src.pid);
	if (r < 0) {
		text_errno(&t, -r);
		text_printf(&t, ": %s", s->call.op.err.text);
	} else {
		text_puts(&t, "ok");
	}
	if (!t.nomem)
		fs->trace(fs->trace_arg, t.buf);
	text_fini(&t);
}

/* The present command is over. */
static int
script_over(struct script *s, int r, char **answer)
{
	if (r == 0)
		err_clear(&s->call.op.err);
	script_trace(s, r);
	script_record(s, &s->cmd, &s->call.op.err, answer);
	cmd_fini(&s->cmd);
	if (s->turn)
		op_end(&s->call.op);
	s->turn = false;
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
	op_init(&s->call.op, s->src.node.o, s->cmd.verb->name, script_turn,
	    script_done);
	s->begun = true;
	if (s->stop) {
		obj_unref(s->call.op.obj);
		r = fail(&s->call.op.err, EINTR, "interrupted before it began");
	} else {
		r = op_begin(&s->call.op, true);
	}
	pthread_mutex_unlock(&s->lock);
	s->turn = r == 0;
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

/* A command is over that was PENDING: on with the rest. */
static void
script_resume(struct script *s, int r)
{
	char *answer = NULL;

	r = script_over(s, r, &answer);
	if (r == 0 && (r = script_go(s, &answer)) == PENDING)
		return;
	s->src.done(s->src.arg, r, answer);
	free(answer);
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

	if (r == 0) {
		s->turn = true;
		if ((r = s->cmd.verb->run(&s->call)) == PENDING)
			return;
	}
	script_resume(s, r);
}

static struct script *
script_new(const struct source *src, const char *buf, size_t n)
{
	struct script *s = malloc(sizeof(*s));

	if (s == NULL)
		return NULL;
	if ((s->buf = malloc(n > 0 ? n : 1)) == NULL) {
		free(s);
		return NULL;
	}
	memcpy(s->buf, buf, n);
	s->n = n;
	s->pos = 0;
	s->line = s->lines = 0;
	s->turn = s->stop = s->begun = false;
	s->src = *src;
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
		outcome_record(src->fs, src->node.o, &src->node, src->uid,
		    src->pid, &e, 0, NULL, answer);
		return r;
	}
	*script = s;
	if ((r = script_check(s, answer)) == 0)
		r = script_go(s, answer);
	if (r != PENDING)
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
