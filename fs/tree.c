/* SPDX-License-Identifier: MIT */
/* Walking the tables: inodes, lookups, entries, paths; see tree.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

/*
 * An inode number is an object's id and a slot of 16 bits: which of its
 * directories (4 bits), and which row there, 0 for the directory itself.  The
 * kernel calls the root 1.
 */
#define SLOT_BITS 16
#define ROW_BITS  12
#define ROW_MASK  ((1u << ROW_BITS) - 1)
#define ROOT_INO  1

#define SECOND INT64_C(1000000000) /* in ns */

/* Entry positions: 1 and on for fixed rows, above FIXED for objects by id. */
#define FIXED (1u << SLOT_BITS)

static const struct kindinfo *const kinds[] = {
	[KIND_ROOT] = &root_kind,
	[KIND_DEV] = &dev_kind,
	[KIND_PORT] = &port_kind,
	[KIND_PD] = &pd_kind,
	[KIND_MR] = &mr_kind,
	[KIND_MW] = &mw_kind,
	[KIND_QP] = &qp_kind,
	[KIND_MEM] = &mem_kind,
};

#define NKINDS (sizeof(kinds) / sizeof(kinds[0]))

const struct kindinfo *
kind_info(enum kind kind)
{
	return kinds[kind];
}

/* The row of a file in its directory, from 1. */
static unsigned
node_row(const struct node *n)
{
	if (n->file == NULL)
		return 0;
	if (n->dir->numbered != NULL)
		return n->index + 1;
	return (unsigned)(n->file - n->dir->files) + 1;
}

static unsigned
node_slot(const struct node *n)
{
	return n->dir->number << ROW_BITS | node_row(n);
}

uint64_t
node_ino(const struct node *n)
{
	unsigned slot = node_slot(n);

	if (n->o->kind == KIND_ROOT && slot == 0)
		return ROOT_INO;
	return n->o->id << SLOT_BITS | slot;
}

bool
ino_is_own_dir(uint64_t ino)
{
	return (ino & ((1u << SLOT_BITS) - 1)) == 0;
}

static unsigned
rows_of(const struct dirtype *dir)
{
	unsigned n = 0;

	if (dir->files != NULL)
		while (dir->files[n].name != NULL)
			n++;
	return n;
}

static int
node_set_row(struct node *n, unsigned row)
{
	if (row == 0)
		return 0;
	n->index = row - 1;
	if (n->dir->numbered != NULL) {
		n->file = n->dir->numbered_file;
		return n->index < n->dir->numbered(n->o) ? 0 : -ENOENT;
	}
	if (row > rows_of(n->dir))
		return -ENOENT;
	n->file = &n->dir->files[row - 1];
	return 0;
}

static int
node_set_dir(struct node *n, struct obj *o, unsigned number)
{
	const struct dirtype *const *d = kind_info(o->kind)->dirtypes;

	memset(n, 0, sizeof(*n));
	n->o = o;
	for (; *d != NULL; d++)
		if ((*d)->number == number) {
			n->dir = *d;
			return 0;
		}
	return -ENOENT;
}

int
node_by_ino(struct world *w, uint64_t ino, struct node *n)
{
	unsigned slot = ino & ((1u << SLOT_BITS) - 1);
	struct obj *o;
	int r;

	if (ino == ROOT_INO)
		return node_set_dir(n, &w->root, 0);
	if ((o = obj_by_id(w, ino >> SLOT_BITS)) == NULL)
		return -ENOENT;
	if ((r = node_set_dir(n, o, slot >> ROW_BITS)) < 0)
		return r;
	return node_set_row(n, slot & ROW_MASK);
}

struct set *
node_set(const struct node *n)
{
	if (n->file != NULL || n->dir->children < 0)
		return NULL;
	return obj_set(n->o, (enum kind)n->dir->children);
}

