/* SPDX-License-Identifier: MIT */
/*
 * The memory behind regions: makes, maps, locks and ends it; see mem.h.  Which
 * files of others may be memory is memfile.c's to say, its bytes are memio.c's.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/memfd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/param.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mem.h"
#include "memfile.h"
#include "sysmem.h"

/* What one call of the kernel may work on while others wait: 8 MiB. */
#define PIECE (UINT64_C(8) << 20)

/* Calls step for each piece of the mapping.  Returns 0 or the first -errno. */
static int
each_piece(const struct mem *m,
    int (*step)(const struct mem *m, uint64_t off, uint64_t n))
{
	uint64_t off, n;

	for (off = 0; off < m->map_size; off += n) {
		n = MIN(MAX(PIECE, m->page), m->map_size - off);
		if (step(m, off, n) == -1)
			return -errno;
	}
	return 0;
}

/* The last page may reach past the end of the file: its size stays. */
static int
allocate_piece(const struct mem *m, uint64_t off, uint64_t n)
{
	int r;

	do
		r = fallocate(m->fd, FALLOC_FL_KEEP_SIZE, (off_t)off, (off_t)n);
	while (r == -1 && errno == EINTR);
	return r;
}

/* By syscall(2), because the sanitizers make mlock(2) do nothing. */
static int
lock_piece(const struct mem *m, uint64_t off, uint64_t n)
{
	return (int)syscall(SYS_mlock, (char *)m->map + off, n);
}

static int
unlock_piece(const struct mem *m, uint64_t off, uint64_t n)
{
	return (int)syscall(SYS_munlock, (char *)m->map + off, n);
}

static int
end_piece(const struct mem *m, uint64_t off, uint64_t n)
{
	if (!m->foreign)
		(void)fallocate(m->fd,
		    FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off,
		    (off_t)n);
	return m->map == NULL ? 0 : munmap((char *)m->map + off, n);
}

/* Sets what must be allocated and mapped, and refuses the impossible. */
static int
own_size(struct mem *m, uint64_t available, struct err *e)
{
	uint64_t size;

	if (__builtin_add_overflow(m->length, m->page - 1, &size) ||
	    size > INT64_MAX)
		return fail_at(e, "length", ENOMEM,
		    "need %" PRIu64 " bytes, more than any file can have",
		    m->length);
	m->map_size = size - size % m->page;
	if (m->page == mem_page() && m->map_size > available)
		return fail_at(e, "length", ENOMEM,
		    "need %" PRIu64 " bytes of memory, %" PRIu64
		    " are available",
		    m->map_size, available);
	return 0;
}

static int
own_page(struct mem *m, uint64_t page, uint64_t *unused, struct err *e)
{
	char sizes[128];

	m->page = page != 0 ? page : mem_page();
	if (page == 0 || sysmem_huge(page, unused))
		return 0;
	sysmem_huge_sizes(sizes, sizeof(sizes));
	return fail_at(e, "huge", EINVAL,
	    "%" PRIu64 " is not the size of a huge page of this machine: %s",
	    page, sizes);
}

/* A region holds a descriptor of the daemon's: not one of the client's. */
static int
mem_no_memfd(int code, struct err *e)
{
	struct rlimit lim = { 0 };

	if (code == ENFILE)
		return fail(e, ENOMEM,
		    "no descriptor is left for a region: this machine may have"
		    " %" PRIu64 " (fs.file-max)",
		    sysmem_sysctl("/proc/sys/fs/file-max"));
	if (code != EMFILE)
		return fail(e, code, "memfd_create: %s", strerror(code));
	(void)getrlimit(RLIMIT_NOFILE, &lim);
	return fail(e, ENOMEM,
	    "no descriptor is left for a region: rdmafs may have %llu "
	    "(RLIMIT_NOFILE)",
	    (unsigned long long)lim.rlim_cur);
}

static int
own_file(struct mem *m, bool huge, struct err *e)
{
	unsigned shift = (unsigned)__builtin_ctzll(m->page) << MFD_HUGE_SHIFT;
	unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	uint64_t size = huge ? m->map_size : m->length;

	if (huge)
		flags |= MFD_HUGETLB | shift;
	if ((m->fd = memfd_create("rdmafs", flags)) == -1)
		return mem_no_memfd(errno, e);
	if (ftruncate(m->fd, (off_t)size) == -1)
		return fail(e, errno,
		    "cannot make a memfd of %" PRIu64 " bytes: %s", size,
		    strerror(errno));
	return 0;
}

