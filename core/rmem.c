/* SPDX-License-Identifier: MIT */
/* A peer's memory as a file; see rmem.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "dev.h"
#include "qp_impl.h"
#include "rmem.h"
#include "rules.h"

#define PIECES_MAX 4 /* in flight for one read or write */

struct rmem *
rmem_of(struct obj *o)
{
	return (struct rmem *)(void *)o;
}

/* The queue pair that it belongs to. */
static struct qp *
rmem_qp(struct rmem *m)
{
	return qp_of(m->o.parent);
}

int
rmem_new(struct qp *qp, const char *name, const struct owner *owner,
    struct obj **out, struct err *e)
{
	struct rmem *m = calloc(1, sizeof(*m));
	struct world *w = qp->o.world;
	int r;

	if (m == NULL)
		return fail(e, ENOMEM, "out of memory for a mapping");
	r = obj_init(&m->o, &qp->o, KIND_MEM, name, owner, NULL, 0, e);
	if (r < 0) {
		free(m);
		return r;
	}
	world_lock(w);
	if ((r = obj_insert(&m->o, e)) == 0)
		dev_of(&m->o)->mems++;
	world_unlock(w);
	if (r < 0)
		obj_unref(&m->o);
	else
		*out = &m->o;
	return r;
}

int
rmem_map(struct op *op, uint64_t addr, uint64_t length, uint32_t rkey)
{
	struct rmem *m = rmem_of(op->obj);
	uint64_t end;

	if (length == 0)
		return fail_at(&op->err, "length", EINVAL, "length is zero");
	if (__builtin_add_overflow(addr, length - 1, &end) ||
	    length > INT64_MAX)
		return fail_at(&op->err, "length", EINVAL,
		    "address + length passes 2^64, or length 2^63");
	world_lock(m->o.world);
	m->state = RMEM_MAPPED;
	m->addr = addr;
	m->length = length;
	m->rkey = rkey;
	m->epoch++;
	obj_touch(&m->o);
	world_unlock(m->o.world);
	return 0;
}

int
rmem_destroy(struct op *op)
{
	struct rmem *m = rmem_of(op->obj);

	world_lock(m->o.world);
	dev_of(&m->o)->mems--;
	obj_remove(&m->o, op->reader);
	explicit_bzero(&m->rkey, sizeof(m->rkey));
	world_unlock(m->o.world);
	return 0;
}

void
rmem_lost(struct rmem *m)
{
	if (m->state != RMEM_MAPPED)
		return;
	m->state = RMEM_DEAD;
	explicit_bzero(&m->rkey, sizeof(m->rkey));
	obj_touch(&m->o);
}

/*
 * Reading and writing: up to PIECES_MAX work requests at a time, each for the
 * next piece that nobody has.
 */
struct rmem_piece {
	struct bk_wr wr; /* first */
	struct rmem_io *io;
	struct err err;
};

/* What may be moved: bytes, 0, or -errno.  If it is more than 0 the queue pair
 * is in use.  Lock held. */
static ssize_t
rmem_begin(struct rmem_io *io)
{
	struct rmem *m = io->m;
	struct qp *qp = rmem_qp(m);
	int r;

	if (m->o.gone)
		return fail(&io->err, ENODEV, "the mapping is gone");
	if (m->state == RMEM_DEAD)
		return fail(&io->err, ENODATA,
		    "the mapping is dead: an access was refused, or the queue "
		    "pair was reset; map it again");
	if (m->state != RMEM_MAPPED)
		return fail(&io->err, ENODATA, "nothing is mapped");
	if ((r = rule_connected(qp, &io->err)) < 0)
		return r;
	if ((r = rule_operation(qp, io->write ? WR_WRITE : WR_READ, &io->err)) <
	    0)
		return r;
	if (io->length == 0)
		return 0;
	if (io->off >= m->length)
		return io->write
			   ? fail(&io->err, EFBIG, "the mapping ends at %llu",
				 (unsigned long long)m->length)
			   : 0;
	qp_use_begins(qp);
	io->epoch = m->epoch;
	return (ssize_t)MIN(io->length, m->length - io->off);
}

static size_t
rmem_piece_size(struct rmem *m)
{
	const struct dev_info *info = &dev_of(&m->o)->b.info;
	size_t size = SSIZE_MAX;

	if (info->piece > 0)
		size = info->piece;
	return MIN(size, info->max_msg);
}

static void
rmem_io_end(struct rmem_io *io)
{
	struct qp *qp = rmem_qp(io->m);
	struct rmem *m = io->m;

	world_lock(m->o.world);
	if (io->result < 0 && m->epoch == io->epoch)
		rmem_lost(m);
	qp_use_ends(qp);
	world_unlock(m->o.world);
	obj_unref(&qp->o);
	freezero(io->pieces, PIECES_MAX * sizeof(*io->pieces));
	io->pieces = NULL;
	free(io->copy);
	io->copy = NULL;
	pthread_mutex_destroy(&io->lock);
}

/* One of those who are at work is through; the last one ends it.  Returns
 * whether it is over. */
static bool
rmem_io_leave(struct rmem_io *io)
{
	bool last;

	pthread_mutex_lock(&io->lock);
	last = --io->flying == 0;
	pthread_mutex_unlock(&io->lock);
	if (last)
		rmem_io_end(io);
	return last;
}