const struct file *
dir_file(const struct dirtype *dir, const char *name)
{
	const struct file *f;

	for (f = dir->files; f != NULL && f->name != NULL; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

/* A file whose name is a link's is there only while it has a value. */
static bool
node_present(const struct node *n)
{
	struct view v = { .o = n->o, .file = n->file, .index = n->index };
	struct text t = { 0 };
	bool there;

	if (n->file == NULL || n->file->type != FILE_LINK)
		return true;
	there = n->file->get(&v, &t) == 0;
	text_fini(&t);
	return there;
}

static int
lookup_numbered(const struct node *dir, const char *name, struct node *n)
{
	const char *bad;
	char buf[16];
	unsigned i;

	i = (unsigned)strtonum(name, 0, ROW_MASK - 1, &bad);
	/* Only the number as it is printed is a name: not 01, not +1. */
	snprintf(buf, sizeof(buf), "%u", i);
	if (bad != NULL || strcmp(buf, name) != 0)
		return -ENOENT;
	return node_set_row(n, i + 1);
}

bool
node_there(const struct node *n)
{
	return n->file == NULL || n->dir->numbered_there == NULL ||
	       n->dir->numbered_there(n->o, n->index);
}

int
node_lookup(const struct node *dir, const char *name, struct node *n)
{
	const struct dirtype *const *d;
	const struct file *f;
	struct set *set;
	struct obj *o;

	*n = *dir;
	if (dir->dir->numbered != NULL)
		return lookup_numbered(dir, name, n);
	if ((f = dir_file(dir->dir, name)) != NULL) {
		n->file = f;
		return node_present(n) ? 0 : -ENOENT;
	}
	for (d = dir->dir->dirs; d != NULL && *d != NULL; d++)
		if (strcmp((*d)->name, name) == 0) {
			n->dir = *d;
			return 0;
		}
	if ((set = node_set(dir)) == NULL ||
	    (o = obj_by_name(set, name)) == NULL)
		return -ENOENT;
	return node_set_dir(n, o, 0);
}

static bool
next_fixed(const struct node *dir, uint64_t *pos, struct node *n,
    const char **name, char buf[16])
{
	unsigned rows = dir->dir->numbered != NULL ? dir->dir->numbered(dir->o)
						   : rows_of(dir->dir);
	const struct dirtype *const *d;
	uint64_t i;

	for (i = *pos; i < rows; i++) {
		*n = *dir;
		(void)node_set_row(n, (unsigned)i + 1);
		if (!node_present(n))
			continue;
		snprintf(buf, 16, "%u", (unsigned)i);
		*name = dir->dir->numbered != NULL ? buf : n->file->name;
		*pos = i + 1;
		return true;
	}
	for (d = dir->dir->dirs; d != NULL && *d != NULL; d++, rows++) {
		if (i > rows)
			continue;
		*n = *dir;
		n->dir = *d;
		*name = (*d)->name;
		*pos = rows + (uint64_t)1;
		return true;
	}
	return false;
}

bool
node_next(const struct node *dir, uint64_t *pos, struct node *n,
    const char **name, char buf[16])
{
	struct set *set;
	struct obj *o;

	if (*pos < FIXED && next_fixed(dir, pos, n, name, buf))
		return true;
	if ((set = node_set(dir)) == NULL)
		return false;
	o = obj_after(set, *pos < FIXED ? 0 : *pos - FIXED);
	if (o == NULL)
		return false;
	*pos = o->id + FIXED;
	*name = o->name;
	return node_set_dir(n, o, 0) == 0;
}

/* The directory of its parent that o stands in. */
static const struct dirtype *
dir_holding(const struct obj *o)
{
	const struct dirtype *const *d = kind_info(o->parent->kind)->dirtypes;

	for (; *d != NULL; d++)
		if ((*d)->children == (int)o->kind)
			return *d;
	return NULL;
}

static void
obj_path(const struct obj *o, const struct obj *below, struct text *t)
{
	const struct dirtype *d;

	if (o == below || o->parent == NULL)
		return;
	obj_path(o->parent, below, t);
	if (t->len > 0)
		text_puts(t, "/");
	d = dir_holding(o);
	if (d->name != NULL) {
		text_puts(t, d->name);
		text_puts(t, "/");
	}
	text_puts(t, o->name);
}

void
node_path(const struct node *n, struct text *t)
{
	obj_path(n->o, NULL, t);
	if (n->dir->name != NULL)
		text_printf(t, "%s%s", t->len > 0 ? "/" : "", n->dir->name);
	if (n->file == NULL) {
		if (t->len == 0)
			text_puts(t, ".");
		return;
	}
	if (t->len > 0)
		text_puts(t, "/");
	if (n->dir->numbered != NULL)
		text_printf(t, "%u", n->index);
	else
		text_puts(t, n->file->name);
}

void
list_line(struct obj *o, const struct obj *below, struct text *t)
{
	struct text path = { 0 };

	obj_path(o, below, &path);
	if (path.nomem || path.buf == NULL)
		t->nomem = true;
	else
		text_printf(t, "%s %s ", path.buf, kind_info(o->kind)->name);
	text_fini(&path);
	status_line(o, t);
}

/* A directory's is in whole seconds: a finer one would have the kernel ask for
 * it anew on the way to every command. */
int64_t
node_changed(const struct node *n)
{
	const struct set *set = node_set(n);
	int64_t ns;

	if (n->file != NULL)
		return n->file->flags & FILE_DATED ? n->o->changed : n->o->made;
	ns = n->dir->number > 0 && set != NULL ? set->changed : n->o->changed;
	return ns - ns % SECOND;
}

bool
tree_has_name(const char *name)
{
	const struct dirtype *const *d;
	size_t k;

	for (k = 0; k < NKINDS; k++)
		for (d = kinds[k]->dirtypes; *d != NULL; d++)
			if (dir_file(*d, name) != NULL ||
			    ((*d)->name != NULL &&
				strcmp((*d)->name, name) == 0))
				return true;
	return false;
}
