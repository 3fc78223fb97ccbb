/* SPDX-License-Identifier: MIT */
/*
 * What fs/fuse*.c share: the only files that know the FUSE library.
 *
 * No handler waits: what cannot be answered at once is parked, and whoever
 * completes it replies.
 */
#ifndef FS_FUSE_IMPL_H
#define FS_FUSE_IMPL_H

#define FUSE_USE_VERSION 312

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/tree.h>
#include <unistd.h>

#include "change.h"
#include "fs.h"
#include "fuse.h"
#include "handle.h"

struct alias {
	RB_ENTRY(alias) link;
	uint64_t ino, real;
};

RB_HEAD(aliases, alias);

struct session {
	struct fs *fs;
	pthread_mutex_t lock; /* guards the rest; above a pool's alone */
	struct aliases aliases;
	uint64_t last_alias;
	LIST_HEAD(, parked) parked;
	pthread_cond_t none_parked;
	atomic_bool ending; /* see end_reads() */
};

/* fuse_node.c: inodes, entries, attributes. */

/* The session that a request belongs to. */
struct session *session_of(fuse_req_t req);
/* The node of an inode, its object referenced: 0 or -ENOENT. */
int node_get(struct session *s, uint64_t ino, struct node *n);
/* The real number of an inode that a lookup of clone has made up. */
void alias_forget(struct session *s, uint64_t ino);
/* Who asks, without groups. */
struct cred ctx_cred(fuse_req_t req);
mode_t node_type(const struct node *n);
/* Its writes may wait: its inode is one of its own for each lookup. */
bool node_writes_wait(const struct node *n);
/* e->ino is 0 without memory for an inode of its own. */
void
node_entry(fuse_req_t req, const struct node *n, struct fuse_entry_param *e);
void reply_entry(fuse_req_t req, const struct node *n);

void do_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void do_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup);
void do_forget_multi(fuse_req_t req, size_t n, struct fuse_forget_data *list);
void do_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void do_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int what,
    struct fuse_file_info *fi);
void do_readlink(fuse_req_t req, fuse_ino_t ino);

/* fuse_dir.c: what a directory holds. */

void do_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
    struct fuse_file_info *fi);
void do_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
    struct fuse_file_info *fi);

/* fuse_park.c: requests that are answered later. */

enum parked_kind {
	PARKED_READ,
	PARKED_WRITE,
	PARKED_MAKE,
	PARKED_CHANGE,
	PARKED_CLONE
};

struct parked {
	struct work work; /* of an interrupt; first, see parked_interrupted() */
	LIST_ENTRY(parked) link; /* in s->parked, until refs is 0; s->lock */
	atomic_bool interrupted; /* work has been submitted: once */
	struct session *s;
	fuse_req_t req;
	enum parked_kind kind;
	atomic_uint refs; /* who completes, who starts, an interrupt */

	pthread_mutex_t lock; /* above all others */
	bool over; /* completed: the three below are gone */
	bool replied;
	struct reading *reading;
	struct writing *writing;
	struct change *change;
	struct handle *h; /* clone: not yet told to the kernel */
	struct node clone; /* clone: what is opened */
	struct cred cred; /* clone: the opener's */
};

/* NULL: out of memory.  One reference is the starter's, one the completer's. */
struct parked *park(fuse_req_t req, enum parked_kind kind);
void parked_unref(struct parked *p);
/*
 * The starter's last step after PENDING: from now on it can be interrupted.
 * Drops the starter's reference.
 */
void parked_started(struct parked *p);
/* Completion: true if the reply is the caller's.  Keeps its reference. */
bool parked_over(struct parked *p);
/* At the end of a session, while it can still reply: who waits for an entry
 * reads an end of file instead. */
void end_reads(struct session *s);
/* At the end of a session: what is parked still replies first. */
void wait_none_parked(struct session *s);
/* It was over at once and nobody else knows of it. */
void parked_drop(struct parked *p);

/* fuse_change.c: mkdir, rmdir, rename, and what nobody may. */

/* Who changes the tree; done gets p. */
struct changer
changer_of(struct parked *p, void (*done)(void *, int, struct obj *));

void do_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void do_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void do_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
    fuse_ino_t newparent, const char *newname, unsigned flags);
void do_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
    dev_t rdev);
void do_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
    struct fuse_file_info *fi);
void do_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);
void do_symlink(
    fuse_req_t req, const char *link, fuse_ino_t parent, const char *name);
void do_link(
    fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent, const char *newname);

/* fuse_file.c: open files. */

void do_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void do_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void do_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
    struct fuse_file_info *fi);
void do_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size,
    off_t off, struct fuse_file_info *fi);
void do_poll(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi,
    struct fuse_pollhandle *ph);
void do_copy_file_range(fuse_req_t req, fuse_ino_t in, off_t off_in,
    struct fuse_file_info *fi_in, fuse_ino_t out, off_t off_out,
    struct fuse_file_info *fi_out, size_t len, int flags);

#endif
