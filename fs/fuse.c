/* SPDX-License-Identifier: MIT */
/*
 * FUSE requests to tree, handles and changes, and their outcomes to replies.
 * The only file that knows the FUSE library.
 *
 * No handler waits: what cannot be answered at once is parked, and whoever
 * completes it replies.  An interrupt only marks and wakes: the rest is done
 * by the world's runner, because it is called under the library's own locks.
 */
#define FUSE_USE_VERSION 312

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "change.h"
#include "fuse.h"
#include "handle.h"

/* Answers of open(2) that libfuse 3.14 has no field for. */
#ifndef FOPEN_PARALLEL_DIRECT_WRITES
#define FOPEN_PARALLEL_DIRECT_WRITES (1 << 6)
#endif
#ifndef FOPEN_NOFLUSH
#define FOPEN_NOFLUSH (1 << 5)
#endif

#define WRITE_BYTES (1u << 20) /* FUSE's max_write */
#define THREADS     10

/*
 * Each lookup of a clone gives an inode of its own, so that a slow write
 * through one open clone does not block another's (the kernel serialises the
 * writes of an inode).  Such a number has the top bit and stands for the real
 * one until the kernel forgets it.
 */
#define ALIAS_BIT (UINT64_C(1) << 63)

struct alias {
	RB_ENTRY(alias) link;
	uint64_t ino, real;
};

RB_HEAD(aliases, alias);

struct session {
	struct fs *fs;
	pthread_mutex_t lock; /* guards the two below; last in any order */
	struct aliases aliases;
	uint64_t last_alias;
};

static int
alias_cmp(const struct alias *a, const struct alias *b)
{
	return a->ino < b->ino ? -1 : a->ino > b->ino;
}

RB_PROTOTYPE(aliases, alias, link, alias_cmp)
RB_GENERATE(aliases, alias, link, alias_cmp)

static uint64_t
alias_make(struct session *s, uint64_t real)
{
	struct alias *a = malloc(sizeof(*a));

	if (a == NULL)
		return 0;
	a->real = real;
	pthread_mutex_lock(&s->lock);
	a->ino = ++s->last_alias | ALIAS_BIT;
	RB_INSERT(aliases, &s->aliases, a);
	pthread_mutex_unlock(&s->lock);
	return a->ino;
}

static uint64_t
alias_real(struct session *s, uint64_t ino)
{
	struct alias key = { .ino = ino };
	struct alias *a;
	uint64_t real;

	pthread_mutex_lock(&s->lock);
	a = RB_FIND(aliases, &s->aliases, &key);
	real = a == NULL ? 0 : a->real;
	pthread_mutex_unlock(&s->lock);
	return real;
}

static void
alias_forget(struct session *s, uint64_t ino)
{
	struct alias key = { .ino = ino };
	struct alias *a;

	pthread_mutex_lock(&s->lock);
	if ((a = RB_FIND(aliases, &s->aliases, &key)) != NULL)
		RB_REMOVE(aliases, &s->aliases, a);
	pthread_mutex_unlock(&s->lock);
	free(a);
}

static struct session *
session_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

/* The node of an inode, its object referenced: 0 or -ENOENT. */
static int
node_get(struct session *s, uint64_t ino, struct node *n)
{
	struct world *w = &s->fs->world;
	int r;

	if (ino & ALIAS_BIT)
		ino = alias_real(s, ino);
	world_lock(w);
	if ((r = node_by_ino(w, ino, n)) == 0)
		obj_ref(n->o);
	world_unlock(w);
	return r;
}

static struct cred
ctx_cred(fuse_req_t req)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);

	return (struct cred){ .uid = ctx->uid, .gid = ctx->gid };
}

/*
 * Attributes.
 */
static mode_t
node_type(const struct node *n)
{
	if (n->file == NULL)
		return S_IFDIR;
	return n->file->type == FILE_LINK ? S_IFLNK : S_IFREG;
}

