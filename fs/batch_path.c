/* SPDX-License-Identifier: MIT */
/*
 * The paths of a batch: what they name, and whether its opener might go there.
 * Where the last path has led is remembered.
 */
#include "batch_impl.h"

/* The next name of a path, in name. */
static int
path_name(
    const char **path, const char *end, char name[NAME_TEXT], struct err *e)
{
	const char *slash = memchr(*path, '/', (size_t)(end - *path));
	size_t n = (size_t)((slash != NULL ? slash : end) - *path);

	if (n >= NAME_TEXT)
		return fail_at(e, "path", ENAMETOOLONG,
		    "a name of %zu bytes in the path", n);
	memcpy(name, *path, n);
	name[n] = '\0';
	*path += n + (slash != NULL);
	if (n == 0)
		return fail_at(e, "path", EINVAL,
		    "a path is names with one / between two of them, from "
		    "the directory of this batch on");
	return 0;
}

/* A step down from *n, whose entries the opener may look up; lock held. */
static int
path_step(
    const struct batch *b, struct node *n, const char *name, struct err *e)
{
	const struct owner own = node_owner(n);
	struct node next;

	if (!cred_may(b->call.cred, &own, X_OK))
		return fail_at(e, "path", EACCES,
		    "you may not search a directory of the path");
	if (node_lookup(n, name, &next) < 0)
		return fail_at(e, "path", ENOENT,
		    "there is no such directory on the path");
	if (next.file != NULL)
		return fail_at(e, "path", ENOTDIR,
		    "%s is a file: a path is that of an object, whose ctl is "
		    "meant",
		    next.file->name);
	*n = next;
	return 0;
}

/* The ctl of the objects in directory n; NULL. */
static const struct file *
place_ctl(const struct node *n)
{
	if (n->dir->children < 0)
		return NULL;
	return dir_file(
	    kind_info((enum kind)n->dir->children)->dirtypes[0], "ctl");
}

/* Lock held. */
static int
place_walk(struct batch *b, const char *path, size_t len, struct node *n)
{
	struct node at = b->node;
	const char *p = path, *end = path + len;
	struct owner own;
	char name[NAME_TEXT];
	int r = 0;

	at.file = NULL;
	while (r == 0 && p < end)
		if ((r = path_name(&p, end, name, &b->why)) == 0)
			r = path_step(b, &at, name, &b->why);
	if (r < 0)
		return r;
	if (at.o->gone)
		return fail_at(&b->why, "path", ENODEV,
		    "the directory of this batch is gone");
	own = node_owner(&at);
	if (!cred_may(b->call.cred, &own, X_OK))
		return fail_at(&b->why, "path", EACCES,
		    "you may not search a directory of the path");
	if (len > 0 && path[len - 1] == '/')
		return fail_at(&b->why, "path", EINVAL,
		    "a path has one / between two names");
	*n = at;
	return 0;
}

/* Whether the path, from the batch's directory, is that of b->place. */
static bool
place_is(const struct batch *b, const char *path, size_t len)
{
	const struct batch_place *p = &b->place;

	return p->dir.o != NULL && p->len == len &&
	       memcmp(p->text, path, len) == 0;
}

bool
place_holds(const struct batch *b)
{
	const struct batch_place *p = &b->place;

	return p->dir.o != NULL && !p->dir.o->gone &&
	       p->shuffles == p->dir.o->world->shuffles;
}

static int
place_look(struct batch *b, const char *path, size_t len)
{
	struct world *w = b->node.o->world;
	struct batch_place *p = &b->place;
	struct obj *old = p->dir.o;
	struct node n = b->node;
	int r;

	p->dir.o = NULL;
	world_lock(w);
	if ((r = place_walk(b, path, len, &n)) == 0) {
		p->dir = n;
		obj_ref(n.o);
		p->shuffles = w->shuffles;
	}
	world_unlock(w);
	obj_unref(old);
	if (r < 0)
		return r;
	memcpy(p->text, path, len);
	p->len = len;
	p->ctl = place_ctl(&n);
	return 0;
}

int
place_find(struct batch *b, const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	size_t n = slash != NULL ? (size_t)(slash - path) : 0;

	b->name = slash != NULL ? slash + 1 : path;
	if (slash == path || b->name == path + len)
		return fail_at(&b->why, "path", EINVAL,
		    "a path is names with one / between two of them, from "
		    "the directory of this batch on");
	if (n >= PATH_TEXT || len - n > NAME_TEXT)
		return fail_at(&b->why, "path", ENAMETOOLONG,
		    "no path here is as long as %zu bytes", len);
	if (place_is(b, path, n))
		return 0;
	return place_look(b, path, n);
}

/* Why there is no object of that name; lock held. */
static struct obj *
object_missing(struct batch *b, const char *name)
{
	struct node n;

	if (node_lookup(&b->place.dir, name, &n) < 0)
		(void)fail_at(
		    &b->why, "path", ENOENT, "there is no object of this path");
	else if (n.file != NULL)
		(void)fail_at(&b->why, "path", ENOTDIR,
		    "%s is a file: a path is that of an object, whose ctl is "
		    "meant",
		    n.file->name);
	else
		(void)fail_at(&b->why, "path", ENOENT,
		    "what has this path takes no commands: it has no ctl");
	return NULL;
}

/* Whether the opener may write the ctl of o, in a directory that he may
 * search; lock held. */
static bool
object_may(const struct batch *b, struct obj *o)
{
	const struct node n = { .o = o,
		.dir = kind_info(o->kind)->dirtypes[0],
		.file = b->place.ctl };
	struct owner own;

	if (b->call.cred->uid == 0)
		return true;
	own = node_owner(&n);
	return cred_may(b->call.cred, &o->owner, X_OK) &&
	       cred_may(b->call.cred, &own, W_OK);
}

/* The object of the last line, if it is the one of this name; lock held. */
static struct obj *
last_named(const struct batch *b, const char *name)
{
	struct obj *o = b->last;

	if (o == NULL || o->gone || o->parent != b->place.dir.o ||
	    (int)o->kind != b->place.dir.dir->children ||
	    strcmp(o->name, name) != 0)
		return NULL;
	return o;
}

struct obj *
place_object(struct batch *b)
{
	struct set *set = node_set(&b->place.dir);
	char name[NAME_TEXT];
	struct obj *o = NULL;
	size_t n = b->path_len - (size_t)(b->name - b->path);

	memcpy(name, b->name, n);
	name[n] = '\0';
	if (set != NULL && b->place.ctl != NULL &&
	    (o = last_named(b, name)) == NULL)
		o = obj_by_name(set, name);
	if (o == NULL)
		return object_missing(b, name);
	if (object_may(b, o))
		return o;
	(void)fail_at(&b->why, "path", EACCES,
	    "you may not write the ctl of this object");
	return NULL;
}

struct obj *
last_set(struct batch *b, struct obj *o)
{
	struct obj *old = b->last;

	b->last = o;
	if (old == NULL || old->refs == 1)
		return old;
	old->refs--;
	return NULL;
}
