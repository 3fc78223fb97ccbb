/* SPDX-License-Identifier: MIT */
/*
 * An open file: what it reads, what it takes, the answer to what was written.
 * Knows nothing of FUSE.
 */
#ifndef FS_HANDLE_H
#define FS_HANDLE_H

#include <sys/types.h>

#include "script.h"
#include "tree.h"

struct handle;

/*
 * Whether n may be opened with flags (O_RDONLY ... of open(2)) beyond what
 * modes say, for root too.  0, -EACCES, -ENODATA (a value that does not
 * exist), -EISDIR.
 */
int handle_check(const struct view *v, const struct node *n, int flags);
/*
 * Opens n, whose object is referenced by the handle.  cred is taken over on
 * success.  flags are open(2)'s.  Returns NULL: out of memory.
 */
struct handle *
handle_new(struct fs *fs, const struct node *n, struct cred *cred, int flags);
/* It is the ctl of o, made by opening clone: o dies with it unless kept. */
void handle_made(struct handle *h, struct obj *o);
/* The last descriptor is closed; work under way completes. */
void handle_close(struct handle *h);
/* At the end, when nobody uses them any more: the kernel tells of no file that
 * was open when it was unmounted. */
void handle_close_all(struct fs *fs);
/* n is data of a region. */
bool node_is_data(const struct node *n);
/*
 * Which memory n, data of a region, has: a number never used again.  0: none,
 * or one that others must not have as a file: somebody else's, who may
 * truncate it, or not of whole pages.  Lock held.
 */
uint64_t node_memory(const struct node *n);
/* The file of that, as a descriptor to close.  -ESTALE: it is another by now. */
int node_memory_file(const struct node *n, uint64_t memory);
const struct node *handle_node(const struct handle *h);
/* It waits for what comes, and has no positions: every read goes on where the
 * last one ended. */
bool handle_waits(const struct handle *h);
/* The true length of a text with a bound, instead of that. */
uint64_t handle_length(struct handle *h);

struct reading;

/* Who reads, and whom to tell. */
struct reader {
	pid_t pid;
	uid_t uid;
	bool nonblock; /* -EAGAIN rather than wait for an entry */
	/* Called once after PENDING, from any thread: 0 and out, which is
	 * valid during the call, or -errno. */
	void (*done)(void *arg, int r, const struct text *out);
	void *arg;
};

/*
 * Adds up to size bytes at off to out: fewer only at the end, or when the file
 * waits.  Returns 0, -errno, or PENDING and *reading, valid until done is
 * called.
 */
int handle_read(struct handle *h, const struct reader *by, uint64_t off,
    size_t size, struct text *out, struct reading **reading);
/*
 * Gives up waiting for an entry: done is called soon, with -EINTR if none has
 * come; true.  Otherwise (reading is NULL: an RDMA transfer) it completes;
 * false.
 */
bool reading_interrupt(struct reading *r);

/* Whom to tell that a file can be read, and his own argument. */
struct poll_told {
	/* Called at most once, by the world's runner; NULL: nobody waits. */
	void (*tell)(void *arg);
	void (*drop)(void *arg); /* the last use of arg */
	void *arg;
};

/*
 * Whether there is something to read that was not there at the last read at 0:
 * of a status, a change of the object; of a journal that waits, a line; of any
 * other file always.  If not, told is told once there is; only the last one of
 * a handle is.
 */
bool handle_poll(struct handle *h, const struct poll_told *told);

struct writing;

/* Who writes, and whom to tell. */
struct writer {
	pid_t pid;
	uid_t uid;
	uint64_t inode; /* for op.written */
	/* Called once after PENDING: bytes or -errno. */
	void (*done)(void *arg, ssize_t r);
	/* Whether he has given up, asked now and then before that. */
	bool (*given_up)(void *arg);
	void *arg;
};

/*
 * Writes n bytes (copied).  Returns n (data: perhaps less at its end),
 * -errno, or PENDING_WRITE and *writing (NULL: an RDMA transfer), valid until
 * done is called.
 */
#define PENDING_WRITE (-4095)
ssize_t handle_write(struct handle *h, const struct writer *by, const char *buf,
    size_t n, uint64_t off, struct writing **writing);
/* As script_interrupt(). */
bool writing_interrupt(struct writing *w);

/* A truncation to size: control files take any, data only to 0 or its
 * length.  0 or -EINVAL, -EACCES. */
int node_truncate(const struct node *n, uint64_t size);
/* What st_size says; lock not held. */
uint64_t node_size(const struct view *v, const struct node *n);

#endif
