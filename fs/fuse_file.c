/* SPDX-License-Identifier: MIT */
/* Open files: what FUSE brings to handles, and their answers. */
#include <poll.h>

#include "fuse_impl.h"
#include "fuse_kernel.h"

/* Answers of open(2) that libfuse 3.14 has no field for. */
#ifndef FOPEN_PARALLEL_DIRECT_WRITES
#define FOPEN_PARALLEL_DIRECT_WRITES (1 << 6)
#endif
#ifndef FOPEN_NOFLUSH
#define FOPEN_NOFLUSH (1 << 5)
#endif

/* cat would else copy through the page cache, and repeat as a write what was
 * refused. */
void
do_copy_file_range(fuse_req_t req, fuse_ino_t in, off_t off_in,
    struct fuse_file_info *fi_in, fuse_ino_t out, off_t off_out,
    struct fuse_file_info *fi_out, size_t len, int flags)
{
	(void)in, (void)off_in, (void)fi_in, (void)out;
	(void)off_out, (void)fi_out, (void)len, (void)flags;
	fuse_reply_err(req, EINVAL);
}

static struct handle *
handle_of(const struct fuse_file_info *fi)
{
	return (struct handle *)(uintptr_t)fi->fh;
}

/*
 * Direct I/O: the text of now, never the page cache's.  Writes of several
 * descriptors do not wait for each other where the kernel can.  What waits is
 * no place to seek in: so a shell's read takes byte by byte, and no more than
 * its line.  What has a backing id is the kernel's own affair.  Returns
 * whether it is open; it is not if open(2) was interrupted.
 */
static bool
reply_open(fuse_req_t req, struct handle *h, int backing)
{
	struct kernel_open_out out = { .fh = (uintptr_t)h,
		.open_flags = FOPEN_DIRECT_IO | FOPEN_NOFLUSH |
			      FOPEN_PARALLEL_DIRECT_WRITES };

	if (handle_waits(h))
		out.open_flags |= FOPEN_STREAM | FOPEN_NONSEEKABLE;
	if (backing > 0) {
		out.open_flags = KERNEL_OPEN_PASSTHROUGH | FOPEN_NOFLUSH;
		out.backing_id = backing;
	}
	if (fuse_reply_buf(req, (const char *)&out, sizeof(out)) != -ENOENT)
		return true;
	handle_close(h);
	return false;
}

/* The ctl of what opening a clone has made. */
static struct handle *
clone_handle(struct parked *p, struct obj *made)
{
	const struct dirtype *dir = kind_info(made->kind)->dirtypes[0];
	const struct node n = {
		.o = made, .dir = dir, .file = dir_file(dir, "ctl")
	};
	struct handle *h = handle_new(p->s->fs, &n, &p->cred, O_RDWR);

	if (h != NULL)
		handle_made(h, made);
	return h;
}

/* Whether it is open. */
static bool
reply_clone(struct parked *p, int r, struct obj *made)
{
	struct handle *h;

	if (r < 0) {
		fuse_reply_err(p->req, -r);
		return false;
	}
	if ((h = clone_handle(p, made)) == NULL) {
		fuse_reply_err(p->req, ENOMEM);
		change_discard(p->s->fs, made);
		return false;
	}
	obj_unref(made);
	return reply_open(p->req, h, 0);
}

static void
clone_done(void *arg, int r, struct obj *made)
{
	struct parked *p = arg;

	if (parked_over(p)) {
		if (!reply_clone(p, r, made))
			known_release(p->s, p->ino, O_RDWR);
	} else if (r == 0) {
		change_discard(p->s->fs, made);
	}
	parked_unref(p);
}

static void
open_clone(
    fuse_req_t req, fuse_ino_t ino, const struct node *n, struct cred *cred)
{
	struct parked *p = park(req, PARKED_CLONE);
	struct owner owner = { cred->uid, cred->gid, 0755 };
	struct node dir = *n;
	struct obj *made = NULL;
	struct changer by;
	int r;

	if (p == NULL) {
		cred_fini(cred);
		known_release(session_of(req), ino, O_RDWR);
		fuse_reply_err(req, ENOMEM);
		return;
	}
	p->ino = ino;
	p->cred = *cred;
	dir.file = NULL;
	by = changer_of(p, clone_done);
	r = change_make(&by, &dir, NULL, &owner, &made, &p->change);
	if (r == PENDING) {
		parked_started(p);
		return;
	}
	if (!reply_clone(p, r, made))
		known_release(p->s, ino, O_RDWR);
	parked_drop(p);
}

static void
open_file(fuse_req_t req, fuse_ino_t ino, const struct node *n,
    struct cred *cred, int flags, int backing)
{
	struct session *s = session_of(req);
	struct handle *h = handle_new(s->fs, n, cred, flags);

	if (h == NULL) {
		cred_fini(cred);
		known_release(s, ino, flags);
		fuse_reply_err(req, ENOMEM);
		return;
	}
	if (!reply_open(req, h, backing))
		known_release(s, ino, flags);
}

/* Groups matter where the opener's authority or reach is asked later. */
static bool
needs_groups(const struct node *n, int flags)
{
	return n->file->more != NULL || n->file->journal != NULL ||
	       (flags & O_ACCMODE) != O_RDONLY;
}

/* What is asked of the opener later; 0 or -errno. */
static int
take_cred(const struct node *n, int flags, const struct fuse_ctx *ctx,
    struct cred *cred)
{
	int r = 0;