static int
own_pages(struct mem *m, uint64_t unused, struct err *e)
{
	int r = each_piece(m, allocate_piece);

	if (r == 0)
		return 0;
	if (r != -ENOMEM && r != -ENOSPC)
		return fail(e, -r, "cannot allocate %" PRIu64 " bytes: %s",
		    m->map_size, strerror(-r));
	if (m->page == mem_page())
		return fail_at(e, "length", ENOMEM,
		    "need %" PRIu64 " bytes of memory, the kernel has not got"
		    " them",
		    m->map_size);
	return fail_at(e, "huge", ENOMEM,
	    "need %" PRIu64 " huge pages of %" PRIu64 " bytes, %" PRIu64
	    " are free",
	    m->map_size / m->page, m->page, unused);
}

/*
 * Nobody who is handed the file can pull pages from under the mapping, or
 * make it grow by writing past its end.
 */
static int
own_seal(struct mem *m, struct err *e)
{
	int seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

	if (fcntl(m->fd, F_ADD_SEALS, seals) == -1)
		return fail(
		    e, errno, "cannot seal a memfd: %s", strerror(errno));
	return 0;
}

int
mem_map(struct mem *m, struct err *e)
{
	int prot = m->writable ? PROT_READ | PROT_WRITE : PROT_READ;
	uint64_t start = m->offset - m->offset % m->page;
	void *map;

	map = mmap(NULL, m->map_size, prot, MAP_SHARED, m->fd, (off_t)start);
	if (map == MAP_FAILED)
		return fail(e, errno,
		    "cannot map %" PRIu64 " bytes (RLIMIT_AS,"
		    " vm.max_map_count): %s",
		    m->map_size, strerror(errno));
	m->map = map;
	m->addr = (char *)map + (m->offset - start);
	return 0;
}

uint64_t
mem_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

int
mem_make(struct mem *m, uint64_t length, uint64_t page, bool map,
    uint64_t available, struct err *e)
{
	struct mem own = { .fd = -1, .writable = true, .length = length };
	uint64_t unused = 0;
	int r;

	assert(length > 0);
	if ((r = own_page(&own, page, &unused, e)) < 0 ||
	    (r = own_size(&own, available, e)) < 0 ||
	    (r = own_file(&own, page != 0, e)) < 0 ||
	    (r = own_pages(&own, unused, e)) < 0 ||
	    (r = own_seal(&own, e)) < 0 ||
	    (map && (r = mem_map(&own, e)) < 0)) {
		mem_free(&own);
		return r;
	}
	*m = own;
	return 0;
}

int
mem_new(struct mem *m, uint64_t length, uint64_t page, struct err *e)
{
	return mem_make(m, length, page, true, sysmem_available(), e);
}

void
mem_free(struct mem *m)
{
	if (m->length == 0)
		return;
	if (m->map != NULL || m->fd != -1)
		(void)each_piece(m, end_piece);
	if (m->fd != -1)
		(void)close(m->fd);
	*m = (struct mem){ .fd = -1 };
}

/* mlock(2) says ENOMEM, EAGAIN or EPERM for each of these. */
static int
lock_refused(const struct mem *m, int r, struct err *e)
{
	uint64_t locked, pinned, limit;
	int64_t have = mem_present(m, NULL);

	if (have >= 0 && (uint64_t)have < m->length)
		return fail(e, EFAULT, TRUNCATED);
	mem_usage(&locked, &pinned, &limit);
	if (locked > limit || m->map_size > limit - locked)
		return fail(e, ENOMEM,
		    "need %" PRIu64 " bytes of locked memory, the limit"
		    " (RLIMIT_MEMLOCK) is %" PRIu64 " and %" PRIu64
		    " are locked now",
		    m->map_size, limit, locked);
	return fail(e, ENOMEM,
	    "the kernel cannot lock %" PRIu64 " bytes (%s), %" PRIu64
	    " bytes are locked now",
	    m->map_size, strerror(-r), locked);
}

int
mem_lock(struct mem *m, struct err *e)
{
	int r;

	if (m->locked || m->map == NULL)
		return 0;
	if ((r = each_piece(m, lock_piece)) < 0) {
		(void)each_piece(m, unlock_piece);
		return lock_refused(m, r, e);
	}
	m->locked = true;
	return 0;
}