static void
node_stat(struct session *s, const struct node *n, uint64_t ino,
    const struct cred *cred, struct stat *st)
{
	const struct view v = { .fs = s->fs,
		.o = n->o,
		.file = n->file,
		.index = n->index,
		.cred = cred };
	struct world *w = n->o->world;
	struct owner own;
	int64_t ns;

	memset(st, 0, sizeof(*st));
	st->st_size = (off_t)node_size(&v, n);
	world_lock(w);
	own = node_owner(n);
	ns = node_changed(n);
	world_unlock(w);
	st->st_ino = ino;
	st->st_mode = node_type(n) | own.mode;
	/* 1 for a directory too: what walks the tree must not count links. */
	st->st_nlink = 1;
	st->st_uid = own.uid;
	st->st_gid = own.gid;
	st->st_blksize = 4096;
	st->st_mtim.tv_sec = ns / 1000000000;
	st->st_mtim.tv_nsec = ns % 1000000000;
	st->st_atim = st->st_ctim = st->st_mtim;
}

static void
node_entry(fuse_req_t req, const struct node *n, struct fuse_entry_param *e)
{
	struct session *s = session_of(req);
	const struct cred cred = ctx_cred(req);

	memset(e, 0, sizeof(*e));
	e->ino = node_ino(n);
	if (n->file != NULL && n->file->type == FILE_CLONE)
		e->ino = alias_make(s, e->ino);
	node_stat(s, n, e->ino, &cred, &e->attr);
}

static void
reply_entry(fuse_req_t req, const struct node *n)
{
	struct fuse_entry_param e;

	node_entry(req, n, &e);
	if (e.ino == 0)
		fuse_reply_err(req, ENOMEM);
	else if (fuse_reply_entry(req, &e) < 0 && (e.ino & ALIAS_BIT))
		alias_forget(session_of(req), e.ino);
}

static void
do_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct session *s = session_of(req);
	struct world *w = &s->fs->world;
	struct node dir, n;
	int r;

	if ((r = node_get(s, parent, &dir)) < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	world_lock(w);
	if (dir.o->gone)
		r = -ENOENT;
	else if ((r = node_lookup(&dir, name, &n)) == 0)
		obj_ref(n.o);
	world_unlock(w);
	obj_unref(dir.o);
	if (r < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	reply_entry(req, &n);
	obj_unref(n.o);
}

static void
do_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
	(void)nlookup;
	if (ino & ALIAS_BIT)
		alias_forget(session_of(req), ino);
	fuse_reply_none(req);
}

static void
do_forget_multi(fuse_req_t req, size_t n, struct fuse_forget_data *list)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i].ino & ALIAS_BIT)
			alias_forget(session_of(req), list[i].ino);
	fuse_reply_none(req);
}

static void
reply_attr(fuse_req_t req, const struct node *n, fuse_ino_t ino)
{
	const struct cred cred = ctx_cred(req);
	struct stat st;

	node_stat(session_of(req), n, ino, &cred, &st);
	fuse_reply_attr(req, &st, 0);
}

/* The open file that a request is about tells an object that is gone from
 * one that never was. */
static int
node_get_fi(fuse_req_t req, fuse_ino_t ino, const struct fuse_file_info *fi,
    struct node *n)
{
	struct session *s = session_of(req);
	struct handle *h;

	if (fi == NULL)
		return node_get(s, ino, n);
	h = (struct handle *)(uintptr_t)fi->fh;
	*n = *handle_node(h);
	world_lock(&s->fs->world);
	obj_ref(n->o);
	world_unlock(&s->fs->world);
	return 0;
}

static void
do_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct node n;
	int r;

	(void)fi;
	if ((r = node_get(session_of(req), ino, &n)) < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	reply_attr(req, &n, ino);
	obj_unref(n.o);
}

static int
setattr_owner(
    struct session *s, struct node *n, const struct stat *attr, int what)
{
	struct world *w = &s->fs->world;
	int r = 0;

	world_lock(w);
	if (what & FUSE_SET_ATTR_MODE)
		r = node_chmod(n, attr->st_mode, NULL);
	if (r == 0 && (what & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)))
		r = node_chown(n,
		    what & FUSE_SET_ATTR_UID ? attr->st_uid : (uid_t)-1,
		    what & FUSE_SET_ATTR_GID ? attr->st_gid : (gid_t)-1, NULL);
	world_unlock(w);
	return r;
}

