/* SPDX-License-Identifier: MIT */
/* core/mem: memory of the daemon's own, of others, its locks and its end. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem.h"
#include "tap.h"

#define LOCK_LIMIT (8 << 20)
#define NOBODY     65534
#define NO_LIMITS  99 /* exit status: a limit cannot be set */
#define NR_HUGE    "/proc/sys/vm/nr_hugepages"
#define HUGE_PAGE  (UINT64_C(2) << 20)
#define HUGE_COUNT 4

static int
memfd(size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd == -1 || ftruncate(fd, (off_t)size) == -1)
		bail_out("memfd: %s", strerror(errno));
	return fd;
}

static bool
all_zero(const char *buf, size_t n)
{
	while (n > 0)
		if (buf[--n] != 0)
			return false;
	return true;
}

static void
test_new(void)
{
	struct mem m;
	struct stat st;
	struct err e = { 0 };
	int seals;

	is_int(mem_new(&m, 5000, 0, &e), 0, "5000 bytes are made");
	ok(fstat(m.fd, &st) == 0 && st.st_size == 5000, "the file has 5000");
	is_int((long long)m.map_size, 8192, "whole pages are mapped");
	is_int((long long)m.page, 4096, "pages are ordinary");
	ok(m.writable && !m.foreign && !m.locked, "own and writable");
	is_int(st.st_blocks, 16, "the pages are there");
	seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
	is_int(fcntl(m.fd, F_GET_SEALS), seals, "it is sealed");
	is_int(ftruncate(m.fd, 0), -1, "nobody can truncate it");
	is_int(pwrite(m.fd, "x", 1, 5000), -1, "nobody can make it grow");
	is_int(fcntl(m.fd, F_GETFD), FD_CLOEXEC, "no child gets it");
	mem_free(&m);
}

static void
test_read_write(void)
{
	struct mem m;
	struct err e = { 0 };
	char buf[6000];

	if (mem_new(&m, 5000, 0, &e) < 0)
		bail_out("mem_new: %s", e.text);
	memset(buf, 1, sizeof(buf));
	is_int(mem_read(&m, buf, sizeof(buf), 0, &e), 5000,
	    "the region's end shortens a read");
	ok(all_zero(buf, 5000), "new memory is zero");
	is_int(mem_read(&m, buf, 1, 5000, &e), 0, "the end reads as end");
	is_int(mem_read(&m, buf, 1, UINT64_MAX, &e), 0, "so does beyond it");
	is_int(mem_write(&m, "hello", 5, 4998, &e), 2,
	    "the region's end shortens a write");
	is_int(mem_read(&m, buf, 10, 4996, &e), 4, "it reads back");
	ok(memcmp(buf, "\0\0he", 4) == 0, "what was written");
	ok(memcmp((char *)m.addr + 4998, "he", 2) == 0,
	    "and it is what a device sees");
	is_int(mem_write(&m, "x", 1, 5000, &e), -EFBIG, "no write past it");
	has_str(e.text, "5000", "the text has the length");
	is_int(mem_write(&m, "x", 0, 5000, &e), 0, "0 bytes are none");
	mem_free(&m);
}

static void
test_end(void)
{
	struct mem m, zero = { 0 };
	struct err e = { 0 };
	char buf[5000];
	char *map;
	int fd;

	if (mem_new(&m, sizeof(buf), 0, &e) < 0)
		bail_out("mem_new: %s", e.text);
	memset(buf, 'x', sizeof(buf));
	(void)mem_write(&m, buf, sizeof(buf), 0, &e);
	fd = dup(m.fd);
	map = mmap(NULL, sizeof(buf), PROT_READ, MAP_SHARED, fd, 0);
	mem_free(&m);
	is_int(pread(fd, buf, sizeof(buf), 0), sizeof(buf),
	    "a descriptor outlives the memory");
	ok(all_zero(buf, sizeof(buf)), "and reads zeros");
	ok(all_zero(map, sizeof(buf)), "so does a mapping");
	(void)munmap(map, sizeof(buf));
	(void)close(fd);
	mem_free(&m);
	mem_free(&zero);
	ok(fcntl(0, F_GETFD) != -1 || errno == EBADF,
	    "ending it twice, or a zeroed one, does nothing");
}

