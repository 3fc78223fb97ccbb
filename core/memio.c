/* SPDX-License-Identifier: MIT */
/* The bytes of a region's memory, through its file, and where they are; see
 * mem.h. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mem.h"
#include "memfile.h"
#include "sysmem.h"

int64_t
mem_present(const struct mem *m, struct err *e)
{
	uint64_t size;
	struct stat st;

	if (!m->foreign)
		return (int64_t)m->length;
	if (fstat(m->fd, &st) == -1)
		return fail(e, errno, "fstat: %s", strerror(errno));
	size = (uint64_t)st.st_size;
	if (size <= m->offset)
		return 0;
	return (int64_t)MIN(size - m->offset, m->length);
}

/*
 * How much of n bytes at off can be had: 0 past the end of the region, an
 * error past the end of a file that has been truncated.
 */
static int64_t
clip(const struct mem *m, size_t n, uint64_t off, struct err *e)
{
	int64_t have;

	if (off >= m->length || n == 0)
		return 0;
	if ((have = mem_present(m, e)) < 0)
		return have;
	if (off >= (uint64_t)have)
		return fail(e, ENODATA, TRUNCATED);
	return (int64_t)MIN(MIN(n, (uint64_t)have - off), SSIZE_MAX);
}

/* Without a descriptor by way of the mapping, which costs less than to open
 * the file. */
static ssize_t
read_some(const struct mem *m, char *buf, size_t n, uint64_t off)
{
	struct iovec to = { .iov_base = buf, .iov_len = n };
	struct iovec from = { .iov_base = (char *)m->addr + off, .iov_len = n };

	if (m->fd != -1)
		return pread(m->fd, buf, n, (off_t)(m->offset + off));
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0);
}

/* By way of a mapping, but by the kernel, which says EFAULT where a store here
 * would be SIGBUS. */
static ssize_t
write_at(void *at, char *buf, size_t n)
{
	struct iovec from = { .iov_base = buf, .iov_len = n };
	struct iovec to = { .iov_base = at, .iov_len = n };

	return process_vm_writev(getpid(), &from, 1, &to, 1, 0);
}

/* By a mapping for as long as this takes. */
static ssize_t
write_mapped(const struct mem *m, char *buf, size_t n, uint64_t off)
{
	const uint64_t at = m->offset + off, skip = at % m->page;
	const size_t size = (skip + n + m->page - 1) / m->page * m->page;
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd,
	    (off_t)(at - skip));
	int saved;
	ssize_t r;

	if (map == MAP_FAILED)
		return -1;
	r = write_at((char *)map + skip, buf, n);
	saved = errno;
	(void)munmap(map, size);
	errno = saved;
	return r;
}

/*
 * hugetlbfs has no write(2), and a descriptor of somebody else's may be set
 * to append: those are written by way of a mapping.
 */
static ssize_t
write_some(const struct mem *m, char *buf, size_t n, uint64_t off)
{
	if (m->fd != -1 && !m->foreign && m->page == mem_page())
		return pwrite(m->fd, buf, n, (off_t)(m->offset + off));
	if (m->map == NULL)
		return write_mapped(m, buf, n, off);
	return write_at((char *)m->addr + off, buf, n);
}

static ssize_t
transfer_by(const struct mem *m,
    ssize_t (*some)(const struct mem *m, char *buf, size_t n, uint64_t off),
    char *buf, size_t n, uint64_t off, struct err *e)
{
	size_t done = 0;
	ssize_t r;

	while (done < n) {
		r = some(m, buf + done, n - done, off + done);
		if (r > 0) {
			done += (size_t)r;
			continue;
		}
		if (r == -1 && errno == EINTR)
			continue;
		if (done > 0)
			break;
		if (r == 0 || errno == EFAULT)
			return fail(e, ENODATA, TRUNCATED);
		return fail(
		    e, errno, "the region's memory: %s", strerror(errno));
	}
	return (ssize_t)done;
}

