/* SPDX-License-Identifier: MIT */
/*
 * The memory behind a region: a sealed memfd of the daemon's own, or a file
 * of somebody else's, mapped once so that a device can pin it.  Knows nothing
 * of rights or devices.  The mapping is never read or written by the daemon:
 * the owner of a foreign file may truncate it, and a touch would be SIGBUS.
 *
 * Where there are more regions than descriptors or mappings, memory of the
 * daemon's own does without either (mems.h): what is mapped needs no
 * descriptor, and what is not has a keeper or a descriptor.
 */
#ifndef CORE_MEM_H
#define CORE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "err.h"

/* What opens a file again that has no descriptor: open_by_handle_at(2). */
struct mem_handle {
	int mount; /* a descriptor on its file system; not owned */
	int type;
	uint32_t words[3]; /* as long as those of tmpfs are */
};

struct mem {
	int fd; /* -1: none: mem_open() */
	int kept; /* the keeper's id of the file; 0: none */
	struct mem_handle handle; /* fd -1 */
	bool foreign; /* the file is somebody else's */
	bool writable; /* mapped for writing */
	bool locked; /* mem_lock() has been done */
	uint64_t offset; /* of the region's first byte in the file */
	uint64_t length; /* bytes of the region */
	uint64_t page; /* bytes of a page: 4096, or a huge page's size */
	/* Of the region's first byte in the mapping; without one a number
	 * that is the address of nothing. */
	void *addr;
	void *map; /* the mapping; page aligned, map <= addr; NULL: none */
	uint64_t map_size; /* bytes, whole pages, mapped or not */
};

/*
 * Makes zeroed memory: a memfd, sized, its pages allocated (fallocate), then
 * sealed against growing and shrinking (memfd_create(2)) and mapped.
 * Takes: length in bytes, > 0; page: 0 for ordinary pages or the size of a
 * huge page.  Returns 0 and m, which the caller gives to mem_free(), or
 * -EINVAL (not a huge page size of this machine, arg "huge"), -ENOMEM (with
 * need and what is there; more than MemAvailable is refused before anything
 * is allocated, because the kernel would rather kill than refuse; or no
 * descriptor is left).
 * Slow: it enters the kernel for each page.
 */
int mem_new(struct mem *m, uint64_t length, uint64_t page, struct err *e);

/*
 * Maps length bytes at offset of a file of somebody else's.
 * Takes fd, which the memory owns from then on, if and only if 0 is returned.
 * The file must be a regular one on tmpfs or hugetlbfs, a memfd among them;
 * anything else is -EINVAL and the text names what it is (arg "fd").
 * length 0: to the end of the file.  Past its end: -EINVAL (arg "length" or
 * "offset").  m->writable is false if fd is open read-only or sealed against
 * writing; a descriptor that cannot be read (O_WRONLY, O_PATH) is -EINVAL.
 */
int mem_from_fd(
    struct mem *m, int fd, uint64_t offset, uint64_t length, struct err *e);

/*
 * Locks the pages (mlock(2)) in pieces of 8 MiB, because one large mlock
 * keeps every other mmap of the process waiting.  Returns 0, -ENOMEM with
 * need, limit (RLIMIT_MEMLOCK) and what is locked now (M7), -EFAULT if the
 * file has been truncated.  On failure nothing is locked.  What is not mapped
 * stays unlocked, and that is no failure.
 */
int mem_lock(struct mem *m, struct err *e);

/* Bytes of pages that a device pins or locks: none without a mapping. */
static inline uint64_t
mem_pinned(const struct mem *m)
{
	return m->map != NULL ? m->map_size : 0;
}

/*
 * Its file, for the caller to close; m may end meanwhile.  Returns a
 * descriptor, or -ENOMEM (none is left), -ENODATA (m has ended).
 */
int mem_open(const struct mem *m);
/*
 * Closes the descriptor of memory of the daemon's own, after noting what
 * mem_open() needs; mount is a memfd.  Something else keeps the file.  Returns
 * 0, or -errno and it has its descriptor still.
 */
int mem_close(struct mem *m, int mount);

/*
 * Reads or writes the memory through its file, from byte off of the region.
 * The end of the region shortens them.  Return bytes, 0 at the end (for
 * writing: -EFBIG), or a negative errno.
 */
ssize_t
mem_read(const struct mem *m, void *buf, size_t n, uint64_t off, struct err *e);
ssize_t mem_write(const struct mem *m, const void *buf, size_t n, uint64_t off,
    struct err *e);

/*
 * The physical address of the page that holds byte off of the region, from
 * /proc/self/pagemap.  Returns 0 and *pa, -ENODATA if the kernel does not
 * tell (CAP_SYS_ADMIN is missing), or the page is not there or not mapped.
 */
int
mem_physical(const struct mem *m, uint64_t off, uint64_t *pa, struct err *e);

/*
 * Ends it: own memory is punched out of its memfd, so that descriptors and
 * mappings which are still open elsewhere read zeros; then unmapped, which
 * unlocks, and closed.  Slow for much memory.  Takes a zeroed struct too.
 */
void mem_free(struct mem *m);

/*
 * Bytes that this process has locked (VmLck) and pinned (VmPin, by devices)
 * and what RLIMIT_MEMLOCK allows (UINT64_MAX: no limit, or CAP_IPC_LOCK).
 */
void mem_usage(uint64_t *locked, uint64_t *pinned, uint64_t *limit);

#endif