static void
test_refused_sizes(void)
{
	static const struct {
		uint64_t length, page;
		int want;
		const char *arg, *text;
	} cases[] = {
		{ UINT64_C(1) << 50, 0, -ENOMEM, "length",
		    "need 1125899906842624 bytes of memory, " },
		{ UINT64_MAX, 0, -ENOMEM, "length", "18446744073709551615" },
		{ UINT64_MAX - 4095, 0, -ENOMEM, "length", "need" },
		{ 4096, 12345, -EINVAL, "huge", "12345" },
		{ 4096, 4096, -EINVAL, "huge", "4096" },
		{ 4096, 1, -EINVAL, "huge", "of this machine" },
	};
	struct mem m = { 0 };
	size_t i;

	for (i = 0; i < NELEM(cases); i++) {
		struct err e = { 0 };

		is_int(mem_new(&m, cases[i].length, cases[i].page, &e),
		    cases[i].want, "refused: %s", cases[i].text);
		is_str(e.arg, cases[i].arg, "the argument to blame");
		has_str(e.text, cases[i].text, "the number in the text");
	}
}

/* Asks for n huge pages, and gives how many there were.  -1: cannot. */
static long
set_huge(long n)
{
	char buf[32];
	long before;
	FILE *f;

	if ((f = fopen(NR_HUGE, "r+")) == NULL)
		return -1;
	before = fgets(buf, sizeof(buf), f) != NULL ? atol(buf) : -1;
	rewind(f);
	(void)fprintf(f, "%ld\n", n);
	(void)fclose(f);
	return before;
}

static void
test_huge_memory(void)
{
	struct mem m;
	struct err e = { 0 };
	uint64_t pa = 1;
	char buf[8] = "";

	if (mem_new(&m, HUGE_PAGE + 1, HUGE_PAGE, &e) < 0) {
		skip("no huge pages: %s", e.text);
		return;
	}
	is_int((long long)m.map_size, 2 * HUGE_PAGE, "two huge pages");
	is_int((long long)m.page, HUGE_PAGE, "the page is huge");
	is_int(mem_write(&m, "hello", 6, HUGE_PAGE - 5, &e), 6,
	    "huge memory is written");
	is_int(mem_read(&m, buf, 8, HUGE_PAGE - 5, &e), 6, "and read");
	is_str(buf, "hello", "and reads back");
	is_int(mem_lock(&m, &e), 0, "and locked");
	if (mem_physical(&m, HUGE_PAGE - 1, &pa, &e) == 0)
		is_int((long long)(pa % HUGE_PAGE), 0,
		    "a huge page's address is its first byte's");
	mem_free(&m);
	is_int(mem_new(&m, HUGE_PAGE << 20, HUGE_PAGE, &e), -ENOMEM,
	    "a million huge pages are refused");
	has_str(e.text, "need 1048576 huge pages of 2097152 bytes, ",
	    "with the need and what is there");
}

static void
test_foreign_huge(void)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_HUGETLB);
	struct mem m;
	struct err e = { 0 };
	char c = 0;

	if (fd == -1 || ftruncate(fd, HUGE_PAGE) == -1 ||
	    mem_from_fd(&m, fd, 4100, 100, &e) < 0) {
		skip("no foreign huge pages: %s", e.text);
		return;
	}
	is_int((long long)m.page, HUGE_PAGE, "a foreign huge page is found");
	is_int((char *)m.addr - (char *)m.map, 4100, "mapped from its start");
	is_int(mem_write(&m, "x", 1, 99, &e), 1, "it is written");
	ok(mem_read(&m, &c, 1, 99, &e) == 1 && c == 'x', "and read");
	mem_free(&m);
}