/* Times are the tree's own: setting them succeeds and does nothing. */
static void
do_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int what,
    struct fuse_file_info *fi)
{
	struct session *s = session_of(req);
	struct node n;
	int r;

	if ((r = node_get_fi(req, ino, fi, &n)) < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	if (what & FUSE_SET_ATTR_SIZE)
		r = node_truncate(&n, (uint64_t)attr->st_size);
	if (r == 0)
		r = setattr_owner(s, &n, attr, what);
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		reply_attr(req, &n, ino);
	obj_unref(n.o);
}

static void
do_readlink(fuse_req_t req, fuse_ino_t ino)
{
	struct session *s = session_of(req);
	struct text t = { 0 };
	struct view v = { .fs = s->fs };
	struct node n;
	int r;

	if ((r = node_get(s, ino, &n)) < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	v.o = n.o;
	v.file = n.file;
	world_lock(&s->fs->world);
	r = n.file != NULL && n.file->type == FILE_LINK ? n.file->get(&v, &t)
							: -EINVAL;
	world_unlock(&s->fs->world);
	if (r < 0 || t.nomem)
		fuse_reply_err(req, r == -ENODATA ? ENOENT
				    : r < 0       ? -r
						  : ENOMEM);
	else
		fuse_reply_readlink(req, t.buf);
	text_fini(&t);
	obj_unref(n.o);
}

/*
 * Directories.
 */

/* Positions 0 and 1 are . and .., the rest the tree's own. */
#define DOTS 2

struct filler {
	fuse_req_t req;
	char *buf;
	size_t size, used;
	bool plus;
};

/* Adds one entry; false: the buffer is full. */
static bool
fill(struct filler *f, const char *name, const struct node *n, off_t next)
{
	struct fuse_entry_param e;
	size_t len;
	bool clone = n->file != NULL && n->file->type == FILE_CLONE;

	memset(&e, 0, sizeof(e));
	e.attr.st_ino = node_ino(n);
	e.attr.st_mode = node_type(n);
	if (!f->plus) {
		len = fuse_add_direntry(f->req, f->buf + f->used,
		    f->size - f->used, name, &e.attr, next);
	} else {
		/* A clone's inode comes with its lookup only. */
		if (!clone)
			node_entry(f->req, n, &e);
		len = fuse_add_direntry_plus(f->req, f->buf + f->used,
		    f->size - f->used, name, &e, next);
	}
	if (len > f->size - f->used)
		return false;
	f->used += len;
	return true;
}

static bool
fill_dots(struct filler *f, const struct node *dir, off_t *off)
{
	const bool plus = f->plus;
	bool room = true;

	f->plus = false;
	/* With plus, an entry without an inode is one without attributes. */
	for (; room && *off < DOTS; (*off)++) {
		struct fuse_entry_param e = { .ino = 0 };
		size_t len;

		e.attr.st_ino = node_ino(dir);
		e.attr.st_mode = S_IFDIR;
		len = plus ? fuse_add_direntry_plus(f->req, f->buf + f->used,
				 f->size - f->used, *off ? ".." : ".", &e,
				 *off + 1)
			   : fuse_add_direntry(f->req, f->buf + f->used,
				 f->size - f->used, *off ? ".." : ".", &e.attr,
				 *off + 1);
		if ((room = len <= f->size - f->used))
			f->used += len;
		else
			break;
	}
	f->plus = plus;
	return room;
}

static bool
next_entry(struct session *s, const struct node *dir, uint64_t *pos,
    struct node *n, char name[256])
{
	struct world *w = &s->fs->world;
	const char *found;
	char buf[16];
	bool there;

	world_lock(w);
	there = !dir->o->gone && node_next(dir, pos, n, &found, buf);
	if (there) {
		strlcpy(name, found, 256);
		obj_ref(n->o);
	}
	world_unlock(w);
	return there;
}

static void
read_dir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, bool plus)
{
	struct session *s = session_of(req);
	struct filler f = { .req = req, .size = size, .plus = plus };
	struct node dir, n;
	char name[256];
	uint64_t pos;
	bool room;
	int r;

	if ((r = node_get(s, ino, &dir)) < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	if ((f.buf = malloc(size)) == NULL) {
		obj_unref(dir.o);
		fuse_reply_err(req, ENOMEM);
		return;
	}
	room = fill_dots(&f, &dir, &off);
	pos = (uint64_t)off - DOTS;
	while (room && next_entry(s, &dir, &pos, &n, name)) {
		room = fill(&f, name, &n, (off_t)pos + DOTS);
		obj_unref(n.o);
	}
	fuse_reply_buf(req, f.buf, f.used);
	free(f.buf);
	obj_unref(dir.o);
}

static void
do_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
    struct fuse_file_info *fi)
{
	(void)fi;
	read_dir(req, ino, size, off, false);
}

static void
do_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
    struct fuse_file_info *fi)
{
	(void)fi;
	read_dir(req, ino, size, off, true);
}

