/* SPDX-License-Identifier: MIT */
/* What changes the tree; see change.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/op.h"
#include "change.h"
#include "fs.h"
#include "script.h"

struct change {
	struct op op;
	struct changer by;
	struct node where; /* for the log; its object referenced */
	struct obj *made; /* by pd_new(), qp_new() */
	char *fresh; /* the new name, of a rename */
	bool elsewhere; /* the new name is in another directory */
	int (*run)(struct change *c);
	bool turn;
};

static struct change *
change_of(struct op *op)
{
	return (struct change *)(void *)op;
}

static void
change_free(struct change *c)
{
	obj_unref(c->where.o);
	free(c->fresh);
	free(c);
}

static struct change *
change_new(const struct changer *by, const struct node *where)
{
	struct change *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->by = *by;
	c->where = *where;
	world_lock(&by->fs->world);
	obj_ref(where->o);
	world_unlock(&by->fs->world);
	return c;
}

/* An error before there is an operation, or after it. */
static int
change_record(const struct changer *by, const struct node *where,
    const char *verb, const struct err *e)
{
	const struct outcome out = { .fs = by->fs,
		.o = where->o,
		.where = where,
		.uid = by->uid,
		.pid = by->pid,
		.verb = verb,
		.e = e };

	if (by->why != NULL && e->code != 0)
		*by->why = *e;
	outcome_record(&out, NULL);
	return -e->code;
}

/*
 * Making.
 */

/* mkdir in dir's node is told in the error of the object above. */
static int
make_over(struct change *c, int r)
{
	if (r == 0)
		err_clear(&c->op.err);
	return change_record(&c->by, &c->where, c->op.verb, &c->op.err);
}

static void
make_done(struct op *op, int r)
{
	struct change *c = change_of(op);

	r = make_over(c, r);
	obj_unref(op->obj);
	c->by.done(c->by.arg, r, r == 0 ? c->made : NULL);
	change_free(c);
}

static int
make_child(struct change *c, enum kind kind, const char *name,
    const struct owner *owner)
{
	struct pd *pd;

	if (kind == KIND_PD)
		return pd_new(&c->op, name, owner, &c->made);
	if (kind == KIND_QP)
		return qp_new(&c->op, name, owner, &c->made);
	if (kind == KIND_MEM)
		return rmem_new(
		    qp_of(c->where.o), name, owner, &c->made, &c->op.err);
	pd = pd_of(c->where.o);
	if (kind == KIND_MR)
		return mr_new(pd, name, owner, &c->made, &c->op.err);
	return mw_new(pd, name, owner, &c->made, &c->op.err);
}

/* Whether objects are made in dir, and of this name. */
static int
make_allowed(const struct node *dir, const char *name, struct err *e)
{
	struct set *set = node_set(dir);

	if (set == NULL || set->kind == KIND_DEV || set->kind == KIND_PORT)
		return fail(e, EPERM, "nothing can be made here");
	if (name == NULL)
		return 0;
	if (name_check(name, e) < 0)
		return -e->code;
	if (tree_has_name(name))
		return fail(e, EINVAL, "%s is the name of a fixed file", name);
	return 0;
}

int
change_make(const struct changer *by, const struct node *dir, const char *name,
    const struct owner *owner, struct obj **made, struct change **change)
{
	const char *verb = name != NULL ? "mkdir" : "clone";
	struct change *c;
	struct err e;
	int r;

	if (make_allowed(dir, name, &e) < 0)
		return change_record(by, dir, verb, &e);
	if ((c = change_new(by, dir)) == NULL) {
		(void)fail(&e, ENOMEM, "out of memory");
		return change_record(by, dir, verb, &e);
	}
	op_init(&c->op, dir->o, verb, NULL, make_done);
	r = make_child(c, node_set(dir)->kind, name, owner);
	*change = c;
	if (r == PENDING)
		return PENDING;
	r = make_over(c, r);
	obj_unref(c->op.obj);
	*made = c->made;
	change_free(c);
	return r;
}

/*
 * Removing and renaming: in the object's turn.
 */
static int
destroy_obj(struct op *op, bool all)
{
	switch (op->obj->kind) {
	case KIND_PD:
		return pd_destroy(op, all);
	case KIND_MR:
		return mr_destroy(op, all);
	case KIND_QP:
		return qp_destroy(op, all);
	case KIND_MEM:
		return rmem_destroy(op);
	default:
		return mw_destroy(op);
	}
}

static int
run_discard(struct change *c)
{
	return destroy_obj(&c->op, true);
}

static int
change_over(struct change *c, int r)
{
	if (r == 0)
		err_clear(&c->op.err);
	/* Nobody waits for a discard, least of all of what is gone. */
	if (c->run != run_discard || r != -ENODEV)
		(void)change_record(&c->by, &c->where, c->op.verb, &c->op.err);
	if (c->turn)
		op_end(&c->op);
	return r;
}