static void
test_huge(void)
{
	long before = set_huge(HUGE_COUNT);

	test_huge_memory();
	test_foreign_huge();
	if (before >= 0)
		(void)set_huge(before);
}

static int
a_pipe(void)
{
	int fd[2];

	if (pipe(fd) == -1)
		return -1;
	(void)close(fd[1]);
	return fd[0];
}

static int
a_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int
an_eventfd(void)
{
	return eventfd(0, 0);
}

static int
a_directory(void)
{
	return open("/", O_RDONLY | O_DIRECTORY);
}

static int
a_device(void)
{
	return open("/dev/null", O_RDWR);
}

static int
a_proc_file(void)
{
	return open("/proc/self/status", O_RDONLY);
}

/* A memfd that is opened anew with flags. */
static int
reopened(int flags)
{
	int fd = memfd(8192), again;
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, flags);
	(void)close(fd);
	return again;
}

static int
a_place(void)
{
	return reopened(O_PATH);
}

static int
write_only(void)
{
	return reopened(O_WRONLY);
}

static int
no_descriptor(void)
{
	return 1000000;
}

static void
test_foreign_refused(void)
{
	static const struct {
		int (*make)(void);
		const char *text;
	} cases[] = {
		{ a_pipe, "a pipe is not memory" },
		{ a_socket, "a socket is not memory" },
		{ an_eventfd, "an anonymous file of the kernel's" },
		{ a_directory, "a directory is not memory" },
		{ a_device, "a character device is not memory" },
		{ a_proc_file, "a regular file on proc is not memory" },
		{ a_place, "O_PATH" },
		{ write_only, "for writing only" },
		{ no_descriptor, "not a descriptor" },
	};
	struct mem m = { 0 };
	size_t i;
	int fd;

	for (i = 0; i < NELEM(cases); i++) {
		struct err e = { 0 };

		fd = cases[i].make();
		is_int(mem_from_fd(&m, fd, 0, 0, &e), -EINVAL, "refused: %s",
		    cases[i].text);
		has_str(e.text, cases[i].text, "the text says what it is");
		is_str(e.arg, "fd", "the descriptor is to blame");
		ok(i == NELEM(cases) - 1 || fcntl(fd, F_GETFD) != -1,
		    "it stays the caller's");
		(void)close(fd);
	}
}

static void
test_foreign_ranges(void)
{
	static const struct {
		uint64_t offset, length;
		const char *blame; /* NULL: it is taken */
		uint64_t want; /* length then */
	} cases[] = {
		{ 0, 0, NULL, 10000 },
		{ 0, 10000, NULL, 10000 },
		{ 5000, 0, NULL, 5000 },
		{ 5000, 100, NULL, 100 },
		{ 9999, 1, NULL, 1 },
		{ 4095, 2, NULL, 2 },
		{ 10000, 0, "offset", 0 },
		{ UINT64_MAX, 1, "offset", 0 },
		{ 0, 10001, "length", 0 },
		{ 9999, 2, "length", 0 },
		{ 1, UINT64_MAX, "length", 0 },
	};
	size_t i;
	int fd;

	for (i = 0; i < NELEM(cases); i++) {
		struct err e = { 0 };
		struct mem m = { 0 };

		fd = memfd(10000);
		is_int(
		    mem_from_fd(&m, fd, cases[i].offset, cases[i].length, &e),
		    cases[i].blame == NULL ? 0 : -EINVAL, "range %zu", i);
		is_str(e.arg, cases[i].blame, "what is to blame");
		is_int((long long)m.length, (long long)cases[i].want,
		    "the length");
		ok(((uintptr_t)m.addr & 4095) == (cases[i].offset & 4095) ||
			cases[i].blame != NULL,
		    "the address has the offset's low bits");
		ok((char *)m.addr + m.length <= (char *)m.map + m.map_size,
		    "the mapping has all of it");
		if (cases[i].blame != NULL)
			(void)close(fd);
		mem_free(&m);
	}
}

