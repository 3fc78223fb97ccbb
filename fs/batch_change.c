/* SPDX-License-Identifier: MIT */
/*
 * mkdir, rmdir and mv as lines of a batch.  What the kernel checks for those
 * who do it by hand, modes and the sticky bit, is checked here.
 */
#include <sys/stat.h>

#include "batch_impl.h"

/* The directory of a path that is an argument, in b->place, and b->name. */
static int
change_find(struct batch *b, const char *path)
{
	int r;

	do {
		if ((r = place_find(b, path, strlen(path))) < 0)
			return r;
		world_lock(b->node.o->world);
		if (!place_holds(b))
			b->place.len = PATH_TEXT; /* look again */
		world_unlock(b->node.o->world);
	} while (b->place.len == PATH_TEXT);
	return 0;
}

static int
may_change(const struct batch *b, const struct owner *dir, struct err *e)
{
	if (cred_may(b->call.cred, dir, W_OK | X_OK))
		return 0;
	return fail_at(
	    e, "path", EACCES, "you may not write the directory of the path");
}

/* Something new in b->place; what is there already is told as such first. */
static int
may_make(struct batch *b)
{
	struct world *w = b->node.o->world;
	struct owner dir;
	struct node n;
	int r;

	world_lock(w);
	dir = node_owner(&b->place.dir);
	r = may_change(b, &dir, &b->why);
	if (r < 0 && node_lookup(&b->place.dir, b->name, &n) == 0)
		r = fail_at(&b->why, "path", EEXIST, "%s exists", b->name);
	world_unlock(w);
	return r;
}

/* rename(2), rmdir(2): EPERM where the sticky bit keeps what is another's. */
static int
may_take(struct batch *b)
{
	struct world *w = b->node.o->world;
	const struct cred *c = b->call.cred;
	struct owner dir, own;
	struct node n;
	int r;

	world_lock(w);
	dir = node_owner(&b->place.dir);
	if (node_lookup(&b->place.dir, b->name, &n) < 0) {
		r = fail_at(&b->why, "path", ENOENT, "there is no such object");
	} else if ((r = may_change(b, &dir, &b->why)) == 0) {
		own = node_owner(&n);
		if ((dir.mode & S_ISVTX) && c->uid != 0 && c->uid != own.uid &&
		    c->uid != dir.uid)
			r = fail_at(&b->why, "path", EPERM,
			    "it is another's, in a directory whose sticky bit "
			    "is set");
	}
	world_unlock(w);
	return r;
}

static void
change_met(void *arg, int r, struct obj *made)
{
	struct batch *b = arg;

	/* Not before its starter is through. */
	pthread_mutex_lock(&b->lock);
	b->change = NULL;
	pthread_mutex_unlock(&b->lock);
	if (made != NULL)
		obj_unref(made);
	batch_met(b, r);
}

static struct changer
changer_of(struct batch *b)
{
	b->told = true;
	return (struct changer){ .fs = b->call.fs,
		.uid = b->call.cred->uid,
		.pid = b->job->pid,
		.done = change_met,
		.arg = b,
		.why = &b->why };
}

static int
run_mkdir(struct call *c)
{
	struct batch *b = batch_of(&c->op);
	const struct owner owner = { c->cred->uid, c->cred->gid,
		0777 & ~c->cred->umask };
	struct change *change;
	struct obj *made = NULL;
	struct changer by;
	int r;

	if ((r = change_find(b, cmd_str(c->cmd, "path"))) < 0 ||
	    (r = may_make(b)) < 0)
		return r;
	by = changer_of(b);
	r = change_make(&by, &b->place.dir, b->name, &owner, &made, &change);
	if (r == 0)
		obj_unref(made);
	return r;
}

static int
run_rmdir(struct call *c)
{
	struct batch *b = batch_of(&c->op);
	struct changer by;
	int r;

	if ((r = change_find(b, cmd_str(c->cmd, "path"))) < 0 ||
	    (r = may_take(b)) < 0)
		return r;
	by = changer_of(b);
	pthread_mutex_lock(&b->lock);
	r = change_remove(&by, &b->place.dir, b->name, &b->change);
	if (r != PENDING)
		b->change = NULL;
	pthread_mutex_unlock(&b->lock);
	return r;
}

/* From the place and name that b has now, to those of a second path. */
static int
move_to(struct batch *b, const struct node *from, const char *name)
{
	struct changer by;
	struct node n;
	bool there;
	int r;

	if ((r = change_find(b, cmd_str(b->call.cmd, "to"))) < 0)
		return r;
	/* rename(2) of a thing to itself does nothing. */
	if (from->o == b->place.dir.o && from->dir == b->place.dir.dir &&
	    strcmp(name, b->name) == 0)
		return 0;
	world_lock(b->node.o->world);
	there = node_lookup(&b->place.dir, b->name, &n) == 0;
	world_unlock(b->node.o->world);
	if ((r = there ? may_take(b) : may_make(b)) < 0)
		return r;
	by = changer_of(b);
	pthread_mutex_lock(&b->lock);
	r = change_rename(&by, from, name, &b->place.dir, b->name, &b->change);
	if (r != PENDING)
		b->change = NULL;
	pthread_mutex_unlock(&b->lock);
	return r;
}

static int
run_mv(struct call *c)
{
	struct batch *b = batch_of(&c->op);
	struct node from;
	const char *name;
	int r;

	if ((r = change_find(b, cmd_str(c->cmd, "path"))) < 0 ||
	    (r = may_take(b)) < 0)
		return r;
	from = b->place.dir;
	name = b->name;
	world_lock(from.o->world);
	obj_ref(from.o);
	world_unlock(from.o->world);
	r = move_to(b, &from, name);
	obj_unref(from.o);
	return r;
}

const struct verb batch_verbs[] = {
	{ "mkdir", "path:word", run_mkdir, "makes an object" },
	{ "rmdir", "path:word", run_rmdir, "destroys one" },
	{ "mv", "path:word to:word", run_mv, "a new name in its directory" },
	{ NULL, NULL, NULL, NULL },
};

int
get_batch(const struct view *v, struct text *t)
{
	text_puts(t, "# PATH VERB ARG...  (as written to PATH/ctl)\n");
	verbs_help(v->file->verbs, t);
	return 0;
}
