/* SPDX-License-Identifier: MIT */
/*
 * Memory that is somebody else's file: which files may be a region's memory,
 * and what the others are; see mem.h.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "memfile.h"
#include "types.h"

static const struct name file_systems[] = {
	{ "btrfs", BTRFS_SUPER_MAGIC },
	{ "ecryptfs", ECRYPTFS_SUPER_MAGIC },
	{ "exfat", EXFAT_SUPER_MAGIC },
	{ "ext4", EXT4_SUPER_MAGIC },
	{ "f2fs", F2FS_SUPER_MAGIC },
	{ "fuse", FUSE_SUPER_MAGIC },
	{ "nfs", NFS_SUPER_MAGIC },
	{ "overlay", OVERLAYFS_SUPER_MAGIC },
	{ "proc", PROC_SUPER_MAGIC },
	{ "ramfs", RAMFS_MAGIC },
	{ "secretmem", SECRETMEM_MAGIC },
	{ "sysfs", SYSFS_MAGIC },
	{ "vfat", MSDOS_SUPER_MAGIC },
	{ "xfs", XFS_SUPER_MAGIC },
	{ "9p", V9FS_MAGIC },
	{ NULL, 0 },
};

static const struct name file_types[] = {
	{ "a directory", S_IFDIR },
	{ "a pipe", S_IFIFO },
	{ "a socket", S_IFSOCK },
	{ "a character device", S_IFCHR },
	{ "a block device", S_IFBLK },
	{ "a symbolic link", S_IFLNK },
	{ NULL, 0 },
};

static int
refuse_file_system(uint32_t type, struct err *e)
{
	const char *name = name_of(file_systems, type);
	char number[32];

	(void)snprintf(
	    number, sizeof(number), "a file system 0x%" PRIx32, type);
	return fail_at(e, "fd", EINVAL,
	    "a regular file on %s is not memory:"
	    " it must be on tmpfs or hugetlbfs, or a memfd",
	    name != NULL ? name : number);
}

/* Sets m->page, if the file is of a kind that can be memory. */
static int
check_kind(struct mem *m, const struct stat *st, struct err *e)
{
	const char *type = name_of(file_types, st->st_mode & S_IFMT);
	struct statfs fs;

	if (!S_ISREG(st->st_mode))
		return fail_at(e, "fd", EINVAL,
		    "%s is not memory: it must be"
		    " a regular file on tmpfs or hugetlbfs, or a memfd",
		    type != NULL ? type : "an anonymous file of the kernel's");
	if (fstatfs(m->fd, &fs) == -1)
		return fail_at(e, "fd", errno, "fstatfs: %s", strerror(errno));
	if (fs.f_type == HUGETLBFS_MAGIC)
		m->page = (uint64_t)fs.f_bsize;
	else if (fs.f_type == TMPFS_MAGIC)
		m->page = mem_page();
	else
		return refuse_file_system((uint32_t)fs.f_type, e);
	return 0;
}

/* Sets m->writable, if the descriptor can at least be read. */
static int
check_mode(struct mem *m, struct err *e)
{
	int flags, seals;

	if ((flags = fcntl(m->fd, F_GETFL)) == -1)
		return fail_at(e, "fd", errno, "fcntl: %s", strerror(errno));
	if (flags & O_PATH)
		return fail_at(e, "fd", EINVAL,
		    "the descriptor is a mere place (O_PATH), not an open "
		    "file");
	if ((flags & O_ACCMODE) == O_WRONLY)
		return fail_at(
		    e, "fd", EINVAL, "the descriptor is open for writing only");
	if ((seals = fcntl(m->fd, F_GET_SEALS)) == -1)
		seals = 0;
	m->writable = (flags & O_ACCMODE) == O_RDWR &&
		      (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) == 0;
	return 0;
}

/* Sets m->length and map_size, if the range lies inside the file. */
static int
check_range(struct mem *m, uint64_t length, uint64_t size, struct err *e)
{
	if (m->offset >= size)
		return fail_at(e, "offset", EINVAL,
		    "offset %" PRIu64
		    " is not inside the file, which has %" PRIu64 " bytes",
		    m->offset, size);
	if (length > size - m->offset)
		return fail_at(e, "length", EINVAL,
		    "%" PRIu64 " bytes at offset %" PRIu64
		    " reach past the end of the file, which has %" PRIu64
		    " bytes",
		    length, m->offset, size);
	assert(m->page > 0);
	m->length = length != 0 ? length : size - m->offset;
	m->map_size = m->offset % m->page + m->length + m->page - 1;
	m->map_size -= m->map_size % m->page;
	return 0;
}

int
mem_from_fd(
    struct mem *m, int fd, uint64_t offset, uint64_t length, struct err *e)
{
	struct mem file = { .fd = fd, .foreign = true, .offset = offset };
	struct stat st;
	int r;

	if (fstat(fd, &st) == -1)
		return fail_at(
		    e, "fd", EINVAL, "not a descriptor: %s", strerror(errno));
	if ((r = check_kind(&file, &st, e)) < 0 ||
	    (r = check_mode(&file, e)) < 0 ||
	    (r = check_range(&file, length, (uint64_t)st.st_size, e)) < 0 ||
	    (r = mem_map(&file, e)) < 0)
		return r;
	*m = file;
	return 0;
}