/* What has neither a mapping nor a descriptor gets one for as long. */
static ssize_t
transfer(const struct mem *m,
    ssize_t (*some)(const struct mem *m, char *buf, size_t n, uint64_t off),
    char *buf, size_t n, uint64_t off, struct err *e)
{
	struct mem opened = *m;
	ssize_t r;

	if (m->fd != -1 || m->map != NULL)
		return transfer_by(m, some, buf, n, off, e);
	if ((opened.fd = mem_open(m)) < 0)
		return fail(e, -opened.fd, "the region's memory: %s",
		    strerror(-opened.fd));
	r = transfer_by(&opened, some, buf, n, off, e);
	(void)close(opened.fd);
	return r;
}

int
mem_open(const struct mem *m)
{
	union {
		struct file_handle h;
		char room[sizeof(struct file_handle) + sizeof(m->handle.words)];
	} u = { .h = { .handle_bytes = sizeof(m->handle.words),
		    .handle_type = m->handle.type } };
	int fd;

	if (m->fd != -1) {
		fd = fcntl(m->fd, F_DUPFD_CLOEXEC, 0);
	} else {
		memcpy(u.h.f_handle, m->handle.words, sizeof(m->handle.words));
		fd = open_by_handle_at(
		    m->handle.mount, &u.h, O_RDWR | O_CLOEXEC);
	}
	if (fd >= 0)
		return fd;
	return errno == ESTALE || errno == EBADF ? -ENODATA : -ENOMEM;
}

int
mem_close(struct mem *m, int mount)
{
	union {
		struct file_handle h;
		char room[sizeof(struct file_handle) + sizeof(m->handle.words)];
	} u = { .h = { .handle_bytes = sizeof(m->handle.words) } };
	int id;

	assert(!m->foreign && m->fd != -1);
	if (name_to_handle_at(m->fd, "", &u.h, &id, AT_EMPTY_PATH) == -1)
		return -errno;
	if (u.h.handle_bytes != sizeof(m->handle.words))
		return -EOPNOTSUPP;
	m->handle.mount = mount;
	m->handle.type = u.h.handle_type;
	memcpy(m->handle.words, u.h.f_handle, sizeof(m->handle.words));
	(void)close(m->fd);
	m->fd = -1;
	return 0;
}

ssize_t
mem_read(const struct mem *m, void *buf, size_t n, uint64_t off, struct err *e)
{
	int64_t have = clip(m, n, off, e);

	if (have <= 0)
		return (ssize_t)have;
	return transfer(m, read_some, buf, (size_t)have, off, e);
}

ssize_t
mem_write(
    const struct mem *m, const void *buf, size_t n, uint64_t off, struct err *e)
{
	int64_t have;

	if (!m->writable)
		return fail(e, EACCES,
		    "the memory is read-only: its owner opened or sealed it"
		    " so");
	if (off >= m->length && n > 0)
		return fail(e, EFBIG,
		    "byte %" PRIu64 " is past the end: the region has %" PRIu64
		    " bytes",
		    off, m->length);
	if ((have = clip(m, n, off, e)) <= 0)
		return (ssize_t)have;
	return transfer(
	    m, write_some, (char *)(uintptr_t)buf, (size_t)have, off, e);
}

int
mem_physical(const struct mem *m, uint64_t off, uint64_t *pa, struct err *e)
{
	uint64_t frame;

	assert(off < m->length);
	if (m->map == NULL)
		return fail(e, ENODATA,
		    "byte %" PRIu64 " has no lasting address: this region's"
		    " pages are not locked (M1)",
		    off);
	if ((frame = sysmem_frame((const char *)m->addr + off)) == 0)
		return fail(e, ENODATA,
		    "the kernel does not tell where byte %" PRIu64
		    " is (CAP_SYS_ADMIN is missing, or the page is gone)",
		    off);
	*pa = frame * mem_page() & ~(m->page - 1);
	return 0;
}