	if (needs_groups(n, flags))
		r = cred_take(cred, ctx->uid, ctx->gid, ctx->pid);
	if (n->file->type == FILE_BATCH)
		cred->umask = process_umask(ctx->pid);
	return r;
}

void
do_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct session *s = session_of(req);
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	struct cred cred = ctx_cred(req);
	struct view v = { .fs = s->fs, .cred = &cred };
	struct node n;
	int backing = 0, r;

	if ((r = node_get(s, ino, &n)) < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	v.o = n.o;
	v.file = n.file;
	v.index = n.index;
	world_lock(&s->fs->world);
	r = n.o->gone ? -ENOENT : handle_check(&v, &n, fi->flags);
	world_unlock(&s->fs->world);
	if (r == 0)
		r = backing = known_open(s, ino, &n, ctx->pid, fi->flags);
	if (r >= 0 && (r = take_cred(&n, fi->flags, ctx, &cred)) < 0)
		known_release(s, ino, fi->flags);
	if (r < 0)
		fuse_reply_err(req, -r);
	else if (n.file->type == FILE_CLONE)
		open_clone(req, ino, &n, &cred);
	else
		open_file(req, ino, &n, &cred, fi->flags, backing);
	obj_unref(n.o);
}

void
do_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino; /* known_release() has been called: fuse_io.c */
	handle_close(handle_of(fi));
	fuse_reply_err(req, 0);
}

static void
reply_read(fuse_req_t req, int r, const struct text *out)
{
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_buf(req, out->buf, out->len);
}

static void
read_done(void *arg, int r, const struct text *out)
{
	struct parked *p = arg;

	if (r == -EINTR && atomic_load(&p->s->ending))
		r = 0;
	if (parked_over(p))
		reply_read(p->req, r, out);
	parked_unref(p);
}

void
do_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
    struct fuse_file_info *fi)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	struct parked *p = park(req, PARKED_READ);
	const struct reader by = { .pid = ctx->pid,
		.uid = ctx->uid,
		.nonblock = fi->flags & O_NONBLOCK,
		.done = read_done,
		.arg = p };
	struct text out = { 0 };
	int r;

	(void)ino;
	if (p == NULL) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	r = handle_read(
	    handle_of(fi), &by, (uint64_t)off, size, &out, &p->reading);
	if (r == PENDING) {
		parked_started(p);
		return;
	}
	reply_read(req, r, &out);
	text_fini(&out);
	parked_drop(p);
}

/*
 * Only SEEK_DATA and SEEK_HOLE: there are no holes.  The kernel would say so, but
 * of a size that is a bound it has asked for the true length by then, and what
 * lies between is a hole to grep(1), which then takes the text for binary.
 */
void
do_lseek(fuse_req_t req, fuse_ino_t ino, off_t off, int whence,
    struct fuse_file_info *fi)
{
	const struct node *n = handle_node(handle_of(fi));
	const struct cred cred = ctx_cred(req);
	const struct view v = { .fs = session_of(req)->fs,
		.o = n->o,
		.file = n->file,
		.index = n->index,
		.cred = &cred };
	const off_t end = (off_t)node_size(&v, n);

	(void)ino;
	if (off < 0 || off >= end)
		fuse_reply_err(req, ENXIO);
	else
		fuse_reply_lseek(req, whence == SEEK_DATA ? off : end);
}

/* A change that a poll has waited for. */
static void
poll_tell(void *ph)
{
	(void)fuse_lowlevel_notify_poll(ph);
}

static void
poll_drop(void *ph)
{
	fuse_pollhandle_destroy(ph);
}

void
do_poll(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi,
    struct fuse_pollhandle *ph)
{
	const struct poll_told told = { .tell = ph != NULL ? poll_tell : NULL,
		.drop = poll_drop,
		.arg = ph };
	/* What waits for nothing is as ready as any file. */
	unsigned events = handle_node(handle_of(fi))->file->waits == 0
			      ? POLLOUT | POLLWRNORM
			      : 0;

	(void)ino;
	if (handle_poll(handle_of(fi), &told))
		events |= POLLIN | POLLRDNORM;
	fuse_reply_poll(req, events);
}

static void
reply_written(struct parked *p, ssize_t r)
{
	known_written(p->s, p->ino, &p->node, r >= 0);
	if (r < 0)
		fuse_reply_err(p->req, (int)-r);
	else
		fuse_reply_write(p->req, (size_t)r);
	known_answered(p->s, p->ino, &p->node);
}

static void
write_done(void *arg, ssize_t r)
{
	struct parked *p = arg;

	if (parked_over(p))
		reply_written(p, r);
	parked_unref(p);
}

static bool
write_given_up(void *arg)
{
	const struct parked *p = arg;

	return fuse_req_interrupted(p->req) != 0;
}

void
do_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size,
    off_t off, struct fuse_file_info *fi)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	struct parked *p = park(req, PARKED_WRITE);
	const struct writer by = { .pid = ctx->pid,
		.uid = ctx->uid,
		.inode = ino,
		.done = write_done,
		.given_up = write_given_up,
		.arg = p };
	ssize_t r;

	if (p == NULL) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	p->ino = ino;
	p->node = *handle_node(handle_of(fi));
	known_write(p->s, ino, &p->node);
	r = handle_write(
	    handle_of(fi), &by, buf, size, (uint64_t)off, &p->writing);
	if (r == PENDING_WRITE) {
		parked_started(p);
		return;
	}
	reply_written(p, r);
	parked_drop(p);
}