static void
change_done(struct op *op, int r)
{
	struct change *c = change_of(op);

	r = change_over(c, r);
	c->by.done(c->by.arg, r, NULL);
	change_free(c);
}

static void
change_turn(struct op *op, int r)
{
	struct change *c = change_of(op);

	if (r == 0) {
		c->turn = true;
		if ((r = c->run(c)) == PENDING)
			return;
	}
	change_done(op, r);
}

/* The object `name` in dir, referenced; NULL and why not. */
static struct obj *
change_find(const struct changer *by, const struct node *dir, const char *name,
    struct err *e)
{
	struct node n;
	struct obj *o = NULL;
	int r;

	world_lock(&by->fs->world);
	if ((r = node_lookup(dir, name, &n)) == 0 && n.o != dir->o &&
	    n.o->kind >= KIND_PD)
		o = obj_ref(n.o);
	world_unlock(&by->fs->world);
	if (r < 0)
		(void)fail(e, -r, "there is no such object");
	else if (o == NULL)
		(void)fail(e, EPERM, "%s is a fixed part of the tree", name);
	return o;
}

/* Begins c->run on the object that c is about. */
static int
change_begin(struct change *c, const char *verb, bool patient)
{
	int r;

	op_init(&c->op, c->where.o, verb, change_turn, change_done);
	c->op.reader = c->by.uid;
	if ((r = op_begin(&c->op, patient)) == PENDING)
		return PENDING;
	c->turn = r == 0;
	if (r == 0 && (r = c->run(c)) == PENDING)
		return PENDING;
	r = change_over(c, r);
	change_free(c);
	return r;
}

static int
run_remove(struct change *c)
{
	return destroy_obj(&c->op, false);
}

static int
change_new_on(const struct changer *by, const struct node *dir,
    const char *name, const char *fresh, const char *verb,
    struct change **change)
{
	struct obj *o;
	struct node where = { .dir = NULL };
	struct change *c;
	struct err e;

	if ((o = change_find(by, dir, name, &e)) == NULL)
		return change_record(by, dir, verb, &e);
	where.o = o;
	where.dir = kind_info(o->kind)->dirtypes[0];
	if ((c = change_new(by, &where)) == NULL ||
	    (fresh != NULL && (c->fresh = strdup(fresh)) == NULL)) {
		if (c != NULL)
			change_free(c);
		c = NULL;
		(void)fail(&e, ENOMEM, "out of memory");
		(void)change_record(by, dir, verb, &e);
	}
	obj_unref(o);
	if (c == NULL)
		return -ENOMEM;
	*change = c;
	return 0;
}

int
change_remove(const struct changer *by, const struct node *dir,
    const char *name, struct change **change)
{
	int r;

	if ((r = change_new_on(by, dir, name, NULL, "rmdir", change)) < 0)
		return r;
	(*change)->run = run_remove;
	return change_begin(*change, "rmdir", false);
}

static int
run_rename(struct change *c)
{
	struct obj *o = c->op.obj;
	struct world *w = o->world;
	bool seen;
	int r;

	if (c->elsewhere)
		return fail(
		    &c->op.err, EOPNOTSUPP, "an object stays in its directory");
	if ((r = name_check(c->fresh, &c->op.err)) < 0)
		return r;
	if (tree_has_name(c->fresh))
		return fail(&c->op.err, EINVAL,
		    "%s is the name of a fixed file", c->fresh);
	world_lock(w);
	seen = o->name_seen;
	if (c->by.moves_name)
		o->name_seen = false;
	r = obj_rename(o, c->fresh, c->by.uid, &c->op.err);
	if (c->by.moves_name)
		o->name_seen = seen;
	if (r == 0)
		mw_renamed_under(o);
	world_unlock(w);
	return r;
}

int
change_rename(const struct changer *by, const struct node *dir,
    const char *name, const struct node *to, const char *fresh,
    struct change **change)
{
	int r;

	if ((r = change_new_on(by, dir, name, fresh, "mv", change)) < 0)
		return r;
	(*change)->elsewhere = to->o != dir->o || to->dir != dir->dir;
	(*change)->run = run_rename;
	return change_begin(*change, "mv", false);
}

bool
change_interrupt(struct change *c)
{
	/* Making takes no turn: there is nothing to give up. */
	return c->run != NULL && op_cancel(&c->op);
}

/*
 * Discarding.
 */
static void
discard_done(void *arg, int r, struct obj *made)
{
	(void)arg;
	(void)r;
	(void)made;
}

void
change_discard(struct fs *fs, struct obj *o)
{
	const struct changer by = {
		.fs = fs, .uid = o->owner.uid, .done = discard_done
	};
	const struct node where = { .o = o,
		.dir = kind_info(o->kind)->dirtypes[0] };
	struct change *c = change_new(&by, &where);

	obj_unref(o);
	/* Without memory it stays until somebody destroys it by hand. */
	if (c == NULL)
		return;
	c->run = run_discard;
	(void)change_begin(c, "destroy", true);
}
