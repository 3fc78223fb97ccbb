/* SPDX-License-Identifier: MIT */
/*
 * Posting on a queue pair, which never sleeps and never fails for load: what
 * does not fit waits.  What becomes of it is verbs_wc.c's.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_impl.h"
#include "wc.h"

#define RUN 64 /* requests that are given to the device at once */

/* What becomes of a request that is to be posted, beside -errno. */
enum given {
	GIVEN = PENDING,
	FULL, /* a completion will make room */
	UNREGISTERED, /* the listener will make the domain's bounce */
};

static const enum ibv_wr_opcode opcodes[] = {
	[WR_WRITE] = IBV_WR_RDMA_WRITE,
	[WR_READ] = IBV_WR_RDMA_READ,
	[WR_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	[WR_CMP_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
	[WR_SEND] = IBV_WR_SEND,
	[WR_BIND_MW] = IBV_WR_BIND_MW,
	[WR_LOCAL_INV] = IBV_WR_LOCAL_INV,
};

static bool
is_atomic(enum wr_op op)
{
	return op == WR_FETCH_ADD || op == WR_CMP_SWAP;
}

static void
fill_send(struct ibv_send_wr *s, const struct bk_wr *wr)
{
	if (wr->with_imm) {
		s->opcode = IBV_WR_SEND_WITH_IMM;
		s->imm_data = htonl(wr->imm);
	} else if (wr->with_inv) {
		s->opcode = IBV_WR_SEND_WITH_INV;
		s->invalidate_rkey = wr->inv;
	}
}

/* For librxe too the index of a bind's key is that of the window (D7). */
static void
fill_window(struct ibv_send_wr *s, const struct bk_wr *wr)
{
	const struct mw2 *m =
	    (const void *)((const char *)wr - offsetof(struct mw2, wr));

	if (wr->op == WR_LOCAL_INV) {
		s->invalidate_rkey = m->key;
		return;
	}
	s->bind_mw.mw = m->mw.mw;
	s->bind_mw.rkey = m->key;
	s->bind_mw.bind_info = m->mw.bind.bind_info;
}

/* A key that a peer has ended must not be ended again: it kills the kernel (D8). */
static bool
is_off(const struct bk_wr *wr)
{
	const struct mw2 *m =
	    (const void *)((const char *)wr - offsetof(struct mw2, wr));

	return wr->op == WR_LOCAL_INV && atomic_load(&m->mw.req->off);
}

static void
fill(struct ibv_send_wr *s, const struct bk_wr *wr)
{
	if (wr->op == WR_SEND) {
		fill_send(s, wr);
	} else if (wr->op == WR_BIND_MW || wr->op == WR_LOCAL_INV) {
		fill_window(s, wr);
	} else if (is_atomic(wr->op)) {
		s->wr.atomic.remote_addr = wr->addr;
		s->wr.atomic.rkey = wr->rkey;
		s->wr.atomic.compare_add = wr->operand;
		s->wr.atomic.swap = wr->swap;
	} else {
		s->wr.rdma.remote_addr = wr->addr;
		s->wr.rdma.rkey = wr->rkey;
	}
}

/* The local side.  Returns 0 or an enum given. */
static int
fill_sge(struct bk_qp *qp, struct bk_wr *wr, struct ibv_sge *sge)
{
	char *piece;
	int r;

	*sge = (struct ibv_sge){ wr->local, (uint32_t)wr->length, wr->lkey };
	if (wr->buf == NULL || wr->length == 0)
		return 0;
	assert(wr->length <= BOUNCE_PIECE);
	if ((r = bounce_take(&qp->pd->bounce, &piece, &sge->lkey)) < 0)
		return r == -EAGAIN ? FULL : UNREGISTERED;
	sge->addr = (uintptr_t)piece;
	wr->own = piece;
	if (wr->op == WR_WRITE || wr->op == WR_SEND)
		memcpy(piece, wr->buf, wr->length);
	return 0;
}

bool
post_piece_back(struct bk_qp *qp, struct bk_wr *wr)
{
	if (wr->own == NULL || !bounce_give(&qp->pd->bounce, wr->own)) {
		wr->own = NULL;
		return false;
	}
	wr->own = NULL;
	listener_wake(qp->dev);
	return true;
}

/*
 * Gives wr to the device: an enum given, or -errno with the reason.  All are
 * signaled, and zero bytes need no memory (A3).  Called with the lock, which
 * keeps the completion away.
 */
static int
give(struct bk_qp *qp, struct bk_wr *wr)
{
	struct ibv_sge sge;
	struct ibv_send_wr *bad, s = {
		.wr_id = qp->next_id,
		.sg_list = &sge,
		.num_sge = wr->length > 0,
		.opcode = opcodes[wr->op],
		.send_flags = IBV_SEND_SIGNALED,
	};
	int r;

	if (is_off(wr) && wr->req.chain != NULL)
		return chain_broken(wr->req.e);
	if (is_off(wr))
		return fail(wr->req.e, ENODATA, "a peer has ended the key");
	if (qp->sent == qp->send_depth)
		return FULL;
	if ((r = fill_sge(qp, wr, &sge)) != 0)
		return r;
	fill(&s, wr);
	wr->req.id = qp->next_id++;
	wr->req.quiet = false;
	if ((r = ibv_post_send(qp->qp, &s, &bad)) == 0) {
		TAILQ_INSERT_TAIL(&qp->flight, &wr->req, link);
		qp->sent++;
		return GIVEN;
	}
	(void)post_piece_back(qp, wr);
	if (abs(r) == ENOMEM && qp->sent > 0)
		return FULL;
	return verbs_fail(wr->req.e, r, "ibv_post_send");
}

/*
 * A run of what is held, linked, so that the device is told once; 0: the first
 * is off.  Where only the last has a completion posting fails for nothing but
 * room (librxe), of which there is enough: otherwise what was posted would have
 * none.
 */
static unsigned
fill_run(struct bk_qp *qp, struct ibv_send_wr s[RUN])
{
	struct bk_req *req, *last = NULL;
	unsigned n = 0;

	TAILQ_FOREACH (req, &qp->held, link) {
		if (n == RUN || is_off(wr_of(req)))
			break;
		req->id = qp->next_id++;
		req->quiet = qp->quiet;
		s[n] = (struct ibv_send_wr){
			.wr_id = req->id,
			.opcode = opcodes[wr_of(req)->op],
			.send_flags = req->quiet ? 0 : IBV_SEND_SIGNALED,
			.next = &s[n + 1],
		};
		fill(&s[n], wr_of(req));
		last = req;
		n++;
	}
	if (last == NULL)
		return 0;
	last->quiet = false;
	s[n - 1].send_flags = IBV_SEND_SIGNALED;
	s[n - 1].next = NULL;
	return n;
}

/* The first n that are held are in flight. */
static void
run_given(struct bk_qp *qp, unsigned n)
{
	struct bk_req *req;

	qp->sent += n;
	qp->nheld -= n;
	while (n-- > 0) {
		req = TAILQ_FIRST(&qp->held);
		TAILQ_REMOVE(&qp->held, req, link);
		TAILQ_INSERT_TAIL(&qp->flight, req, link);
	}
}

/* What cannot be posted waits: post_waiting() tries it alone, and says why
 * not. */
void
post_held(struct bk_qp *qp)
{
	struct ibv_send_wr s[RUN], *bad;
	unsigned n;
	int r = 0;

	while (qp->state == BK_QP_READY && r == 0 && qp->nheld > 0) {
		if ((n = fill_run(qp, s)) == 0)
			break;
		bad = NULL;
		r = ibv_post_send(qp->qp, s, &bad);
		if (r != 0)
			n = bad != NULL ? (unsigned)(bad - s) : 0;
		run_given(qp, n);
	}
	/* In front of what waits already. */
	TAILQ_CONCAT(&qp->held, &qp->waiting, link);
	TAILQ_CONCAT(&qp->waiting, &qp->held, link);
	qp->nheld = 0;
}

/* One of a chain is kept back while there is room for all that is. */
static int
hold(struct bk_qp *qp, struct bk_wr *wr)
{
	if (wr->req.chain->failed)
		return chain_broken(wr->req.e);
	if (qp->sent + qp->nheld == qp->send_depth)
		return FULL;
	TAILQ_INSERT_TAIL(&qp->held, &wr->req, link);
	qp->nheld++;
	return GIVEN;
}

/* wr waits, at the end or, if it has waited before, in front again. */
static void
keep(struct bk_qp *qp, struct bk_wr *wr, int given, bool front)
{
	if (front)
		TAILQ_INSERT_HEAD(&qp->waiting, &wr->req, link);
	else
		TAILQ_INSERT_TAIL(&qp->waiting, &wr->req, link);
	if (given == UNREGISTERED && !qp->unregistered) {
		qp->unregistered = true;
		listener_wake(qp->dev);
	}
}

/* Nothing is posted in qp's state. */
static int
refuse(struct bk_qp *qp, struct bk_wr *wr)
{
	if (wr->req.chain != NULL && qp->state == BK_QP_BROKEN)
		return chain_broken(wr->req.e);
	wr->req.wc.status = WC_WR_FLUSH_ERR;
	if (qp->state == BK_QP_RESET)
		return fail(
		    wr->req.e, EIO, "the queue pair is not connected (W11)");
	if (qp->state == BK_QP_DEAD)
		return fail(wr->req.e, ENODEV, "the device is gone");
	return wc_fail(wr->req.e, &wr->req.wc, wr->op);
}

int
post_send(struct bk_qp *qp, struct bk_wr *wr)
{
	int r = FULL;

	wr->own = NULL;
	pthread_mutex_lock(&qp->lock);
	if (wr->req.chain == NULL && qp->nheld > 0)
		post_held(qp);
	if (qp->state != BK_QP_READY)
		r = refuse(qp, wr);
	else if (TAILQ_EMPTY(&qp->waiting))
		r = wr->req.chain != NULL ? hold(qp, wr) : give(qp, wr);
	if ((r == FULL || r == UNREGISTERED) && wr->lent) {
		r = fail(wr->req.e, EAGAIN, "the queue pair is busy");
	} else if (r == FULL || r == UNREGISTERED) {
		keep(qp, wr, r, false);
		r = PENDING;
	}
	pthread_mutex_unlock(&qp->lock);
	return r;
}

int
verbs_qp_post(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	return post_send(qp, wr);
}

/* With the lock. */
static int
give_recv(struct bk_qp *qp, struct bk_wr *wr)
{
	struct ibv_sge sge = { wr->local, (uint32_t)wr->length, wr->lkey };
	struct ibv_recv_wr *bad, s = {
		.wr_id = qp->next_id | RECV_ID,
		.sg_list = &sge,
		.num_sge = wr->length > 0,
	};
	int r = ENOMEM;

	if (qp->received < qp->recv_depth)
		r = ibv_post_recv(qp->qp, &s, &bad);
	if (abs(r) == ENOMEM)
		return fail(wr->req.e, ENOSPC,
		    "the receive queue is full: %u are posted", qp->received);
	if (r != 0)
		return verbs_fail(wr->req.e, r, "ibv_post_recv");
	wr->req.id = qp->next_id++ | RECV_ID;
	TAILQ_INSERT_TAIL(&qp->receives, &wr->req, link);
	qp->received++;
	return PENDING;
}

/* A receive would hold a piece of the domain's for as long as it stands. */
int
verbs_qp_recv(struct backend *b, struct bk_qp *qp, struct bk_wr *wr)
{
	int r;

	if (wr->buf != NULL)
		return fail(wr->req.e, EOPNOTSUPP,
		    "a receive needs the memory of a region");
	wr->own = NULL;
	pthread_mutex_lock(&qp->lock);
	if (qp->state != BK_QP_READY)
		r = refuse(qp, wr);
	else
		r = give_recv(qp, wr);
	pthread_mutex_unlock(&qp->lock);
	return r;
}

void
post_waiting(
    struct bk_qp *qp, const struct err *unregistered, struct bk_reqs *over)
{
	struct bk_req *req;
	int r;

	post_held(qp);
	while (qp->state == BK_QP_READY &&
	       (req = TAILQ_FIRST(&qp->waiting)) != NULL) {
		TAILQ_REMOVE(&qp->waiting, req, link);
		if (req->chain != NULL && req->chain->failed)
			r = chain_broken(req->e);
		else
			r = give(qp, wr_of(req));
		if (r == UNREGISTERED && unregistered != NULL)
			r = fail(req->e, unregistered->code, "%s",
			    unregistered->text);
		if (r == FULL || r == UNREGISTERED) {
			keep(qp, wr_of(req), r, true);
			return;
		}
		if (r != GIVEN && req->chain != NULL)
			req->chain->failed = true;
		if (r != GIVEN)
			TAILQ_INSERT_TAIL(over, req, link);
	}
}
