/* SPDX-License-Identifier: MIT */
/*
 * The messages of a session on their way between /dev/fuse and the library:
 * they are counted here, by the kernel's names.
 */
#include <sys/uio.h>

#include "fuse_impl.h"
#include "fuse_kernel.h"

/* Before any later open of it, which some other thread may have read. */
static void
release_comes(struct session *s, const struct fuse_in_header *in)
{
	const struct fuse_release_in *release = (const void *)(in + 1);

	known_release(s, in->nodeid, (int)release->flags);
}

/* Whether the kernel could use files itself. */
static void
init_comes(struct session *s, const struct fuse_in_header *in, size_t size)
{
	const struct fuse_init_in *init = (const void *)(in + 1);

	if (size >= sizeof(*in) + sizeof(*init) &&
	    (init->flags & FUSE_INIT_EXT) &&
	    (init->flags2 & KERNEL_PASSTHROUGH2))
		s->init = in->unique;
}

/*
 * The kernel begins with INIT and sends nothing else until that is answered;
 * the answer is written with s->lock held, and what comes next waits for that.
 */
static void
io_comes(struct session *s, const struct fuse_in_header *in, size_t size)
{
	messages_count(&s->fs->requests, in->opcode);
	if (in->opcode == FUSE_RELEASE)
		release_comes(s, in);
	if (atomic_load_explicit(&s->open, memory_order_acquire))
		return;
	if (in->opcode == FUSE_INIT) {
		init_comes(s, in, size);
		return;
	}
	pthread_mutex_lock(&s->lock);
	pthread_mutex_unlock(&s->lock);
}

/* Only a read of the device, which is where the library's threads wait and are
 * cancelled. */
static ssize_t
io_read(int fd, void *buf, size_t size, void *userdata)
{
	const struct fuse_in_header *in = buf;
	struct session *s = userdata;
	ssize_t n = read(fd, buf, size);

	if (n >= (ssize_t)sizeof(*in))
		io_comes(s, in, (size_t)n);
	return n;
}

/* Adds to the answer to INIT what the library does not know. */
static void
io_agree(struct iovec *iov, struct kernel_init_out *out)
{
	memcpy(out, iov->iov_base, sizeof(*out));
	out->flags |= FUSE_INIT_EXT;
	out->flags2 |= KERNEL_PASSTHROUGH2;
	out->max_stack_depth = 1;
	iov->iov_base = out;
}

/* The first answer, which is that to INIT. */
static ssize_t
io_open(struct session *s, int fd, struct iovec *iov, int count)
{
	const struct fuse_out_header *out = iov[0].iov_base;
	struct kernel_init_out init;
	bool agree = s->init != 0 && s->init == out->unique &&
		     out->error == 0 && count == 2 &&
		     iov[1].iov_len == sizeof(init);
	ssize_t r;

	pthread_mutex_lock(&s->lock);
	if (agree)
		io_agree(&iov[1], &init);
	r = writev(fd, iov, count);
	if (agree && r > 0)
		backing_probe(s);
	atomic_store_explicit(&s->open, true, memory_order_release);
	pthread_mutex_unlock(&s->lock);
	return r;
}

/* What answers no request is a notification, and its error the kind. */
static ssize_t
io_writev(int fd, struct iovec *iov, int count, void *userdata)
{
	const struct fuse_out_header *out = iov[0].iov_base;
	struct session *s = userdata;

	if (out->unique == 0)
		messages_count(&s->fs->notifications, (uint32_t)out->error);
	if (!atomic_load_explicit(&s->open, memory_order_relaxed))
		return io_open(s, fd, iov, count);
	return writev(fd, iov, count);
}

static const char *const request_names[MESSAGE_KINDS] = {
	[0] = "OTHER",
	[FUSE_LOOKUP] = "LOOKUP",
	[FUSE_FORGET] = "FORGET",
	[FUSE_GETATTR] = "GETATTR",
	[FUSE_SETATTR] = "SETATTR",
	[FUSE_READLINK] = "READLINK",
	[FUSE_SYMLINK] = "SYMLINK",
	[FUSE_MKNOD] = "MKNOD",
	[FUSE_MKDIR] = "MKDIR",
	[FUSE_UNLINK] = "UNLINK",
	[FUSE_RMDIR] = "RMDIR",
	[FUSE_RENAME] = "RENAME",
	[FUSE_LINK] = "LINK",
	[FUSE_OPEN] = "OPEN",
	[FUSE_READ] = "READ",
	[FUSE_WRITE] = "WRITE",
	[FUSE_STATFS] = "STATFS",
	[FUSE_RELEASE] = "RELEASE",
	[FUSE_FSYNC] = "FSYNC",
	[FUSE_SETXATTR] = "SETXATTR",
	[FUSE_GETXATTR] = "GETXATTR",
	[FUSE_LISTXATTR] = "LISTXATTR",
	[FUSE_REMOVEXATTR] = "REMOVEXATTR",
	[FUSE_FLUSH] = "FLUSH",
	[FUSE_INIT] = "INIT",
	[FUSE_OPENDIR] = "OPENDIR",
	[FUSE_READDIR] = "READDIR",
	[FUSE_RELEASEDIR] = "RELEASEDIR",
	[FUSE_FSYNCDIR] = "FSYNCDIR",
	[FUSE_GETLK] = "GETLK",
	[FUSE_SETLK] = "SETLK",
	[FUSE_SETLKW] = "SETLKW",
	[FUSE_ACCESS] = "ACCESS",
	[FUSE_CREATE] = "CREATE",
	[FUSE_INTERRUPT] = "INTERRUPT",
	[FUSE_BMAP] = "BMAP",
	[FUSE_DESTROY] = "DESTROY",
	[FUSE_IOCTL] = "IOCTL",
	[FUSE_POLL] = "POLL",
	[FUSE_NOTIFY_REPLY] = "NOTIFY_REPLY",
	[FUSE_BATCH_FORGET] = "BATCH_FORGET",
	[FUSE_FALLOCATE] = "FALLOCATE",
	[FUSE_READDIRPLUS] = "READDIRPLUS",
	[FUSE_RENAME2] = "RENAME2",
	[FUSE_LSEEK] = "LSEEK",
	[FUSE_COPY_FILE_RANGE] = "COPY_FILE_RANGE",
	[FUSE_SETUPMAPPING] = "SETUPMAPPING",
	[FUSE_REMOVEMAPPING] = "REMOVEMAPPING",
	[FUSE_SYNCFS] = "SYNCFS",
	[FUSE_TMPFILE] = "TMPFILE",
	[KERNEL_STATX] = "STATX",
	[KERNEL_COPY_FILE_RANGE_64] = "COPY_FILE_RANGE_64",
};

static const char *const notification_names[MESSAGE_KINDS] = {
	[0] = "OTHER",
	[FUSE_NOTIFY_POLL] = "POLL",
	[FUSE_NOTIFY_INVAL_INODE] = "INVAL_INODE",
	[FUSE_NOTIFY_INVAL_ENTRY] = "INVAL_ENTRY",
	[FUSE_NOTIFY_DELETE] = "DELETE",
};

/* The library writes nothing else: no splicing, see do_init(). */
static const struct fuse_custom_io io = { .read = io_read,
	.writev = io_writev };

void
io_name_messages(struct fs *fs)
{
	fs->requests.names = request_names;
	fs->notifications.names = notification_names;
}

int
io_begin(struct fuse_session *se)
{
	return fuse_session_custom_io(se, &io, fuse_session_fd(se));
}
