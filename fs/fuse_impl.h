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

/* Numbers of inodes that are another one for each lookup have this bit. */
#define ALIAS_BIT (UINT64_C(1) << 63)

#define REFUSED_MAX 4096

/* What the kernel may believe of an inode without asking. */
enum held { HELD_NOTHING, HELD_MODE, HELD_ALL };

/*
 * An inode that the kernel has, of a file or of a directory that is not an
 * object's own (what is known of those stands in struct obj).  world.lock guards
 * it.
 */
struct known {
	RB_ENTRY(known) link; /* in s->aliases, if it is one */
	LIST_ENTRY(known) all;
	struct known *next; /* of the same object */
	struct obj *o; /* referenced */
	uint64_t ino; /* as the kernel calls it */
	uint64_t real; /* as stat(2) shows it */
	uint64_t lookups; /* that the kernel has not forgotten */
	uint32_t second; /* of a directory's time, as told */
	enum held held;
	bool dir;
	bool fixed; /* its size never changes */
	bool told; /* since the last change, and taken */
	uint32_t changed; /* ms, when that was */
	bool truncated; /* the kernel takes it for empty */
	unsigned writers; /* open files */
	unsigned writing; /* requests not yet answered, */
	unsigned answering; /* and those of them that are being answered */

	/* Of a region's data: which memory it is, node_memory(); 0: the
	 * daemon reads and writes it. */
	uint64_t memory;
	unsigned opens;
	int backing; /* the id of its file while it is open; 0: none */
	bool lent; /* that is the memory's own (mem.kept) */
};

RB_HEAD(aliases, known);

STAILQ_HEAD(notices, notice);

struct parked;

struct session {
	struct fs *fs;
	struct fuse_session *se;
	struct viewer viewer;
	uint64_t init; /* the request that opens it, if passthrough may be; 0 */
	atomic_bool open; /* that has been answered */

	/* Guarded by world.lock. */
	struct aliases aliases;
	uint64_t last_alias;
	LIST_HEAD(, known) known;
	/* Who was answered ESTALE last, by pid: see known_open() and
	 * known_is_stale(). */
	struct refused {
		pid_t pid; /* + 1 */
		uint64_t ino; /* 0: at an open of no data */
		int64_t when;
	} refused[REFUSED_MAX];

	struct notifier {
		pthread_t thread;
		pthread_mutex_t lock; /* guards the rest; below world.lock */
		pthread_cond_t more;
		struct notices notices;
		unsigned n;
		bool end;
	} notifier;

	pthread_mutex_t lock; /* guards the rest; above a pool's alone */
	LIST_HEAD(, parked) parked;
	pthread_cond_t none_parked;
	atomic_bool ending; /* see end_reads() */
};

/* fuse_io.c: messages on their way. */

/* Names what is counted of fs, before anybody asks. */
void io_name_messages(struct fs *fs);
/* From now on the messages of se, which is mounted, go through here.  0 or
 * -errno. */
int io_begin(struct fuse_session *se);

/* fuse_backing.c: data that the kernel reads, writes and maps by itself. */

/* Finds out whether it can, once it has agreed to: then the world has a
 * keeper.  backing_end(): the session is over. */
void backing_probe(struct session *s);
void backing_end(struct session *s);
/* The id of the file of that memory, 0: the daemon has to do it, or -errno:
 * -ESTALE, it has another memory by now.  For backing_drop(). */
int backing_id(struct session *s, const struct node *n, uint64_t memory);
void backing_drop(struct session *s, int id);

/* fuse_node.c: inodes, entries, attributes. */

/* The session that a request belongs to. */
struct session *session_of(fuse_req_t req);
/* The node of an inode, its object referenced: 0 or -ENOENT. */
int node_get(struct session *s, uint64_t ino, struct node *n);
/* Who asks, without groups. */
struct cred ctx_cred(fuse_req_t req);
mode_t node_type(const struct node *n);
/* Its writes may wait: its inode is one of its own for each lookup. */
bool node_writes_wait(const struct node *n);
/* e->ino is 0 without memory for an inode of its own; list as known_entry(). */
void node_entry(fuse_req_t req, const struct node *n, bool list,
    struct fuse_entry_param *e);
