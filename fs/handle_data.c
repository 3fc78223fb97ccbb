/* SPDX-License-Identifier: MIT */
/*
 * The file data: a region's memory, read and written at once, or a peer's, where
 * each read and write is an RDMA transfer.
 *
 * A transfer that has begun completes, whoever has given up on it: its buffer
 * and its reference to the handle stay until then.
 */
#include <sys/param.h>

#include "../core/rmem.h"
#include "handle_impl.h"
#include "outcome.h"

int
data_check(struct obj *o)
{
	bool there = o->kind == KIND_MEM ? rmem_of(o)->state == RMEM_MAPPED
					 : mr_of(o)->active;

	return there ? 0 : -ENODATA;
}

uint64_t
data_length(struct obj *o)
{
	if (o->kind != KIND_MEM)
		return mr_of(o)->mem.length;
	return rmem_of(o)->state == RMEM_MAPPED ? rmem_of(o)->length : 0;
}

/*
 * Regions.
 */

bool
node_is_data(const struct node *n)
{
	return n->file != NULL && n->file->type == FILE_DATA &&
	       n->o->kind == KIND_MR;
}

uint64_t
node_memory(const struct node *n)
{
	const struct mr *mr = mr_of(n->o);
	const struct mem *m = &mr->mem;

	/* Across the end of a sealed file the kernel writes whole pages or
	 * nothing. */
	if (!mr->active || m->foreign || m->length % m->page != 0)
		return 0;
	return mr->memory;
}

void
data_opened(struct handle *h)
{
	const struct mr *mr = mr_of(h->node.o);

	if (!node_is_data(&h->node))
		return;
	h->memory = mr->memory;
	h->zeros = mr->mem.foreign ? 0 : mr->mem.length;
}

/*
 * The memory with a descriptor of the caller's own, to close: the memory's may
 * be closed by dereg meanwhile, and this one reads zeros then.  Its mapping is
 * not the caller's to use: another region may be there by then.  -ESTALE: the
 * one that is meant has ended.
 */
static int
region_open(const struct node *n, uint64_t memory, struct mem *mem)
{
	struct mr *mr = mr_of(n->o);
	struct world *w = n->o->world;
	bool bare = false;
	int r = 0;

	world_lock(w);
	*mem = mr->mem;
	if (n->o->gone || !mr->active || mr->memory != memory)
		r = -ESTALE;
	else if (!(bare = mem->fd == -1))
		r = mem->fd = mem_open(mem);
	world_unlock(w);
	if (bare)
		r = mem->fd = mem_open(mem);
	mem->map = NULL;
	return r < 0 ? r : 0;
}

int
node_memory_file(const struct node *n, uint64_t memory)
{
	struct mem mem;
	int r = region_open(n, memory, &mem);

	return r < 0 ? r : mem.fd;
}

/* What has been given back reads as zeros, whoever does it. */
static ssize_t
read_zeros(const struct handle *h, uint64_t off, size_t size, char *buf)
{
	if (h->zeros == 0)
		return -ENODATA;
	size = off < h->zeros ? MIN(size, h->zeros - off) : 0;
	memset(buf, 0, size);
	return (ssize_t)size;
}

static ssize_t
region_read(struct handle *h, uint64_t off, size_t size, char *buf)
{
	struct mem mem;
	ssize_t r;

	if ((r = region_open(&h->node, h->memory, &mem)) < 0)
		return r == -ESTALE ? read_zeros(h, off, size, buf) : r;
	r = mem_read(&mem, buf, size, off, NULL);
	close(mem.fd);
	return r;
}

static ssize_t
region_write(struct handle *h, const char *buf, size_t n, uint64_t off)
{
	struct mem mem;
	ssize_t r;

	if ((r = region_open(&h->node, h->memory, &mem)) < 0)
		return r == -ESTALE ? -ENODATA : r;
	r = mem_write(&mem, buf, n, off, NULL);
	close(mem.fd);
	return r;
}

/*
 * Mappings.
 */
struct transfer {
	struct rmem_io io; /* first: see transfer_done() */
	struct handle *h; /* a reference */
	struct reader reader; /* one of the two, as io.write says */
	struct writer writer;
};