static void
test_foreign_io(void)
{
	int fd = memfd(10000), peer = dup(fd);
	struct mem m, apart;
	struct err e = { 0 };
	char buf[16] = "";

	(void)pwrite(peer, "x", 1, 0);
	(void)fcntl(peer, F_SETFL, O_APPEND);
	if (mem_from_fd(&m, fd, 5000, 100, &e) < 0)
		bail_out("mem_from_fd: %s", e.text);
	is_int(mem_write(&m, "hello", 5, 97, &e), 3, "shortened at the end");
	is_int(lseek(peer, 0, SEEK_END), 10000,
	    "a descriptor set to append does not append");
	is_int(pread(peer, buf, 5, 5097), 5, "its owner reads");
	ok(memcmp(buf, "hel\0\0", 5) == 0, "what was written, there");
	is_int(mem_read(&m, buf, 16, 96, &e), 4, "so do we");
	apart = m;
	apart.map = NULL;
	apart.addr = NULL;
	is_int(mem_write(&apart, "HEL", 3, 97, &e), 3,
	    "without the region's mapping");
	is_int(pread(peer, buf, 4, 5097), 4, "its owner reads that");
	ok(memcmp(buf, "HEL\0", 4) == 0, "where it was written");
	is_int(mem_write(&m, "hel", 3, 97, &e), 3, "and back");
	mem_free(&m);
	is_int(pread(peer, buf, 3, 5097), 3, "its end");
	ok(memcmp(buf, "hel", 3) == 0, "leaves the owner's bytes alone");
	is_int(pread(peer, buf, 1, 0), 1, "also those");
	ok(buf[0] == 'x', "that were not the region's");
	(void)close(peer);
}

static void
test_truncated(void)
{
	int fd = memfd(8192), peer = dup(fd);
	struct mem m;
	struct err e = { 0 };
	char buf[8192];

	if (mem_from_fd(&m, fd, 0, 0, &e) < 0)
		bail_out("mem_from_fd: %s", e.text);
	(void)ftruncate(peer, 4096);
	is_int(mem_read(&m, buf, 8192, 0, &e), 4096, "what is left is read");
	is_int(mem_read(&m, buf, 1, 4096, &e), -ENODATA, "the rest is not");
	has_str(e.text, "truncated by its owner", "the text says why");
	is_int(mem_write(&m, "xy", 2, 4095, &e), 1, "the same for writing");
	is_int(mem_write(&m, "x", 1, 4096, &e), -ENODATA, "nor is the rest");
	is_int(lseek(peer, 0, SEEK_END), 4096, "the file does not grow again");
	is_int(mem_lock(&m, &e), -EFAULT, "and cannot be locked");
	has_str(e.text, "truncated by its owner", "for the same reason");
	ok(!m.locked, "nothing is locked");
	mem_free(&m);
	(void)close(peer);
}

static void
test_read_only(void)
{
	struct mem m;
	struct err e = { 0 };
	int fd;

	fd = reopened(O_RDONLY);
	is_int(mem_from_fd(&m, fd, 0, 0, &e), 0, "a read-only file is taken");
	ok(!m.writable, "and is not writable");
	is_int(mem_write(&m, "x", 1, 0, &e), -EACCES, "nor written");
	is_int(mem_lock(&m, &e), 0, "but locked");
	mem_free(&m);

	fd = memfd(4096);
	(void)fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
	is_int(mem_from_fd(&m, fd, 0, 0, &e), 0, "a sealed file is taken");
	ok(!m.writable, "and is not writable");
	mem_free(&m);
}