/*
 * Parked requests.
 */
enum parked_kind { PARKED_WRITE, PARKED_MAKE, PARKED_CHANGE, PARKED_CLONE };

struct parked {
	struct work work; /* of an interrupt */
	struct session *s;
	fuse_req_t req;
	enum parked_kind kind;
	atomic_uint refs; /* who completes, who starts, an interrupt */

	pthread_mutex_t lock; /* above all others */
	bool over; /* completed: the two below are gone */
	bool replied;
	struct writing *writing;
	struct change *change;
	struct handle *h; /* clone: not yet told to the kernel */
	struct node clone; /* clone: what is opened */
	struct cred cred; /* clone: the opener's */
};

static struct parked *
park(fuse_req_t req, enum parked_kind kind)
{
	struct parked *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->s = session_of(req);
	p->req = req;
	p->kind = kind;
	atomic_init(&p->refs, 2);
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

static void
parked_unref(struct parked *p)
{
	if (atomic_fetch_sub(&p->refs, 1) > 1)
		return;
	cred_fini(&p->cred);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* Whoever gets true replies, and nobody else. */
static bool
parked_claim(struct parked *p)
{
	bool mine = !p->replied;

	p->replied = true;
	return mine;
}

/* On the runner. */
static void
parked_interrupted(struct work *w)
{
	struct parked *p = (struct parked *)(void *)w;
	bool waits = false, mine = false;

	pthread_mutex_lock(&p->lock);
	if (!p->over) {
		if (p->kind == PARKED_WRITE)
			waits = writing_interrupt(p->writing);
		else
			waits = change_interrupt(p->change);
		/* What waited completes with EINTR by itself, soon. */
		if (!waits)
			mine = parked_claim(p);
	}
	pthread_mutex_unlock(&p->lock);
	if (mine) {
		fuse_req_interrupt_func(p->req, NULL, NULL);
		fuse_reply_err(p->req, EINTR);
	}
	parked_unref(p);
}

/* Under the library's locks: only marks and wakes. */
static void
parked_interrupt(fuse_req_t req, void *data)
{
	struct parked *p = data;

	(void)req;
	atomic_fetch_add(&p->refs, 1);
	p->work.fn = parked_interrupted;
	pool_submit(p->s->fs->world.runner, &p->work);
}

/* The starter's last step, after PENDING: from now on it can be
 * interrupted. */
static void
parked_started(struct parked *p)
{
	pthread_mutex_lock(&p->lock);
	if (!p->replied)
		fuse_req_interrupt_func(p->req, parked_interrupt, p);
	pthread_mutex_unlock(&p->lock);
	parked_unref(p);
}

/* Completion: true if the reply is the caller's. */
static bool
parked_over(struct parked *p)
{
	bool mine;

	pthread_mutex_lock(&p->lock);
	p->over = true;
	mine = parked_claim(p);
	pthread_mutex_unlock(&p->lock);
	if (mine)
		fuse_req_interrupt_func(p->req, NULL, NULL);
	return mine;
}

/* It was over at once: nobody else knows of it. */
static void
parked_drop(struct parked *p)
{
	parked_unref(p);
	parked_unref(p);
}

/*
 * Making, removing, renaming.
 */
static struct changer
changer_of(struct parked *p, void (*done)(void *, int, struct obj *))
{
	const struct fuse_ctx *ctx = fuse_req_ctx(p->req);

	return (struct changer){ .fs = p->s->fs,
		.uid = ctx->uid,
		.pid = ctx->pid,
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

static void
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

static void
change_dir(
    fuse_req_t req, fuse_ino_t parent, const char *name, const char *fresh)
{
	struct parked *p = park(req, PARKED_CHANGE);
	struct changer by;
	struct node dir;
	int r = p == NULL ? -ENOMEM : node_get(p->s, parent, &dir);

	if (r < 0) {
		fuse_reply_err(req, -r);
		if (p != NULL)
			parked_drop(p);
		return;
	}
	by = changer_of(p, change_done);
	r = fresh == NULL ? change_remove(&by, &dir, name, &p->change)
			  : change_rename(&by, &dir, name, fresh, &p->change);
	obj_unref(dir.o);
	if (r == PENDING) {
		parked_started(p);
		return;
	}
	fuse_reply_err(req, -r);
	parked_drop(p);
}

static void
do_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	change_dir(req, parent, name, NULL);
}

static void
do_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
    fuse_ino_t newparent, const char *newname, unsigned flags)
{
	/* Never EXDEV: mv would copy, and so run the old ctl's text. */
	if (parent != newparent)
		fuse_reply_err(req, EOPNOTSUPP);
	else if (flags & ~(unsigned)RENAME_NOREPLACE)
		fuse_reply_err(req, EINVAL);
	else
		change_dir(req, parent, name, newname);
}

/* What nobody may. */
static void
do_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
    dev_t rdev)
{
	(void)parent, (void)name, (void)mode, (void)rdev;
	fuse_reply_err(req, EPERM);
}

static void
do_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
    struct fuse_file_info *fi)
{
	(void)parent, (void)name, (void)mode, (void)fi;
	fuse_reply_err(req, EPERM);
}

