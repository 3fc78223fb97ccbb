/* SPDX-License-Identifier: MIT */
/*
 * Passthrough: data of regions whose file the kernel reads, writes and maps by
 * itself, where it can (Linux 6.9, CAP_SYS_ADMIN).
 *
 * All open files of an inode must have one backing file.  So each memory, from
 * its registration to its end, has an inode of its own (fuse_known.c); the
 * memory registered next under the same name is another one, and opening an
 * older one is answered ESTALE, upon which the name is looked up again.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "fuse_impl.h"
#include "fuse_kernel.h"

/*
 * The kernel's files: an id stands for one until it is closed, or the session
 * ends.
 */
static int
id_open(int fuse, int fd)
{
	struct kernel_backing_map map = { .fd = fd };
	int id = ioctl(fuse, KERNEL_BACKING_OPEN, &map);

	return id < 0 ? -errno : id;
}

static void
id_close(int fuse, int id)
{
	uint32_t n = (uint32_t)id;

	(void)ioctl(fuse, KERNEL_BACKING_CLOSE, &n);
}

static int
keep(void *arg, int fd)
{
	const struct fs *fs = arg;

	return id_open(atomic_load(&fs->keeper_fd), fd);
}

/* After the session's end there is no such descriptor, and no id. */
static void
drop(void *arg, int id)
{
	const struct fs *fs = arg;

	id_close(atomic_load(&fs->keeper_fd), id);
}

void
backing_probe(struct session *s)
{
	const int fuse = fuse_session_fd(s->se);
	int fd = memfd_create("rdmafs", MFD_CLOEXEC);
	int id = -1;

	if (fd != -1 && (id = id_open(fuse, fd)) > 0)
		id_close(fuse, id);
	if (fd != -1)
		(void)close(fd);
	if (id <= 0)
		return;
	s->fs->keeper = (struct keeper){ keep, drop, s->fs };
	atomic_store(&s->fs->keeper_fd, fuse);
	s->fs->world.keeper = &s->fs->keeper;
}

void
backing_end(struct session *s)
{
	atomic_store(&s->fs->keeper_fd, -1);
}

/* Files that the kernel cannot have (hugetlbfs) are the daemon's to read. */
int
backing_id(struct session *s, const struct node *n, uint64_t memory)
{
	int fd, id;

	if ((fd = node_memory_file(n, memory)) < 0)
		return fd;
	id = id_open(fuse_session_fd(s->se), fd);
	(void)close(fd);
	return id == -EOPNOTSUPP ? 0 : id;
}

void
backing_drop(struct session *s, int id)
{
	if (id > 0)
		id_close(fuse_session_fd(s->se), id);
}
