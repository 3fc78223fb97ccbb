/* SPDX-License-Identifier: MIT */
/* Whose a place in the tree is, and who may pass; see tree.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"

#define MODE_DIR  01777 /* what chmod may set of a directory */
#define MODE_FILE 0777

static mode_t
mode_default(const struct file *f)
{
	if (f->mode != 0)
		return f->mode;
	return f->verbs != NULL ? 0644 : 0444;
}

static const struct obj_mode *
mode_override(const struct node *n)
{
	const struct obj_mode *m;
	unsigned slot = (unsigned)node_ino(n) & 0xffff;

	for (m = n->o->modes; m != NULL; m = m->next)
		if (m->slot == slot)
			return m;
	return NULL;
}

/* Bits of `from` (2: writing) in each class, as bits `to`. */
static mode_t
mode_follow(mode_t mode, mode_t from, mode_t to)
{
	mode_t out = 0, shift;

	for (shift = 0; shift <= 6; shift += 3)
		if (mode >> shift & from)
			out |= to << shift;
	return out;
}

static struct owner
dir_owner(const struct node *n)
{
	const struct set *set = node_set(n);
	struct owner own = n->o->owner;

	if (n->dir->number == 0)
		return own;
	if (set != NULL)
		return set->owner;
	own.mode = 0755;
	return own;
}

/*
 * Who may write a ctl may read its error.  A device has no ctl: those who may
 * make domains in it read theirs, because mkdir speaks there.
 */
static struct owner
error_owner(const struct node *n)
{
	struct node other = *n;
	struct owner own;

	other.file = dir_file(n->dir, "ctl");
	if (other.file == NULL)
		own = obj_set(n->o, KIND_PD)->owner;
	else
		own = node_owner(&other);
	own.mode = mode_follow(own.mode, 2, 4);
	return own;
}

struct owner
node_owner(const struct node *n)
{
	const struct obj_mode *m;
	struct owner own;
	struct node dir = *n;

	if (n->file == NULL)
		return dir_owner(n);
	if (n->file->flags & FILE_ERROR)
		return error_owner(n);
	dir.file = NULL;
	own = dir_owner(&dir);
	if (n->file->type == FILE_CLONE)
		own.mode = mode_follow(own.mode, 2, 6);
	else if ((m = mode_override(n)) != NULL)
		own.mode = m->mode;
	else
		own.mode = mode_default(n->file);
	if (n->file->flags & FILE_ROOT) {
		own.uid = n->o->world->root.owner.uid;
		own.gid = n->o->world->root.owner.gid;
	}
	return own;
}

static bool
dir_is_fixed(const struct node *n)
{
	return n->dir->number > 0 && node_set(n) == NULL;
}

static struct owner *
dir_owner_place(const struct node *n)
{
	return n->dir->number == 0 ? &n->o->owner : &node_set(n)->owner;
}

static int
file_chmod(const struct node *n, mode_t mode, struct err *e)
{
	struct obj_mode *m = (struct obj_mode *)(uintptr_t)mode_override(n);

	if ((n->file->flags & FILE_ERROR) || n->file->type == FILE_CLONE)
		return fail(e, EPERM, "the mode of %s follows another file's",
		    n->file->name);
	if (n->file->type == FILE_LINK)
		return fail(e, EPERM, "a link has no mode");
	if ((n->file->flags & FILE_SECRET) && (mode & 07))
		return fail(
		    e, EPERM, "%s is never open to the world", n->file->name);
	if (m == NULL) {
		if ((m = calloc(1, sizeof(*m))) == NULL)
			return fail(e, ENOMEM, "out of memory");
		m->slot = (unsigned)node_ino(n) & 0xffff;
		m->next = n->o->modes;
		n->o->modes = m;
	}
	m->mode = mode & MODE_FILE;
	return 0;
}

int
node_chmod(struct node *n, mode_t mode, struct err *e)
{
	n->o->world->shuffles++;
	if (n->file != NULL)
		return file_chmod(n, mode, e);
	if (dir_is_fixed(n))
		return fail(e, EPERM, "%s/ keeps its mode", n->dir->name);
	dir_owner_place(n)->mode = mode & MODE_DIR;
	return 0;
}

