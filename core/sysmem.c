/* SPDX-License-Identifier: MIT */
/* Reads /proc and /sys for numbers about memory; see sysmem.h and mem.h. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"
#include "sysmem.h"

#define HUGEPAGES "/sys/kernel/mm/hugepages"

/* The inode of the first user namespace: PROC_USER_INIT_INO of the kernel. */
#define FIRST_USERNS 0xeffffffdu

/* A line of a file like /proc/meminfo. */
struct field {
	const char *key; /* "VmLck:" */
	int base;
	uint64_t value; /* 0 if there is no such line */
};

/* Fills in the fields that a file has.  Returns how many. */
static size_t
read_fields(const char *path, struct field *fields, size_t n)
{
	size_t i, found = 0;
	char line[256];
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		return 0;
	while (found < n && fgets(line, sizeof(line), f) != NULL) {
		for (i = 0; i < n; i++) {
			const char *key = fields[i].key;

			if (strncmp(line, key, strlen(key)) != 0)
				continue;
			fields[i].value =
			    strtoull(line + strlen(key), NULL, fields[i].base);
			found++;
		}
	}
	(void)fclose(f);
	return found;
}

uint64_t
sysmem_available(void)
{
	struct field f = { "MemAvailable:", 10, 0 }; /* kB */

	if (read_fields("/proc/meminfo", &f, 1) == 0)
		return UINT64_MAX;
	return f.value * 1024;
}

static bool
huge_count(uint64_t size, const char *name, uint64_t *out)
{
	struct field f = { "", 10, 0 };
	char path[128];

	(void)snprintf(path, sizeof(path),
	    HUGEPAGES "/hugepages-%" PRIu64 "kB/%s", size / 1024, name);
	if (read_fields(path, &f, 1) == 0)
		return false;
	*out = f.value;
	return true;
}

bool
sysmem_huge(uint64_t size, uint64_t *unused)
{
	uint64_t vacant, reserved;

	if (size == 0 || size % 1024 != 0)
		return false;
	if (!huge_count(size, "free_hugepages", &vacant) ||
	    !huge_count(size, "resv_hugepages", &reserved))
		return false;
	*unused = vacant > reserved ? vacant - reserved : 0;
	return true;
}

void
sysmem_huge_sizes(char *buf, size_t size)
{
	static const char prefix[] = "hugepages-";
	const size_t n = sizeof(prefix) - 1;
	struct dirent *entry;
	DIR *dir;

	(void)strlcpy(buf, "none", size);
	if ((dir = opendir(HUGEPAGES)) == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, prefix, n) != 0)
			continue;
		if (strcmp(buf, "none") == 0)
			buf[0] = '\0';
		else
			(void)strlcat(buf, ", ", size);
		(void)strlcat(buf, entry->d_name + n, size);
	}
	(void)closedir(dir);
}

/*
 * CAP_IPC_LOCK lifts the limit, but the kernel asks for it in the first user
 * namespace; what the root of another one has is worth nothing here.
 */
static bool
may_lock_all(uint64_t caps)
{
	struct stat st;

	if (stat("/proc/self/ns/user", &st) == 0 && st.st_ino != FIRST_USERNS)
		return false;
	return (caps >> CAP_IPC_LOCK) & 1;
}

void
mem_usage(uint64_t *locked, uint64_t *pinned, uint64_t *limit)
{
	enum { LOCKED, PINNED, CAPS, FIELDS };
	struct field f[FIELDS] = {
		[LOCKED] = { "VmLck:", 10, 0 }, /* kB */
		[PINNED] = { "VmPin:", 10, 0 }, /* kB */
		[CAPS] = { "CapEff:", 16, 0 },
	};
	struct rlimit rl;

	(void)read_fields("/proc/self/status", f, FIELDS);
	*locked = f[LOCKED].value * 1024;
	*pinned = f[PINNED].value * 1024;
	*limit = UINT64_MAX;
	if (!may_lock_all(f[CAPS].value) &&
	    getrlimit(RLIMIT_MEMLOCK, &rl) == 0 && rl.rlim_cur != RLIM_INFINITY)
		*limit = rl.rlim_cur;
}

uint64_t
sysmem_sysctl(const char *path)
{
	struct field f = { "", 10, 0 };

	return read_fields(path, &f, 1) == 1 ? f.value : 0;
}

/* An entry of pagemap (proc_pid_pagemap(5)): bit 63 present, 54-0 frame. */
uint64_t
sysmem_frame(const void *addr)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	off_t at = (off_t)((uintptr_t)addr / page * sizeof(uint64_t));
	uint64_t entry = 0;
	int fd;

	if ((fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) == -1)
		return 0;
	if (pread(fd, &entry, sizeof(entry), at) != sizeof(entry))
		entry = 0;
	(void)close(fd);
	if ((entry >> 63) == 0)
		return 0;
	return entry & ((UINT64_C(1) << 55) - 1);
}