static void
do_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	(void)parent, (void)name;
	fuse_reply_err(req, EPERM);
}

static void
do_symlink(
    fuse_req_t req, const char *link, fuse_ino_t parent, const char *name)
{
	(void)link, (void)parent, (void)name;
	fuse_reply_err(req, EPERM);
}

static void
do_link(
    fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent, const char *newname)
{
	(void)ino, (void)newparent, (void)newname;
	fuse_reply_err(req, EPERM);
}

/* cat would else copy through the page cache, and repeat as a write what was
 * refused. */
static void
do_copy_file_range(fuse_req_t req, fuse_ino_t in, off_t off_in,
    struct fuse_file_info *fi_in, fuse_ino_t out, off_t off_out,
    struct fuse_file_info *fi_out, size_t len, int flags)
{
	(void)in, (void)off_in, (void)fi_in, (void)out;
	(void)off_out, (void)fi_out, (void)len, (void)flags;
	fuse_reply_err(req, EINVAL);
}

/*
 * Open files.
 */
static struct handle *
handle_of(const struct fuse_file_info *fi)
{
	return (struct handle *)(uintptr_t)fi->fh;
}

/* Direct I/O: the text of now, never the page cache's.  Writes of several
 * descriptors do not wait for each other where the kernel can. */
static void
reply_open(fuse_req_t req, struct handle *h)
{
	const struct fuse_open_out out = { .fh = (uintptr_t)h,
		.open_flags = FOPEN_DIRECT_IO | FOPEN_NOFLUSH |
			      FOPEN_PARALLEL_DIRECT_WRITES };

	if (fuse_reply_buf(req, (const char *)&out, sizeof(out)) == -ENOENT)
		handle_close(h); /* open(2) was interrupted */
}

/* The ctl of what opening a clone has made. */
static struct handle *
clone_handle(struct parked *p, struct obj *made)
{
	const struct dirtype *dir = kind_info(made->kind)->dirtypes[0];
	const struct node n = {
		.o = made, .dir = dir, .file = dir_file(dir, "ctl")
	};
	struct handle *h = handle_new(p->s->fs, &n, &p->cred);

	if (h != NULL)
		handle_made(h, made);
	return h;
}

