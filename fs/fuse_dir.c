/* SPDX-License-Identifier: MIT */
/* What a directory holds, as FUSE wants it. */
#include "fuse_impl.h"

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

	memset(&e, 0, sizeof(e));
	e.attr.st_ino = node_ino(n);
	e.attr.st_mode = node_type(n);
	if (!f->plus) {
		len = fuse_add_direntry(f->req, f->buf + f->used,
		    f->size - f->used, name, &e.attr, next);
	} else {
		len = fuse_add_direntry_plus(f->req, NULL, 0, name, &e, next);
		if (len <= f->size - f->used)
			node_entry(f->req, n, true, &e);
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
		if (node_there(&n))
			room = fill(&f, name, &n, (off_t)pos + DOTS);
		obj_unref(n.o);
	}
	fuse_reply_buf(req, f.buf, f.used);
	free(f.buf);
	obj_unref(dir.o);
}

void
do_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
    struct fuse_file_info *fi)
{
	(void)fi;
	read_dir(req, ino, size, off, false);
}

void
do_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
    struct fuse_file_info *fi)
{
	(void)fi;
	read_dir(req, ino, size, off, true);
}
