/* SPDX-License-Identifier: MIT */
/*
 * Inodes, entries and attributes: FUSE's numbers to nodes of the tree and
 * back.
 */
#include "fuse_impl.h"

struct session *
session_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

/* The node of an inode, its object referenced: 0 or -ENOENT. */
int
node_get(struct session *s, uint64_t ino, struct node *n)
{
	struct world *w = &s->fs->world;
	int r;

	world_lock(w);
	if ((r = node_by_ino(w, known_real(s, ino), n)) == 0)
		obj_ref(n->o);
	world_unlock(w);
	return r;
}

struct cred
ctx_cred(fuse_req_t req)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);

	return (struct cred){ .uid = ctx->uid, .gid = ctx->gid };
}

/*
 * Attributes.
 */
mode_t
node_type(const struct node *n)
{
	if (n->file == NULL)
		return S_IFDIR;
	return n->file->type == FILE_LINK ? S_IFLNK : S_IFREG;
}

static void
node_stat(struct session *s, const struct node *n, const struct cred *cred,
    struct stat *st)
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
	st->st_ino = node_ino(n);
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

bool
node_writes_wait(const struct node *n)
{
	const struct file *f = n->file;

	if (f == NULL)
		return false;
	/* A peer's memory is written over RDMA. */
	return f->type == FILE_CLONE || f->type == FILE_BATCH ||
	       f->verbs != NULL ||
	       (f->type == FILE_DATA && n->o->kind == KIND_MEM);
}

void
node_entry(
    fuse_req_t req, const struct node *n, bool list, struct fuse_entry_param *e)
{
	struct session *s = session_of(req);
	const struct cred cred = ctx_cred(req);

	memset(e, 0, sizeof(*e));
	known_entry(s, n, list, e);
	node_stat(s, n, &cred, &e->attr);
}

void
reply_entry(fuse_req_t req, const struct node *n)
{
	struct session *s = session_of(req);
	struct fuse_entry_param e;

	node_entry(req, n, false, &e);
	if (e.ino == 0)
		fuse_reply_err(req, ENOMEM);
	else if (fuse_reply_entry(req, &e) < 0)
		known_forget(s, e.ino, 1);
}

void
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
	if (node_there(&n))
		reply_entry(req, &n);
	else
		fuse_reply_err(req, ENOENT);
	obj_unref(n.o);
}

void
do_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
	known_forget(session_of(req), ino, nlookup);
	fuse_reply_none(req);
}

void
do_forget_multi(fuse_req_t req, size_t n, struct fuse_forget_data *list)
{
	size_t i;

	for (i = 0; i < n; i++)
		known_forget(session_of(req), list[i].ino, list[i].nlookup);
	fuse_reply_none(req);
}

static void
reply_attr(fuse_req_t req, fuse_ino_t ino, const struct node *n)
{
	struct session *s = session_of(req);
	const double last = known_attr(s, ino, n);
	const struct cred cred = ctx_cred(req);
	struct stat st;

	node_stat(s, n, &cred, &st);
	fuse_reply_attr(req, &st, last);
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

void
do_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct session *s = session_of(req);
	const struct cred cred = ctx_cred(req);
	struct stat st;
	struct node n;
	double last;
	int r;

	if ((r = node_get(s, ino, &n)) < 0) {
		if (known_is_stale(s, ino, NULL, fuse_req_ctx(req)->pid))
			r = -ESTALE;
		fuse_reply_err(req, -r);
		return;
	}
	if (known_is_stale(s, ino, &n, fuse_req_ctx(req)->pid)) {
		fuse_reply_err(req, ESTALE);
		obj_unref(n.o);
		return;
	}
	last = known_attr(s, ino, &n);
	node_stat(s, &n, &cred, &st);
	/* The kernel names the open file for a seek to the end, not for a
	 * stat(2): tail(1) reads backwards from there, and gives up where it
	 * finds nothing. */
	if (fi != NULL && n.file != NULL && n.file->bound != NULL) {
		st.st_size =
		    (off_t)handle_length((struct handle *)(uintptr_t)fi->fh);
		last = 0;
	}
	fuse_reply_attr(req, &st, last);
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
	if (what & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
		obj_restat(n->o, true);
	world_unlock(w);
	return r;
}

/* Times are the tree's own: setting them succeeds and does nothing. */
void
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
		reply_attr(req, ino, &n);
	obj_unref(n.o);
}

void
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