static void
reply_clone(struct parked *p, int r, struct obj *made)
{
	struct handle *h;

	if (r < 0) {
		fuse_reply_err(p->req, -r);
		return;
	}
	if ((h = clone_handle(p, made)) == NULL) {
		fuse_reply_err(p->req, ENOMEM);
		change_discard(p->s->fs, made);
		return;
	}
	obj_unref(made);
	reply_open(p->req, h);
}

static void
clone_done(void *arg, int r, struct obj *made)
{
	struct parked *p = arg;

	if (parked_over(p))
		reply_clone(p, r, made);
	else if (r == 0)
		change_discard(p->s->fs, made);
	parked_unref(p);
}

static void
open_clone(fuse_req_t req, const struct node *n, struct cred *cred)
{
	struct parked *p = park(req, PARKED_CLONE);
	struct owner owner = { cred->uid, cred->gid, 0755 };
	struct node dir = *n;
	struct obj *made = NULL;
	struct changer by;
	int r;

	if (p == NULL) {
		cred_fini(cred);
		fuse_reply_err(req, ENOMEM);
		return;
	}
	p->cred = *cred;
	dir.file = NULL;
	by = changer_of(p, clone_done);
	r = change_make(&by, &dir, NULL, &owner, &made, &p->change);
	if (r == PENDING) {
		parked_started(p);
		return;
	}
	reply_clone(p, r, made);
	parked_drop(p);
}

static void
open_file(fuse_req_t req, const struct node *n, struct cred *cred)
{
	struct handle *h = handle_new(session_of(req)->fs, n, cred);

	if (h == NULL) {
		cred_fini(cred);
		fuse_reply_err(req, ENOMEM);
		return;
	}
	reply_open(req, h);
}

/* Groups matter where the opener's authority or reach is asked later. */
static bool
needs_groups(const struct node *n, int flags)
{
	return n->file->more != NULL || (flags & O_ACCMODE) != O_RDONLY;
}

static void
do_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct session *s = session_of(req);
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	struct cred cred = ctx_cred(req);
	struct view v = { .fs = s->fs, .cred = &cred };
	struct node n;
	int r;

	if ((r = node_get(s, ino, &n)) < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	v.o = n.o;
	v.file = n.file;
	v.index = n.index;
	world_lock(&s->fs->world);
	r = handle_check(&v, &n, fi->flags);
	world_unlock(&s->fs->world);
	if (r == 0 && needs_groups(&n, fi->flags))
		r = cred_take(&cred, ctx->uid, ctx->gid, ctx->pid);
	if (r < 0)
		fuse_reply_err(req, -r);
	else if (n.file->type == FILE_CLONE)
		open_clone(req, &n, &cred);
	else
		open_file(req, &n, &cred);
	obj_unref(n.o);
}

static void
do_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	handle_close(handle_of(fi));
	fuse_reply_err(req, 0);
}

static void
do_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
    struct fuse_file_info *fi)
{
	struct text out = { 0 };
	int r = handle_read(handle_of(fi), (uint64_t)off, size, &out);

	(void)ino;
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_buf(req, out.buf, out.len);
	text_fini(&out);
}

static void
write_done(void *arg, ssize_t r)
{
	struct parked *p = arg;

	if (parked_over(p)) {
		if (r < 0)
			fuse_reply_err(p->req, (int)-r);
		else
			fuse_reply_write(p->req, (size_t)r);
	}
	parked_unref(p);
}

static void
do_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size,
    off_t off, struct fuse_file_info *fi)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	struct parked *p = park(req, PARKED_WRITE);
	const struct writer by = {
		.pid = ctx->pid, .uid = ctx->uid, .done = write_done, .arg = p
	};
	ssize_t r;

	(void)ino;
	if (p == NULL) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	r = handle_write(
	    handle_of(fi), &by, buf, size, (uint64_t)off, &p->writing);
	if (r == PENDING_WRITE) {
		parked_started(p);
		return;
	}
	if (r < 0)
		fuse_reply_err(req, (int)-r);
	else
		fuse_reply_write(req, (size_t)r);
	parked_drop(p);
}

