/* SPDX-License-Identifier: MIT */
/*
 * Does one request of a soft queue pair: moves the bytes that softcheck.c
 * lets through, and says how it ended, to the requester and to the peer (A7,
 * I3).
 */
#include <string.h>
#include <sys/param.h>

#include "softxfer.h"
#include "wc.h"

static bool
piece(struct xfer *x)
{
	const uint64_t left = x->wr->length - x->moved;
	const size_t n = (size_t)MIN(left, MOVE_PIECE);
	const bool read = x->wr->op == WR_READ;
	enum move_result r;

	r = read ? move_piece(x->f, &x->here, &x->there, x->moved, n)
		 : move_piece(x->f, &x->there, &x->here, x->moved, n);
	if (r == MOVE_DONE) {
		x->moved += n;
		return true;
	}
	return (r == MOVE_TO_BAD) == read ? xfer_bad_here(x)
					  : xfer_bad_there(x);
}

static bool
transfer(struct xfer *x)
{
	do {
		if (!xfer_check(x))
			return false;
		if (x->wr->length > 0 && !piece(x))
			return false;
	} while (x->moved < x->wr->length);
	return true;
}

/* I3: from the receiver's completion on the key is dead. */
static bool
invalidate(struct xfer *x, struct bk_wc *wc)
{
	struct bk_mw *mw;
	const char *why;

	if (!x->wr->with_inv)
		return true;
	if ((why = soft_find_bound(x->peer, x->wr->inv, &mw)) != NULL) {
		xfer_recv_bad(x, WC_REM_INV_REQ_ERR, "I3", why);
		return false;
	}
	wc->with_inv = true;
	wc->rkey = x->wr->inv;
	movers_wait(x->f, soft_unbind(mw));
	return true;
}

/* The sender has success, whatever becomes of the invalidation. */
static void
send(struct xfer *x)
{
	struct bk_wc wc = {
		.bytes = (uint32_t)x->wr->length,
		.imm = x->wr->with_imm ? x->wr->imm : 0,
		.with_imm = x->wr->with_imm,
	};

	if (!transfer(x))
		xfer_recv_return(x);
	else if (invalidate(x, &wc))
		xfer_recv_over(x, &wc);
}

/* The old value of the target, which has a new one. */
static bool
change_target(struct xfer *x, uint64_t *old)
{
	const struct bk_wr *wr = x->wr;
	const struct mem *m = &x->there.mr->mem;
	uint64_t new;

	if (mem_read(m, old, sizeof(*old), x->there.offset, NULL) !=
	    sizeof(*old))
		return xfer_bad_there(x);
	new = wr->op == WR_FETCH_ADD ? *old + wr->operand : wr->swap;
	if (wr->op == WR_CMP_SWAP && *old != wr->operand)
		return true;
	if (mem_write(m, &new, sizeof(new), x->there.offset, NULL) !=
	    sizeof(new))
		return xfer_bad_there(x);
	return true;
}

static bool
store_result(struct xfer *x, uint64_t old)
{
	if (x->here.mr == NULL) {
		(void)memcpy(x->here.buf, &old, sizeof(old));
		return true;
	}
	return mem_write(&x->here.mr->mem, &old, sizeof(old), x->here.offset,
		   NULL) == sizeof(old) ||
	       xfer_bad_here(x);
}

/* A4: that the result cannot be stored is found when it comes. */
static void
atomic(struct xfer *x)
{
	uint64_t old;

	if (xfer_check_self(x) && xfer_check_peer(x) && xfer_check_target(x) &&
	    change_target(x, &old) && xfer_check_here(x) &&
	    store_result(x, old))
		x->moved = sizeof(old);
}

static void
run(struct xfer *x)
{
	if (x->wr->op == WR_SEND)
		send(x);
	else if (xfer_is_atomic(x))
		atomic(x);
	else
		(void)transfer(x);
	x->wr->req.wc.bytes = (uint32_t)x->moved;
}

int
soft_execute(struct bk_qp *qp, struct bk_wr *wr)
{
	struct xfer x = { .f = qp->dev->fabric, .qp = qp, .wr = wr };

	after_init(&x.after);
	(void)pthread_mutex_lock(&x.f->lock);
	run(&x);
	(void)pthread_mutex_unlock(&x.f->lock);
	after_run(&x.after);
	if (x.peer != NULL) {
		(void)pthread_mutex_lock(&x.f->lock);
		softqp_unuse(x.peer);
		(void)pthread_mutex_unlock(&x.f->lock);
	}
	if (wr->req.wc.status == WC_SUCCESS)
		return 0;
	return wc_fail(wr->req.e, &wr->req.wc, wr->op);
}
