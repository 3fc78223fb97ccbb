/* SPDX-License-Identifier: MIT */
/* mkdir, rmdir, rename, and what nobody may. */
#include "fuse_impl.h"

struct changer
changer_of(struct parked *p, void (*done)(void *, int, struct obj *))
{
	const struct fuse_ctx *ctx = fuse_req_ctx(p->req);

	return (struct changer){ .fs = p->s->fs,
		.uid = ctx->uid,
		.pid = ctx->pid,
		.moves_name = true,
		.done = done,
		.arg = p };
}

static void
reply_made(fuse_req_t req, int r, struct obj *made)
{
	struct node n;

	if (r < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	n = (struct node){ .o = made,
		.dir = kind_info(made->kind)->dirtypes[0] };
	reply_entry(req, &n);
	obj_unref(made);
}

static void
make_done(void *arg, int r, struct obj *made)
{
	struct parked *p = arg;

	if (parked_over(p))
		reply_made(p->req, r, made);
	else if (r == 0)
		change_discard(p->s->fs, made);
	parked_unref(p);
}

void
do_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	const struct owner owner = { ctx->uid, ctx->gid, mode & 01777 };
	struct parked *p = park(req, PARKED_MAKE);
	struct obj *made = NULL;
	struct changer by;
	struct node dir;
	int r = p == NULL ? -ENOMEM : node_get(p->s, parent, &dir);

	if (r < 0) {
		fuse_reply_err(req, -r);
		if (p != NULL)
			parked_drop(p);
		return;
	}
	by = changer_of(p, make_done);
	r = change_make(&by, &dir, name, &owner, &made, &p->change);
	obj_unref(dir.o);
	if (r == PENDING) {
		parked_started(p);
		return;
	}
	reply_made(req, r, made);
	parked_drop(p);
}

static void
change_done(void *arg, int r, struct obj *made)
{
	struct parked *p = arg;

	(void)made;
	if (parked_over(p))
		fuse_reply_err(p->req, -r);
	parked_unref(p);
}

/* The directories that a request names, referenced; to may be NULL. */
static int
dirs_get(struct session *s, fuse_ino_t ino, struct node *dir, fuse_ino_t to_ino,
    struct node *to)
{
	int r;

	if ((r = node_get(s, ino, dir)) < 0 || to == NULL)
		return r;
	if ((r = node_get(s, to_ino, to)) < 0)
		obj_unref(dir->o);
	return r;
}

/* rmdir, or with a new name mv. */
static void
change_dir(fuse_req_t req, fuse_ino_t parent, const char *name,
    fuse_ino_t newparent, const char *newname)
{
	struct parked *p = park(req, PARKED_CHANGE);
	struct node dir, to = { .o = NULL };
	struct changer by;
	int r;

	r = p == NULL ? -ENOMEM
		      : dirs_get(p->s, parent, &dir, newparent,
			    newname != NULL ? &to : NULL);
	if (r < 0) {
		fuse_reply_err(req, -r);
		if (p != NULL)
			parked_drop(p);
		return;
	}
	by = changer_of(p, change_done);
	r = newname == NULL
		? change_remove(&by, &dir, name, &p->change)
		: change_rename(&by, &dir, name, &to, newname, &p->change);
	obj_unref(dir.o);
	obj_unref(to.o);
	if (r == PENDING) {
		parked_started(p);
		return;
	}
	fuse_reply_err(req, -r);
	parked_drop(p);
}

void
do_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	change_dir(req, parent, name, 0, NULL);
}

void
do_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
    fuse_ino_t newparent, const char *newname, unsigned flags)
{
	if (flags & ~(unsigned)RENAME_NOREPLACE)
		fuse_reply_err(req, EINVAL);
	else
		change_dir(req, parent, name, newparent, newname);
}

/* What nobody may. */
void
do_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
    dev_t rdev)
{
	(void)parent, (void)name, (void)mode, (void)rdev;
	fuse_reply_err(req, EPERM);
}

void
do_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
    struct fuse_file_info *fi)
{
	(void)parent, (void)name, (void)mode, (void)fi;
	fuse_reply_err(req, EPERM);
}

void
do_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	(void)parent, (void)name;
	fuse_reply_err(req, EPERM);
}

void
do_symlink(
    fuse_req_t req, const char *link, fuse_ino_t parent, const char *name)
{
	(void)link, (void)parent, (void)name;
	fuse_reply_err(req, EPERM);
}

void
do_link(
    fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent, const char *newname)
{
	(void)ino, (void)newparent, (void)newname;
	fuse_reply_err(req, EPERM);
}