void reply_entry(fuse_req_t req, const struct node *n);

void do_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void do_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup);
void do_forget_multi(fuse_req_t req, size_t n, struct fuse_forget_data *list);
void do_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void do_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int what,
    struct fuse_file_info *fi);
void do_readlink(fuse_req_t req, fuse_ino_t ino);

/* fuse_known.c: what the kernel knows of inodes, and how long. */

void known_init(struct session *s);
void known_fini(struct session *s);
/* The number that stat(2) shows, 0: not known; lock held. */
uint64_t known_real(struct session *s, uint64_t ino);
/*
 * Before the attributes or the entry of n are read and told: sets how long they
 * last, and the entry's inode; 0: out of memory.  known_forget() takes it back.
 * list: the entry stands in a directory that is read, and is not looked up.
 */
double known_attr(struct session *s, uint64_t ino, const struct node *n);
void known_entry(struct session *s, const struct node *n, bool list,
    struct fuse_entry_param *e);
void known_forget(struct session *s, uint64_t ino, uint64_t nlookup);
/*
 * Those below are for fuse_open.c.  The inode that the kernel has, NULL: it has
 * not asked for it, or it is an object's own directory; o: its object, NULL for
 * an alias.  Lock held.
 */
struct known *known_find(struct session *s, uint64_t ino, const struct obj *o);
/* Which memory n, data of a region, has that the kernel may use itself; 0: none.
 * Lock held. */
uint64_t known_memory(const struct node *n);
/* n is the directory of an object itself, not one in it. */
bool node_is_own_dir(const struct node *n);

/* fuse_viewer.c: what changes, and how the kernel is told.  Lock held, but for the
 * first two. */

void viewer_begin(struct session *s);
void viewer_end(struct session *s);
/* The attributes of k, as the kernel has them, may be old from now on. */
void known_untold(struct known *k);
/* What changed in that millisecond is told for longer than the moment. */
bool known_settled(uint32_t changed);
/* The kernel is told that its attributes are invalid. */
void known_notify(struct session *s, uint64_t ino);
/* The time of directory n, as far as it is invalidated. */
uint32_t known_second(const struct node *n);

/* fuse_open.c: opening, writing, closing; names that are no more. */

/*
 * Whether pid has come to a directory by a name that it has not any more, and
 * shall be answered ESTALE: then the kernel goes the way once more, and asks for
 * each name on it.  n NULL: there is no such inode any more.
 */
bool known_is_stale(
    struct session *s, uint64_t ino, const struct node *n, pid_t pid);
/*
 * Around a write to an inode, whose object it references: at its beginning;
 * before the answer, done: it was not refused; after the answer.
 */
void known_write(struct session *s, uint64_t ino, const struct node *n);
void
known_written(struct session *s, uint64_t ino, const struct node *n, bool done);
void known_answered(struct session *s, uint64_t ino, const struct node *n);
/*
 * Before an open: the id of the file that the kernel shall use itself, 0: none,
 * or -errno: -ESTALE, the kernel shall look it up once more.
 */
int known_open(struct session *s, uint64_t ino, const struct node *n, pid_t pid,
    int flags);
/* It is not, or no longer, open. */
void known_release(struct session *s, uint64_t ino, int flags);

/* fuse_notify.c: notifications that are repeated. */

/* 0 or -errno. */
int notifier_start(struct session *s);
/* Nobody calls notifier_again() any more. */
void notifier_stop(struct session *s);
/* The inode's attributes are invalid, and it may be on its way to the kernel;
 * world.lock may be held. */
void notifier_again(struct session *s, uint64_t ino);

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
	uint64_t ino; /* write, clone: the inode */
	struct node node; /* write: its handle's */
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
void do_lseek(fuse_req_t req, fuse_ino_t ino, off_t off, int whence,
    struct fuse_file_info *fi);
void do_poll(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi,
    struct fuse_pollhandle *ph);
void do_copy_file_range(fuse_req_t req, fuse_ino_t in, off_t off_in,
    struct fuse_file_info *fi_in, fuse_ino_t out, off_t off_out,
    struct fuse_file_info *fi_out, size_t len, int flags);

#endif