int
node_chown(struct node *n, uid_t uid, gid_t gid, struct err *e)
{
	struct owner *own;

	n->o->world->shuffles++;
	if (n->file != NULL)
		return fail(
		    e, EPERM, "a file's owner is its directory's: chown that");
	if (dir_is_fixed(n))
		return fail(e, EPERM, "%s/ keeps its owner", n->dir->name);
	own = dir_owner_place(n);
	if (uid != (uid_t)-1 && uid != own->uid) {
		if (n->dir->number > 0)
			own->uid = uid;
		else if (dev_chown(n->o, uid, e) < 0)
			return -ENOMEM;
	}
	if (gid != (gid_t)-1)
		own->gid = gid;
	return 0;
}

static bool
cred_in_group(const struct cred *c, gid_t gid)
{
	unsigned i;

	if (c->gid == gid)
		return true;
	for (i = 0; i < c->ngroups; i++)
		if (c->groups[i] == gid)
			return true;
	return false;
}

bool
cred_may(const struct cred *c, const struct owner *o, int want)
{
	mode_t bits;

	if (c->uid == 0)
		return true;
	if (c->uid == o->uid)
		bits = o->mode >> 6;
	else if (cred_in_group(c, o->gid))
		bits = o->mode >> 3;
	else
		bits = o->mode;
	return ((int)bits & 7 & want) == want;
}

bool
cred_reaches(const struct cred *c, const struct obj *o)
{
	for (; o != NULL; o = o->parent) {
		if (!cred_may(c, &o->owner, X_OK))
			return false;
		if (o->parent != NULL &&
		    !cred_may(c, &obj_siblings(o)->owner, X_OK))
			return false;
	}
	return true;
}

bool
cred_opens(const struct cred *c, struct obj *o, const char *file, int want)
{
	struct node n = { .o = o, .dir = kind_info(o->kind)->dirtypes[0] };
	struct owner own;

	if (c->uid == 0)
		return true;
	n.file = dir_file(n.dir, file);
	own = node_owner(&n);
	return cred_reaches(c, o) && cred_may(c, &own, want);
}

static int
groups_parse(struct cred *c, const char *s)
{
	char *end;
	size_t cap = 0;
	gid_t *more;
	unsigned long g;

	for (;; s = end) {
		while (*s == ' ' || *s == '\t')
			s++;
		g = strtoul(s, &end, 10);
		if (end == s)
			return 0;
		if (c->ngroups == cap) {
			cap = cap ? cap * 2 : 32;
			more = reallocarray(c->groups, cap, sizeof(*more));
			if (more == NULL)
				return -ENOMEM;
			c->groups = more;
		}
		c->groups[c->ngroups++] = (gid_t)g;
	}
}

/* What stands behind name in /proc/PID/status, malloc'ed; NULL: not to be had. */
static char *
process_field(pid_t pid, const char *name)
{
	const size_t n = strlen(name);
	char path[64], *line = NULL;
	size_t cap = 0;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	/* 0 is a process of another pid namespace. */
	if (pid == 0 || (f = fopen(path, "re")) == NULL)
		return NULL;
	while (!found && getline(&line, &cap, f) > 0)
		found = strncmp(line, name, n) == 0;
	fclose(f);
	if (found)
		memmove(line, line + n, strlen(line + n) + 1);
	else
		free(line);
	return found ? line : NULL;
}

mode_t
process_umask(pid_t pid)
{
	char *field = process_field(pid, "Umask:");
	mode_t mask = field != NULL ? (mode_t)strtoul(field, NULL, 8) : 077;

	free(field);
	return mask & 0777;
}

/* The supplementary groups of process pid: none where they are not to be had;
 * 0 or -ENOMEM. */
static int
groups_read(struct cred *c, pid_t pid)
{
	char *field = process_field(pid, "Groups:");
	int r = field != NULL ? groups_parse(c, field) : 0;

	free(field);
	return r;
}

int
cred_take(struct cred *c, uid_t uid, gid_t gid, pid_t pid)
{
	memset(c, 0, sizeof(*c));
	c->uid = uid;
	c->gid = gid;
	/* Root needs none.  Without groups one may less, never more. */
	if (uid == 0)
		return 0;
	if (groups_read(c, pid) < 0) {
		cred_fini(c);
		return -ENOMEM;
	}
	return 0;
}

void
cred_fini(struct cred *c)
{
	free(c->groups);
	memset(c, 0, sizeof(*c));
}
