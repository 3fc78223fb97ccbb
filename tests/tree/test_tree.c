/* SPDX-License-Identifier: MIT */
/*
 * The tables walked without FUSE: their rows, and the nodes of a small world
 * with something of each kind in it.
 */
#include <stdlib.h>
#include <string.h>

#include "../../core/op.h"
#include "../../core/soft.h"
#include "fs.h"
#include "tap.h"
#include "tree.h"

static const enum kind all_kinds[] = { KIND_ROOT, KIND_DEV, KIND_PORT, KIND_PD,
	KIND_MR, KIND_MW };

static struct fs fs;
static const struct cred root = { .uid = 0 };

/*
 * Rows.
 */
static void
check_verb(const char *at, const struct verb *v)
{
	struct text t = { 0 };

	/* A grammar that does not parse is an assertion. */
	verb_usage(v, &t);
	ok(t.len >= strlen(v->name), "%s: %s has a usage: %s", at, v->name,
	    t.buf);
	ok(v->run != NULL && v->help != NULL && v->help[0] != '\0',
	    "%s: %s does something and says what", at, v->name);
	text_fini(&t);
}

static void
check_file(const struct dirtype *d, const struct file *f)
{
	const struct verb *v;
	struct err e;
	char at[128];
	bool implied = f->implied == NULL;

	(void)snprintf(at, sizeof(at), "%s/%s", d->pattern, f->name);
	ok(f == d->numbered_file || name_check(f->name, &e) == 0,
	    "%s: a legal name", at);
	ok(f->get != NULL || f->more != NULL || f->type == FILE_CLONE ||
		f->type == FILE_DATA,
	    "%s: something reads it", at);
	ok((f->more == NULL) == (f->bound == NULL), "%s: a bound if huge", at);
	ok(!(f->flags & FILE_SECRET) || (f->mode & 07) == 0,
	    "%s: a secret is not the world's", at);
	ok((f->mode & ~0777u) == 0, "%s: a plain mode", at);
	ok(f->verbs != NULL || f->journal != NULL || f->type == FILE_DATA ||
		f->type == FILE_LINK || (f->mode & 0222) == 0,
	    "%s: writable only with verbs, or to wait", at);
	for (v = f->verbs; v != NULL && v->name != NULL; v++) {
		check_verb(at, v);
		implied |= f->implied != NULL && !strcmp(f->implied, v->name);
	}
	ok(implied, "%s: the implied verb is in its table", at);
}

static void
check_kind(enum kind kind, const char *printed)
{
	const struct dirtype *const *d = kind_info(kind)->dirtypes;
	const struct file *f;
	char line[256];

	is_int((*d)->number, 0, "%s: its own directory is the first",
	    kind_info(kind)->name);
	for (; *d != NULL; d++) {
		is_int((*d)->kind, kind, "%s: the kind", (*d)->pattern);
		(void)snprintf(line, sizeof(line), "%s/\n", (*d)->pattern);
		has_str(printed, line, "%s: printed", (*d)->pattern);
		for (f = (*d)->files; f != NULL && f->name != NULL; f++) {
			check_file(*d, f);
			(void)snprintf(line, sizeof(line), "%s/%s ",
			    (*d)->pattern, f->name);
			has_str(printed, line, "%s/%s: printed", (*d)->pattern,
			    f->name);
			ok(tree_has_name(f->name), "%s is no object's name",
			    f->name);
		}
		if ((*d)->numbered_file != NULL)
			check_file(*d, (*d)->numbered_file);
	}
}

static void
test_rows(void)
{
	struct text t = { 0 };
	size_t i;

	tree_print(&t);
	for (i = 0; i < NELEM(all_kinds); i++)
		check_kind(all_kinds[i], t.buf);
	ok(!tree_has_name("lab"), "another name is free");
	text_fini(&t);
}

/*
 * A world with something of each kind.
 */
static void
never(struct op *op, int r)
{
	bail_out("%s had to wait", op->verb);
}

static void
over(struct op *op, int r)
{
	if (r < 0)
		bail_out("%s: %s", op->verb, op->err.text);
}

static void
settle(struct op *op, int r)
{
	if (r < 0)
		bail_out("%s: %s", op->verb, op->err.text);
	pool_drain(fs.world.pin);
	pool_drain(fs.world.slow);
}

