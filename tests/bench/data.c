/* SPDX-License-Identifier: MIT */
/*
 * A region's data against a memfd of this program's own; some of each, because
 * where their pages are in the machine makes a difference.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define BYTES  (16u << 20)
#define ROUNDS 7

/* One of the two, and how much at a time. */
struct span {
	int fd;
	char *map;
	char *buf;
	size_t size;
	size_t at;
};

static void
span_next(struct span *s)
{
	s->at += s->size;
	if (s->at + s->size > BYTES)
		s->at = 0;
}

static void
run_read(void *arg, unsigned n)
{
	struct span *s = arg;

	for (; n > 0; n--, span_next(s))
		if (pread(s->fd, s->buf, s->size, (off_t)s->at) !=
		    (ssize_t)s->size)
			err(1, "read of data");
}

static void
run_write(void *arg, unsigned n)
{
	struct span *s = arg;

	for (; n > 0; n--, span_next(s))
		if (pwrite(s->fd, s->buf, s->size, (off_t)s->at) !=
		    (ssize_t)s->size)
			err(1, "write of data");
}

static void
run_load(void *arg, unsigned n)
{
	struct span *s = arg;

	for (; n > 0; n--, span_next(s))
		memcpy(s->buf, s->map + s->at, s->size);
}

static void
run_store(void *arg, unsigned n)
{
	struct span *s = arg;

	for (; n > 0; n--, span_next(s))
		memcpy(s->map + s->at, s->buf, s->size);
}

static const struct {
	const char *what;
	void (*run)(void *arg, unsigned n);
	size_t size;
	double limit;
} rows[] = {
	{ "speed of data over a memfd: read of 4 KiB", run_read, 4096, 0.6 },
	{ "write of 4 KiB", run_write, 4096, 0.6 },
	{ "read of 128 KiB", run_read, 128 << 10, 0.85 },
	{ "write of 128 KiB", run_write, 128 << 10, 0.85 },
	{ "read of 1 MiB", run_read, 1 << 20, 0.85 },
	{ "write of 1 MiB", run_write, 1 << 20, 0.85 },
	{ "load from a mapping, 64 KiB", run_load, 64 << 10, 0.95 },
	{ "store to a mapping, 64 KiB", run_store, 64 << 10, 0.95 },
};

/* Whether it can be mapped; errno says why not. */
static bool
span_open(struct span *s, int fd)
{
	s->fd = fd;
	if ((s->buf = malloc(BYTES)) == NULL)
		err(1, "malloc");
	memset(s->buf, 0x5a, BYTES);
	/* A hole is faster to read. */
	if (pwrite(fd, s->buf, BYTES, 0) != BYTES)
		err(1, "write of data");
	s->map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return s->map != MAP_FAILED;
}

static int
own_memory(void)
{
	int fd = memfd_create("bench", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, BYTES) < 0)
		err(1, "memfd");
	return fd;
}

static void
row_data(size_t i, struct span *data, struct span *own)
{
	/* The speed of one over the other's is the time the other way round. */
	struct samples s = { .n = 0 };
	struct work a, b;
	unsigned k;

	for (k = 0; k < ROUNDS; k++) {
		a = (struct work){ rows[i].run, &own[k] };
		b = (struct work){ rows[i].run, &data[k] };
		data[k].size = own[k].size = rows[i].size;
		data[k].at = own[k].at = 0;
		more_pairs(&s, &a, &b, PAIRS / ROUNDS + 1);
	}
	row(rows[i].what, &s, AT_LEAST, rows[i].limit);
}

/* Whether it can be mapped; errno says why not. */
static bool
region_open(struct span *s, const struct path *pd, unsigned k)
{
	const struct path mr = path("%s/mr/r%u", pd->s, k);

	make_dir(mr.s);
	put(path("%s/ctl", mr.s).s, "reg 16M local_write\n");
	return span_open(s, open_file(path("%s/data", mr.s).s, O_RDWR));
}

void
part_data(const struct setup *setup)
{
	const struct path pd = path("%s/soft0/pd/bytes", setup->rdmafs);
	struct span own[ROUNDS], data[ROUNDS];
	unsigned k;
	int code = 0;
	size_t i;

	make_dir(pd.s);
	for (k = 0; k < ROUNDS; k++) {
		if (!span_open(&own[k], own_memory()))
			err(1, "mmap");
		if (!region_open(&data[k], &pd, k))
			code = errno;
	}
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool maps = rows[i].run == run_load || rows[i].run == run_store;

		if (maps && code != 0)
			row_none(rows[i].what, AT_LEAST, rows[i].limit,
			    "mmap: %s", strerror(code));
		else
			row_data(i, data, own);
	}
}