static struct transfer *
transfer_new(struct handle *h, char *buf, size_t n, uint64_t off)
{
	struct transfer *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->io.m = rmem_of(h->node.o);
	t->io.reader = h->cred.uid;
	t->io.buf = buf;
	t->io.length = n;
	t->io.off = off;
	t->h = h;
	atomic_fetch_add(&h->refs, 1);
	return t;
}

static void
transfer_free(struct transfer *t)
{
	handle_unref(t->h);
	if (!t->io.write)
		free(t->io.buf);
	free(t);
}

/* It is over, and told like a command. */
static void
transfer_record(struct transfer *t, ssize_t r)
{
	const bool write = t->io.write;
	const struct outcome out = { .fs = t->h->fs,
		.o = t->h->node.o,
		.where = &t->h->node,
		.uid = write ? t->writer.uid : t->reader.uid,
		.pid = write ? t->writer.pid : t->reader.pid,
		.verb = write ? "write" : "read",
		.e = &t->io.err };

	if (r >= 0)
		err_clear(&t->io.err);
	outcome_record(&out, NULL);
}

/* The bytes that were read, as a text: they go over to it.  They are no keys,
 * and with cap 0 text_fini() does not wipe them. */
static struct text
data_text(char *buf, size_t n)
{
	return (struct text){ .buf = buf, .len = n };
}

static void
transfer_done(struct rmem_io *io, ssize_t r)
{
	struct transfer *t = (struct transfer *)(void *)io;
	const struct text out = data_text(io->buf, r > 0 ? (size_t)r : 0);

	transfer_record(t, r);
	if (io->write)
		t->writer.done(t->writer.arg, r);
	else
		t->reader.done(t->reader.arg, r < 0 ? (int)r : 0, &out);
	transfer_free(t);
}

/* PENDING_IO, and t may be gone; or bytes or -errno. */
static ssize_t
transfer_start(struct transfer *t)
{
	struct world *w = &t->h->fs->world;
	ssize_t r;
	bool gone;

	world_lock(w);
	gone = t->h->node.o->gone;
	world_unlock(w);
	if (gone)
		return -ENODEV;
	t->io.done = transfer_done;
	if ((r = rmem_io(&t->io)) != PENDING_IO)
		transfer_record(t, r);
	return r;
}

static ssize_t
mapping_read(struct handle *h, const struct reader *by, uint64_t off,
    size_t size, char **buf)
{
	struct transfer *t = transfer_new(h, *buf, size, off);
	ssize_t r;

	if (t == NULL)
		return -ENOMEM;
	*buf = NULL; /* the transfer's */
	t->reader = *by;
	if ((r = transfer_start(t)) == PENDING_IO)
		return r;
	*buf = t->io.buf;
	t->io.buf = NULL;
	transfer_free(t);
	return r;
}

/*
 * A buffer for each read: malloc(3) keeps memory of this size from the first
 * free(3) of it on (M_MMAP_THRESHOLD in mallopt(3)), so that a stream of them
 * has no page faults.
 */
int
data_read(struct handle *h, const struct reader *by, uint64_t off, size_t size,
    struct text *out)
{
	char *buf = malloc(size > 0 ? size : 1);
	bool mapping = h->node.o->kind == KIND_MEM;
	ssize_t r;

	if (buf == NULL)
		return -ENOMEM;
	r = mapping ? mapping_read(h, by, off, size, &buf)
		    : region_read(h, off, size, buf);
	if (mapping && r == PENDING_IO)
		return PENDING;
	*out = data_text(buf, r > 0 ? (size_t)r : 0);
	return r < 0 ? (int)r : 0;
}

/* The bytes are the request's own, and gone when it is PENDING. */
static ssize_t
mapping_write(struct handle *h, const struct writer *by, const char *buf,
    size_t n, uint64_t off)
{
	struct transfer *t = transfer_new(h, (char *)(uintptr_t)buf, n, off);
	ssize_t r;

	if (t == NULL)
		return -ENOMEM;
	t->io.write = t->io.lent = true;
	t->writer = *by;
	if ((r = transfer_start(t)) == PENDING_IO)
		return PENDING_WRITE;
	transfer_free(t);
	return r;
}

ssize_t
data_write(struct handle *h, const struct writer *by, const char *buf, size_t n,
    uint64_t off)
{
	if (h->node.o->kind == KIND_MEM)
		return mapping_write(h, by, buf, n, off);
	return region_write(h, buf, n, off);
}