static void
populate(void)
{
	const struct owner owner = { 0, 0, 0755 };
	const struct mr_reg_args reg = { .fd = -1,
		.length = 8192,
		.rights = RIGHT_LOCAL_WRITE | RIGHT_MW_BIND };
	const struct bind_args bind = { 4096, 4096, RIGHT_REMOTE_WRITE };
	struct obj *pd, *a, *b, *v, *u;
	struct op op;
	struct err e;

	if (world_init(&fs.world, 0, 0, &e) < 0 ||
	    dev_add(&fs.world, &soft_ops, "soft0", NULL, NULL, &e) < 0)
		bail_out("set-up: %s", e.text);
	errlog_init(&fs.errlog);
	commands_init(&fs.commands);
	op_init(
	    &op, obj_by_name(&fs.world.devs, "soft0"), "mkdir", never, over);
	settle(&op, pd_new(&op, "lab", &owner, &pd));
	obj_unref(op.obj);
	if (mr_new(pd_of(pd), "a", &owner, &a, &e) < 0 ||
	    mr_new(pd_of(pd), "b", &owner, &b, &e) < 0 ||
	    mw_new(pd_of(pd), "v", &owner, &v, &e) < 0 ||
	    mw_new(pd_of(pd), NULL, &owner, &u, &e) < 0)
		bail_out("set-up: %s", e.text);
	op_init(&op, a, "reg", never, over);
	settle(&op, op_begin(&op, true));
	settle(&op, mr_reg(&op, &reg));
	op_end(&op);
	op_init(&op, v, "bind", never, over);
	settle(&op, op_begin(&op, true));
	settle(&op, mw_bind(&op, mr_of(a), NULL, &bind));
	op_end(&op);
	obj_unref(a);
	obj_unref(b);
	obj_unref(u);
	obj_unref(v);
	obj_unref(pd);
}

static void
depopulate(void)
{
	dev_remove_all(&fs.world);
	errlog_fini(&fs.errlog);
	world_fini(&fs.world);
}

/* The whole text of a file; false: it has none. */
static bool
file_text(const struct view *v, struct text *t)
{
	struct cursor c = { .depth = 0 };
	int r;

	if (v->file->more != NULL) {
		while ((r = v->file->more(v, &c, t)) > 0)
			continue;
		return r == 0;
	}
	if (v->file->get == NULL)
		return false;
	if (v->file->flags & FILE_UNLOCKED)
		return v->file->get(v, t) == 0;
	world_lock(&fs.world);
	r = v->file->get(v, t);
	world_unlock(&fs.world);
	return r == 0;
}

/* A ctl says what it takes. */
static void
check_ctl(const char *path, const struct file *f, const struct text *t)
{
	struct cmd cmd;
	const char *line;
	size_t len, pos = 0;
	struct err e;

	while (lines_next(t->buf, t->len, &pos, &line, &len)) {
		is_int(cmd_parse(&cmd, f->verbs, f->implied, line, len, &e), 0,
		    "%s takes its own: %.*s", path, (int)len, line);
		cmd_fini(&cmd);
	}
}

static void
check_text(const struct node *n, const char *path)
{
	const struct view v = { &fs, n->o, n->file, n->index, &root };
	struct text t = { 0 };
	bool there = file_text(&v, &t);

	ok(!t.nomem, "%s: a text", path);
	if (there && n->file->type == FILE_TEXT) {
		ok(t.len == 0 || t.buf[t.len - 1] == '\n',
		    "%s ends in a newline", path);
		if (n->file->bound != NULL) {
			world_lock(&fs.world);
			ok(n->file->bound(&v) >= t.len, "%s: its bound", path);
			world_unlock(&fs.world);
		}
	}
	if (there && (n->file->verbs != NULL) &&
	    strcmp(n->file->name, "rkey") != 0)
		check_ctl(path, n->file, &t);
	text_fini(&t);
}

static bool
same(const struct node *a, const struct node *b)
{
	return a->o == b->o && a->dir == b->dir && a->file == b->file &&
	       (a->dir->numbered == NULL || a->index == b->index);
}

/* A node by its number, by its name, and what is in it. */
static unsigned
walk(const struct node *dir)
{
	struct node n, again;
	const char *name;
	char buf[16], *path;
	uint64_t pos = 0, last = 0;
	unsigned count = 0;
	bool there, by_ino, by_name;

	for (;;) {
		struct text t = { 0 };

		world_lock(&fs.world);
		there = node_next(dir, &pos, &n, &name, buf);
		if (!there) {
			world_unlock(&fs.world);
			return count;
		}
		by_ino = node_by_ino(&fs.world, node_ino(&n), &again) == 0 &&
			 same(&n, &again);
		by_name =
		    node_lookup(dir, name, &again) == 0 && same(&n, &again);
		node_path(&n, &t);
		world_unlock(&fs.world);
		path = t.buf;
		count++;
		ok(by_ino, "%s: found by its number", path);
		ok(by_name, "%s: found by its name", path);
		ok(pos > last, "%s: behind the one before", path);
		last = pos;
		if (n.file != NULL)
			check_text(&n, path);
		else
			count += walk(&n);
		text_fini(&t);
	}
}

static void
test_walk(void)
{
	struct node top, n;

	populate();
	world_lock(&fs.world);
	is_int(node_by_ino(&fs.world, 1, &top), 0, "the root is number 1");
	is_int(node_ino(&top), 1, "and back");
	ok(node_lookup(&top, "none", &n) < 0, "what is not there");
	ok(node_by_ino(&fs.world, UINT64_C(99999) << 16, &n) < 0,
	    "no object of this number");
	world_unlock(&fs.world);
	ok(walk(&top) > 80, "all of the tree");
	depopulate();
}

int
main(void)
{
	test_rows();
	test_walk();
	return done_testing();
}