static ssize_t
rmem_io_result(const struct rmem_io *io)
{
	return io->result < 0 ? io->result : (ssize_t)io->size;
}

/* Takes the next piece; false: there is none left, or one has failed. */
static bool
rmem_piece_next(struct rmem_piece *p, size_t most)
{
	struct rmem_io *io = p->io;
	struct bk_wr *wr = &p->wr;
	bool more;

	pthread_mutex_lock(&io->lock);
	more = io->result == 0 && io->next < io->size;
	if (more) {
		wr->buf = io->buf + io->next;
		wr->length = MIN(most, io->size - io->next);
		wr->addr = io->m->addr + io->off + io->next;
		io->next += wr->length;
	}
	pthread_mutex_unlock(&io->lock);
	return more;
}

static void
rmem_piece_over(struct rmem_piece *p, int r)
{
	struct rmem_io *io = p->io;
	struct qp *qp = rmem_qp(io->m);

	world_lock(qp->o.world);
	qp_request_over(qp, p->wr.op, &p->wr.req.wc, r);
	if (r < 0)
		qp_blame(qp, io->reader, &p->wr, NULL, 0, &p->err);
	world_unlock(qp->o.world);
	if (r == 0)
		return;
	pthread_mutex_lock(&io->lock);
	/* Those behind the first one are only flushed. */
	if (io->result == 0) {
		io->result = r;
		io->err = p->err;
	}
	pthread_mutex_unlock(&io->lock);
}

/* All of it has a buffer that stays. */
static int
rmem_io_copy(struct rmem_io *io, struct err *e)
{
	if ((io->copy = malloc(io->size)) == NULL)
		return fail(e, ENOMEM, "out of memory for %zu bytes", io->size);
	memcpy(io->copy, io->buf, io->size);
	io->buf = io->copy;
	io->lent = false;
	return 0;
}

/* A lent buffer is that of a single piece. */
static int
rmem_piece_post(struct rmem_piece *p)
{
	struct qp *qp = rmem_qp(p->io->m);
	int r;

	p->wr.lent = p->io->lent;
	r = backend_qp_post(qp_backend(qp), qp->b, &p->wr);
	if (r != -EAGAIN || !p->wr.lent)
		return r;
	if ((r = rmem_io_copy(p->io, &p->err)) < 0)
		return r;
	p->wr.lent = false;
	p->wr.buf = p->io->buf;
	return backend_qp_post(qp_backend(qp), qp->b, &p->wr);
}

/* Posts piece after piece until one is under way; true: it came to an end. */
static bool
rmem_piece_run(struct rmem_piece *p)
{
	size_t most = rmem_piece_size(p->io->m);
	int r;

	while (rmem_piece_next(p, most)) {
		r = rmem_piece_post(p);
		if (r == PENDING)
			return false;
		rmem_piece_over(p, r);
	}
	return true;
}

static void
rmem_piece_done(struct bk_req *req, int r)
{
	struct rmem_piece *p = (struct rmem_piece *)(void *)req;
	struct rmem_io *io = p->io;

	rmem_piece_over(p, r);
	if (rmem_piece_run(p) && rmem_io_leave(io))
		io->done(io, rmem_io_result(io));
}

static void
rmem_piece_init(struct rmem_piece *p, struct rmem_io *io, uint32_t rkey)
{
	p->io = io;
	p->wr.req.done = rmem_piece_done;
	p->wr.req.e = &p->err;
	p->wr.op = io->write ? WR_WRITE : WR_READ;
	p->wr.rkey = rkey;
}

/* Starts the pieces; the starter itself counts as one who is at work. */
static ssize_t
rmem_io_start(struct rmem_io *io, uint32_t rkey)
{
	size_t most = rmem_piece_size(io->m);
	unsigned n = 1, i;

	if (io->size > most)
		n = (unsigned)MIN(PIECES_MAX, (io->size - 1) / most + 1);
	io->flying = n + 1;
	if (n > 1 && io->lent)
		io->result = rmem_io_copy(io, &io->err);
	for (i = 0; i < n; i++)
		rmem_piece_init(&io->pieces[i], io, rkey);
	for (i = 0; i < n; i++)
		if (rmem_piece_run(&io->pieces[i]))
			(void)rmem_io_leave(io);
	return rmem_io_leave(io) ? rmem_io_result(io) : PENDING_IO;
}

ssize_t
rmem_io(struct rmem_io *io)
{
	struct world *w = io->m->o.world;
	uint32_t rkey;
	ssize_t n;

	err_clear(&io->err);
	io->next = 0;
	io->result = 0;
	io->copy = NULL;
	io->pieces = calloc(PIECES_MAX, sizeof(*io->pieces));
	if (io->pieces == NULL)
		return fail(&io->err, ENOMEM, "out of memory");
	world_lock(w);
	n = rmem_begin(io);
	rkey = io->m->rkey;
	world_unlock(w);
	if (n <= 0) {
		free(io->pieces);
		return n;
	}
	io->size = (size_t)n;
	pthread_mutex_init(&io->lock, NULL);
	return rmem_io_start(io, rkey);
}