/*
 * No O_TRUNC at open (atomic_o_trunc): the kernel would set the size to 0 by
 * itself, and a size of 0 serialises the writes of an inode.
 */
static void
do_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->want &=
	    ~(unsigned)(FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_SPLICE_READ |
			FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE |
			FUSE_CAP_POSIX_LOCKS | FUSE_CAP_FLOCK_LOCKS);
	conn->max_write = WRITE_BYTES;
}

static const struct fuse_lowlevel_ops ops = {
	.init = do_init,
	.lookup = do_lookup,
	.forget = do_forget,
	.forget_multi = do_forget_multi,
	.getattr = do_getattr,
	.setattr = do_setattr,
	.readlink = do_readlink,
	.mknod = do_mknod,
	.create = do_create,
	.unlink = do_unlink,
	.symlink = do_symlink,
	.link = do_link,
	.mkdir = do_mkdir,
	.rmdir = do_rmdir,
	.rename = do_rename,
	.readdir = do_readdir,
	.readdirplus = do_readdirplus,
	.open = do_open,
	.release = do_release,
	.read = do_read,
	.write = do_write,
	.copy_file_range = do_copy_file_range,
};

/*
 * The session.
 */
static int
serve(struct fuse_session *se, const char *mountpoint, void (*ready)(void *),
    void *arg, struct err *e)
{
	struct fuse_loop_config *cfg = fuse_loop_cfg_create();
	int r;

	if (cfg == NULL)
		return fail(e, ENOMEM, "out of memory");
	fuse_loop_cfg_set_max_threads(cfg, THREADS);
	fuse_loop_cfg_set_clone_fd(cfg, 0);
	if (fuse_session_mount(se, mountpoint) != 0) {
		fuse_loop_cfg_destroy(cfg);
		return fail(e, EIO, "cannot mount on %s", mountpoint);
	}
	ready(arg);
	/* A signal's number is a success here. */
	r = fuse_session_loop_mt(se, cfg);
	fuse_session_unmount(se);
	fuse_loop_cfg_destroy(cfg);
	return r < 0 ? fail(e, -r, "the FUSE session ended") : 0;
}

static int
mount_args(struct fuse_args *args, const char *options)
{
	/* Only root may let others in without the leave of fuse.conf. */
	const char *own =
	    geteuid() == 0
		? "-oallow_other,default_permissions,nosuid,nodev,noexec,"
		  "fsname=rdmafs,subtype=rdmafs"
		: "-odefault_permissions,nosuid,nodev,noexec,fsname=rdmafs,"
		  "subtype=rdmafs";

	if (fuse_opt_add_arg(args, "rdmafs") != 0 ||
	    fuse_opt_add_arg(args, own) != 0)
		return -ENOMEM;
	if (options != NULL && (fuse_opt_add_arg(args, "-o") != 0 ||
				   fuse_opt_add_arg(args, options) != 0))
		return -ENOMEM;
	return 0;
}

int
fuse_serve(struct fs *fs, const char *mountpoint, const char *options,
    void (*ready)(void *), void *arg, struct err *e)
{
	struct session s = { .fs = fs };
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *se = NULL;
	struct alias *a;
	int r = -ENOMEM;

	RB_INIT(&s.aliases);
	pthread_mutex_init(&s.lock, NULL);
	if (mount_args(&args, options) == 0)
		se = fuse_session_new(&args, &ops, sizeof(ops), &s);
	if (se == NULL) {
		r = fail(e, EINVAL,
		    "the FUSE session cannot be made: see "
		    "the options of -o");
	} else if (fuse_set_signal_handlers(se) != 0) {
		r = fail(e, EIO, "signal handlers cannot be set");
	} else {
		r = serve(se, mountpoint, ready, arg, e);
		fuse_remove_signal_handlers(se);
	}
	/* What is parked still replies: not before it is through. */
	pool_drain(fs->world.slow);
	pool_drain(fs->world.runner);
	if (se != NULL)
		fuse_session_destroy(se);
	fuse_opt_free_args(&args);
	while ((a = RB_ROOT(&s.aliases)) != NULL)
		alias_forget(&s, a->ino);
	pthread_mutex_destroy(&s.lock);
	return r;
}
