/* SPDX-License-Identifier: MIT */
/*
 * What a request of a soft queue pair meets on both sides, by the rules A1 to
 * A6, and what a refusal means for each; see softxfer.h.
 */
#include <string.h>
#include <sys/param.h>

#include "softxfer.h"

/*
 * Each step returns whether to go on.  One that does not has set the
 * completion, by stop(), refuse(), or drop().
 */
static bool
stop(struct xfer *x, enum wc_status status, const char *rule, const char *why)
{
	x->wr->req.wc =
	    (struct bk_wc){ .status = status, .rule = rule, .why = why };
	softqp_fail(x->qp, &x->after);
	return false;
}

/* A6: nobody hears of it. */
static bool
drop(struct xfer *x)
{
	x->moved = x->wr->length;
	return false;
}

/* What stays without an answer; on UC none is waited for. */
static bool
unanswered(
    struct xfer *x, enum wc_status status, const char *rule, const char *why)
{
	return x->qp->type == QP_UC ? drop(x) : stop(x, status, rule, why);
}

/* The peer says no (A5). */
static bool
refuse(struct xfer *x, enum wc_status status, const char *rule, const char *why)
{
	if (x->qp->type == QP_UC)
		return drop(x);
	softqp_fail(x->peer, &x->after);
	return stop(x, status, rule, why);
}

void
xfer_recv_over(struct xfer *x, const struct bk_wc *wc)
{
	x->recv->req.wc = *wc;
	softqp_recv_over(x->recv, &x->after);
	x->recv = NULL;
	if (wc->status != WC_SUCCESS)
		softqp_fail(x->peer, &x->after);
}

void
xfer_recv_bad(
    struct xfer *x, enum wc_status status, const char *rule, const char *why)
{
	const struct bk_wc wc = { .status = status, .rule = rule, .why = why };

	xfer_recv_over(x, &wc);
}

void
xfer_recv_return(struct xfer *x)
{
	const struct bk_wc flushed = softqp_flushed();

	if (x->recv == NULL)
		return;
	if (x->peer->state != QP_RTS) {
		xfer_recv_over(x, &flushed);
		return;
	}
	TAILQ_INSERT_HEAD(&x->peer->recvs, &x->recv->req, link);
	x->peer->nrecvs++;
}

bool
xfer_is_atomic(const struct xfer *x)
{
	return x->wr->op == WR_FETCH_ADD || x->wr->op == WR_CMP_SWAP;
}

bool
xfer_check_self(struct xfer *x)
{
	if (x->qp->state != QP_RTS) {
		x->wr->req.wc = softqp_flushed();
		return false;
	}
	if (x->qp->type == QP_UC && (x->wr->op == WR_READ || xfer_is_atomic(x)))
		return stop(x, WC_LOC_QP_OP_ERR, NULL,
		    "a UC queue pair can neither read nor do atomics");
	return true;
}

bool
xfer_check_here(struct xfer *x)
{
	const bool write = x->wr->op == WR_READ || xfer_is_atomic(x);
	const char *why;

	if (x->wr->length == 0)
		return true;
	why = soft_local(x->qp, x->wr, x->wr->length, write, &x->here);
	return why == NULL || stop(x, WC_LOC_PROT_ERR, "A4", why);
}

/* How many packets a message has; of a read: its response. */
static uint32_t
packets(const struct xfer *x)
{
	const uint64_t mtu = x->qp->mtu;

	return (uint32_t)MAX(1, (x->wr->length + mtu - 1) / mtu);
}

/* UC begins anew with any message, so its number does not matter. */
static bool
count_packets(struct xfer *x)
{
	const bool expected = x->qp->send_psn == x->peer->recv_psn;
	const uint32_t next = (x->qp->send_psn + packets(x)) & PSN_MASK;

	if (x->qp->type == QP_RC && !expected)
		return stop(x, WC_RETRY_EXC_ERR, "A5",
		    "the peer does not answer: it expects another psn");
	x->qp->send_psn = next;
	x->peer->recv_psn = next;
	return true;
}

/* Also of a peer that was there a piece before. */
bool
xfer_check_peer(struct xfer *x)
{
	const bool first = x->peer == NULL;
	struct bk_qp *peer;
	const char *why;

	if ((peer = softqp_peer(x->qp, &why)) == NULL)
		return unanswered(x, WC_RETRY_EXC_ERR, "A5", why);
	if (!first)
		return peer == x->peer ||
		       unanswered(x, WC_RETRY_EXC_ERR, "A5",
			   "the peer does not answer: it has been destroyed");
	x->peer = peer;
	softqp_use(peer);
	return count_packets(x);
}

static enum access_op
access_op(const struct xfer *x)
{
	if (xfer_is_atomic(x))
		return ACCESS_ATOMIC;
	return x->wr->op == WR_READ ? ACCESS_READ : ACCESS_WRITE;
}

/* A1 to A3. */
bool
xfer_check_target(struct xfer *x)
{
	const struct access a = {
		.op = access_op(x),
		.rkey = x->wr->rkey,
		.addr = x->wr->addr,
		.length = x->wr->length,
	};
	struct verdict v;
	bool key;

	soft_judge(&x->peer->dev->keys, x->peer->pd, x->peer, &a, &v);
	x->there = (struct end){ .mr = v.mr, .offset = v.offset };
	if (v.allowed)
		return true;
	key = strcmp(v.rule, "A1") == 0;
	return refuse(
	    x, key ? WC_REM_ACCESS_ERR : WC_REM_INV_REQ_ERR, v.rule, v.why);
}

static bool
take_receive(struct xfer *x)
{
	if (x->recv != NULL)
		return true;
	x->recv = (struct bk_wr *)TAILQ_FIRST(&x->peer->recvs);
	if (x->recv == NULL)
		return unanswered(x, WC_RNR_RETRY_EXC_ERR, NULL,
		    "the peer has posted no receive");
	TAILQ_REMOVE(&x->peer->recvs, &x->recv->req, link);
	x->peer->nrecvs--;
	return true;
}

static bool
check_receive(struct xfer *x)
{
	const uint64_t length = x->wr->length;
	const char *why;

	if (!take_receive(x))
		return false;
	if (length > x->recv->length) {
		xfer_recv_bad(x, WC_LOC_LEN_ERR, NULL,
		    "the message is longer than the receive");
		return refuse(x, WC_REM_INV_REQ_ERR, NULL,
		    "the peer's receive is too short");
	}
	if (length == 0)
		return true;
	why = soft_local(x->peer, x->recv, length, true, &x->there);
	if (why == NULL)
		return true;
	xfer_recv_bad(x, WC_LOC_PROT_ERR, "A4", why);
	return refuse(
	    x, WC_REM_OP_ERR, "A4", "the peer's receive buffer is bad");
}

bool
xfer_check(struct xfer *x)
{
	return xfer_check_self(x) && xfer_check_here(x) && xfer_check_peer(x) &&
	       (x->wr->op == WR_SEND ? check_receive(x) : xfer_check_target(x));
}

bool
xfer_bad_here(struct xfer *x)
{
	return stop(x, WC_LOC_PROT_ERR, "A4",
	    "the file of the local memory has been truncated by its owner");
}

bool
xfer_bad_there(struct xfer *x)
{
	static const char why[] =
	    "the file of the memory has been truncated by its owner";

	if (x->recv != NULL)
		xfer_recv_bad(x, WC_LOC_PROT_ERR, "A4", why);
	return refuse(x, WC_REM_OP_ERR, NULL,
	    "the file of the peer's memory has been truncated by its owner");
}