static void
test_lock(void)
{
	uint64_t before, after, pinned, limit, a, b;
	struct mem m;
	struct err e = { 0 };

	if (mem_new(&m, 20 << 20, 0, &e) < 0)
		bail_out("mem_new: %s", e.text);
	mem_usage(&before, &pinned, &limit);
	if (limit - before < m.length) {
		skip("the lock limit is %llu", (unsigned long long)limit);
		mem_free(&m);
		return;
	}
	is_int(mem_lock(&m, &e), 0, "20 MiB are locked");
	is_int(mem_lock(&m, &e), 0, "once, however often one asks");
	mem_usage(&after, &pinned, &limit);
	is_int((long long)(after - before), 20 << 20, "the kernel agrees");
	if (mem_physical(&m, 0, &a, &e) == 0 &&
	    mem_physical(&m, 4096, &b, &e) == 0)
		ok(a != b && a % 4096 == 0 && b % 4096 == 0,
		    "two pages are in two places");
	else
		skip("%s", e.text);
	mem_free(&m);
	mem_usage(&after, &pinned, &limit);
	is_int((long long)after, (long long)before, "the end unlocks");
}

/* Runs f as a user without privileges, with these limits. */
static int
as_nobody(int (*f)(void), int resource, rlim_t value)
{
	struct rlimit rl = { value, value };
	int status;
	pid_t pid;

	(void)fflush(stdout);
	if ((pid = fork()) == 0) {
		if (setrlimit(resource, &rl) == -1 ||
		    (geteuid() == 0 && setuid(NOBODY) == -1))
			_exit(NO_LIMITS);
		_exit(f());
	}
	if (pid == -1 || waitpid(pid, &status, 0) != pid || status & 0x7f)
		return -1;
	return WEXITSTATUS(status);
}

/* Each returns the number of the step that failed, 0: none. */
static int
over_the_limit(void)
{
	uint64_t locked, pinned, limit;
	struct mem m;
	struct err e = { 0 };

	mem_usage(&locked, &pinned, &limit);
	if (limit != LOCK_LIMIT || locked != 0)
		return 1;
	if (mem_new(&m, 20 << 20, 0, &e) < 0)
		return 2;
	if (mem_lock(&m, &e) != -ENOMEM || m.locked)
		return 3;
	if (strcmp(e.text, "need 20971520 bytes of locked memory, the limit "
			   "(RLIMIT_MEMLOCK) is 8388608 and 0 are locked "
			   "now") != 0)
		return 4;
	mem_usage(&locked, &pinned, &limit);
	return locked == 0 ? 0 : 5;
}

static int
no_physical(void)
{
	uint64_t pa;
	struct mem m;
	struct err e = { 0 };

	if (mem_new(&m, 4096, 0, &e) < 0)
		return 1;
	if (mem_physical(&m, 0, &pa, &e) != -ENODATA)
		return 2;
	return strstr(e.text, "CAP_SYS_ADMIN") != NULL ? 0 : 3;
}

static int
no_descriptors(void)
{
	struct mem m;
	struct err e = { 0 };

	return mem_new(&m, 4096, 0, &e) == -ENOMEM &&
		       strstr(e.text, "RLIMIT_NOFILE") != NULL
		   ? 0
		   : 1;
}

static void
test_limits(void)
{
	static const struct {
		int (*f)(void);
		int resource;
		rlim_t value;
		const char *what;
	} cases[] = {
		{ over_the_limit, RLIMIT_MEMLOCK, LOCK_LIMIT,
		    "over the lock limit: the numbers, nothing is locked" },
		{ no_physical, RLIMIT_MEMLOCK, LOCK_LIMIT,
		    "physical addresses are not for everybody" },
		{ no_descriptors, RLIMIT_NOFILE, 3,
		    "no descriptor left: ENOMEM with the limit" },
	};
	size_t i;
	int r;

	for (i = 0; i < NELEM(cases); i++) {
		r = as_nobody(cases[i].f, cases[i].resource, cases[i].value);
		if (r == NO_LIMITS)
			skip("limits cannot be set: %s", cases[i].what);
		else
			is_int(r, 0, "%s", cases[i].what);
	}
}

int
main(void)
{
	test_new();
	test_read_write();
	test_end();
	test_refused_sizes();
	test_huge();
	test_foreign_refused();
	test_foreign_ranges();
	test_foreign_io();
	test_truncated();
	test_read_only();
	test_lock();
	test_limits();
	return done_testing();
}
