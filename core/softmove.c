/* SPDX-License-Identifier: MIT */
/* Moves bytes between regions; see softmove.h. */
#include <errno.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "softobj.h"

#define BUFFER (64u << 10) /* bytes, on the stack */

/* A file that is too short gives less, and its end says so. */
static bool
read_all(const struct bk_mr *mr, char *buf, size_t n, uint64_t off)
{
	ssize_t r;

	while (n > 0) {
		if ((r = mem_read(&mr->mem, buf, n, off, NULL)) <= 0)
			return false;
		buf += r;
		off += (uint64_t)r;
		n -= (size_t)r;
	}
	return true;
}

static bool
write_all(const struct bk_mr *mr, const char *buf, size_t n, uint64_t off)
{
	ssize_t r;

	while (n > 0) {
		if ((r = mem_write(&mr->mem, buf, n, off, NULL)) <= 0)
			return false;
		buf += r;
		off += (uint64_t)r;
		n -= (size_t)r;
	}
	return true;
}

/* Neither is mapped: by way of a buffer. */
static enum move_result
copy_unmapped(const struct bk_mr *to, uint64_t to_off, const struct bk_mr *from,
    uint64_t from_off, size_t n)
{
	char buf[BUFFER];
	size_t some;

	for (; n > 0; n -= some) {
		some = MIN(n, sizeof(buf));
		if (!read_all(from, buf, some, from_off))
			return MOVE_FROM_BAD;
		if (!write_all(to, buf, some, to_off))
			return MOVE_TO_BAD;
		from_off += some;
		to_off += some;
	}
	return MOVE_DONE;
}

/*
 * One of the two lacks its mapping or descriptor, so it is the daemon's own,
 * which nobody can truncate: the other is to blame.
 */
static enum move_result
copy_own(const struct bk_mr *to, uint64_t to_off, const struct bk_mr *from,
    uint64_t from_off, size_t n)
{
	if (to->mem.map != NULL)
		return read_all(
			   from, (char *)to->mem.addr + to_off, n, from_off)
			   ? MOVE_DONE
			   : MOVE_TO_BAD;
	if (from->mem.map != NULL)
		return write_all(
			   to, (char *)from->mem.addr + from_off, n, to_off)
			   ? MOVE_DONE
			   : MOVE_FROM_BAD;
	return copy_unmapped(to, to_off, from, from_off, n);
}

/*
 * The kernel reads one file into the mapping of the other.  Where that has
 * been truncated it says EFAULT, while a store of ours would be SIGBUS.
 */
static enum move_result
copy(const struct bk_mr *to, uint64_t to_off, const struct bk_mr *from,
    uint64_t from_off, size_t n)
{
	char *dst = (char *)to->mem.addr + to_off;
	off_t src = (off_t)(from->mem.offset + from_off);
	ssize_t r;

	if (to->mem.map == NULL || from->mem.fd == -1)
		return copy_own(to, to_off, from, from_off, n);
	while (n > 0) {
		r = pread(from->mem.fd, dst, n, src);
		if (r == -1 && errno == EINTR)
			continue;
		if (r <= 0)
			return r == -1 && errno == EFAULT ? MOVE_TO_BAD
							  : MOVE_FROM_BAD;
		dst += r;
		src += r;
		n -= (size_t)r;
	}
	return MOVE_DONE;
}

static enum move_result
move(const struct end *to, const struct end *from, uint64_t off, size_t n)
{
	if (to->mr != NULL && from->mr != NULL)
		return copy(
		    to->mr, to->offset + off, from->mr, from->offset + off, n);
	if (to->mr != NULL)
		return write_all(to->mr, from->buf + off, n, to->offset + off)
			   ? MOVE_DONE
			   : MOVE_TO_BAD;
	if (from->mr != NULL)
		return read_all(from->mr, to->buf + off, n, from->offset + off)
			   ? MOVE_DONE
			   : MOVE_FROM_BAD;
	(void)memmove(to->buf + off, from->buf + off, n);
	return MOVE_DONE;
}

enum move_result
move_piece(struct fabric *f, const struct end *to, const struct end *from,
    uint64_t off, size_t n)
{
	struct mover m = { .to = to->mr, .from = from->mr };
	enum move_result r;

	m.ticket = ++f->tickets;
	TAILQ_INSERT_TAIL(&f->movers, &m, link);
	(void)pthread_mutex_unlock(&f->lock);
	r = move(to, from, off, n);
	(void)pthread_mutex_lock(&f->lock);
	TAILQ_REMOVE(&f->movers, &m, link);
	(void)pthread_cond_broadcast(&f->moved);
	return r;
}

static bool
moves(const struct fabric *f, const struct bk_mr *mr, uint64_t ticket)
{
	const struct mover *m;

	TAILQ_FOREACH (m, &f->movers, link)
		if (m->ticket <= ticket && (m->to == mr || m->from == mr))
			return true;
	return false;
}

void
movers_wait(struct fabric *f, const struct bk_mr *mr)
{
	const uint64_t ticket = f->tickets;

	while (mr != NULL && moves(f, mr, ticket))
		(void)pthread_cond_wait(&f->moved, &f->lock);
}
