/* SPDX-License-Identifier: MIT */
/*
 * Queue pairs of soft devices: makes, connects, finds and ends them.  What is
 * posted on them is softwork.c's and softwr.c's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "softqp.h"
#include "wc.h"

#define FIRST_QPN 2u /* 0 and 1 are for management */
#define QPNS      (1u << 24)
#define IPV4_GID  1u

int
softqp_cmp(const struct bk_qp *a, const struct bk_qp *b)
{
	return (a->local.qpn > b->local.qpn) - (a->local.qpn < b->local.qpn);
}

RB_GENERATE(softqp_tree, bk_qp, entry, softqp_cmp)

void
after_init(struct after *a)
{
	*a = (struct after){ .nfailed = 0 };
	TAILQ_INIT(&a->over);
}

void
after_run(struct after *a)
{
	struct bk_wr *wr;
	unsigned i;

	for (i = 0; i < a->nfailed; i++)
		a->failed[i]->changed(a->failed[i]->arg, QP_ERR);
	while ((wr = (struct bk_wr *)TAILQ_FIRST(&a->over)) != NULL) {
		TAILQ_REMOVE(&a->over, &wr->req, link);
		wr->req.done(
		    &wr->req, wr->req.wc.status == WC_SUCCESS
				  ? 0
				  : wc_fail(wr->req.e, &wr->req.wc, wr->op));
	}
}

void
softqp_recv_over(struct bk_wr *recv, struct after *a)
{
	TAILQ_INSERT_TAIL(&a->over, &recv->req, link);
}

struct bk_wc
softqp_flushed(void)
{
	return (struct bk_wc){ .status = WC_WR_FLUSH_ERR };
}

static void
flush_receives(struct bk_qp *qp, struct after *a)
{
	struct bk_req *req;

	while ((req = TAILQ_FIRST(&qp->recvs)) != NULL) {
		TAILQ_REMOVE(&qp->recvs, req, link);
		req->wc = softqp_flushed();
		TAILQ_INSERT_TAIL(&a->over, req, link);
	}
	qp->nrecvs = 0;
}

void
softqp_fail(struct bk_qp *qp, struct after *a)
{
	if (qp->state == QP_ERR)
		return;
	qp->state = QP_ERR;
	a->failed[a->nfailed++] = qp;
	flush_receives(qp, a);
}

void
softqp_use(struct bk_qp *qp)
{
	qp->uses++;
}

void
softqp_unuse(struct bk_qp *qp)
{
	if (--qp->uses == 0 && qp->dying)
		(void)pthread_cond_broadcast(&qp->dev->fabric->unused);
}

static bool
has_gid(const struct soft *s, const struct gid *gid)
{
	return memcmp(gid, &s->gids[0], sizeof(*gid)) == 0 ||
	       memcmp(gid, &s->gids[1], sizeof(*gid)) == 0;
}

static struct bk_qp *
find(struct fabric *f, const struct qp_addr *addr)
{
	struct bk_qp wanted = { .local.qpn = addr->qpn };
	struct soft *s;

	LIST_FOREACH (s, &f->devices, link)
		if (has_gid(s, &addr->gid))
			return RB_FIND(softqp_tree, &s->qps, &wanted);
	return NULL;
}

struct bk_qp *
softqp_peer(struct bk_qp *qp, const char **why)
{
	struct bk_qp *peer = find(qp->dev->fabric, &qp->remote);

	if (peer == NULL)
		*why = "nobody answers: no queue pair has the peer's address";
	else if (peer->state == QP_ERR)
		*why = "the peer does not answer: its queue pair is in error";
	else if (peer->state != QP_RTS)
		*why = "the peer does not answer: it is not connected";
	else if (peer->type != qp->type)
		*why = "the peer does not answer: it is of another type";
	else if (peer->remote.qpn != qp->local.qpn ||
		 !has_gid(qp->dev, &peer->remote.gid))
		*why = "the peer does not answer: it is connected to another";
	else
		return peer;
	return NULL;
}

/* Lock held. */
static uint32_t
new_number(struct soft *s)
{
	struct bk_qp wanted = { 0 };

	do
		wanted.local.qpn =
		    FIRST_QPN + s->next_qpn++ % (QPNS - FIRST_QPN);
	while (RB_FIND(softqp_tree, &s->qps, &wanted) != NULL);
	return wanted.local.qpn;
}

/* Lock held. */
static int
enter(struct soft *s, struct bk_qp *qp, struct err *e)
{
	int r;

	if ((r = soft_count_up(&s->nqps, SOFT_MAX_QP, "queue pairs", e)) < 0)
		return r;
	qp->local.qpn = new_number(s);
	(void)RB_INSERT(softqp_tree, &s->qps, qp);
	qp->pd->children++;
	return 0;
}

static struct bk_qp *
qp_new(const struct qp_args *a, struct soft *s, struct bk_pd *pd)
{
	struct bk_qp *qp = calloc(1, sizeof(*qp));

	if (qp == NULL)
		return NULL;
	qp->dev = s;
	qp->pd = pd;
	qp->type = a->type;
	qp->changed = a->changed;
	qp->arg = a->arg;
	qp->work.fn = softqp_work;
	TAILQ_INIT(&qp->sends);
	TAILQ_INIT(&qp->recvs);
	qp->local.gid = s->gids[a->gid == -1 ? IPV4_GID : (unsigned)a->gid];
	qp->local.psn = arc4random() & PSN_MASK;
	qp->local.mtu = SOFT_MTU;
	return qp;
}

int
soft_qp_create(struct backend *b, struct bk_pd *pd, const struct qp_args *a,
    struct bk_qp **out, struct qp_addr *local, struct err *e)
{
	struct bk_qp *qp;
	int r;

	if (a->gid < -1 || a->gid >= (int)SOFT_GIDS)
		return fail_at(e, "gid", EINVAL, "the port has GIDs 0 and 1");
	if ((qp = qp_new(a, b->priv, pd)) == NULL)
		return soft_no_memory(e);
	r = enter(soft_lock(b), qp, e);
	soft_unlock(b->priv);
	if (r < 0) {
		free(qp);
		return r;
	}
	*local = qp->local;
	*out = qp;
	return 0;
}

int
soft_qp_destroy(struct backend *b, struct bk_qp *qp, struct err *e)
{
	struct soft *s = soft_lock(b);
	const uint32_t windows = qp->windows;
	struct after a;

	if (windows > 0) {
		soft_unlock(s);
		return fail(e, EBUSY,
		    "%u windows are bound over this queue pair (W10)", windows);
	}
	after_init(&a);
	qp->dying = true;
	qp->state = QP_ERR;
	(void)RB_REMOVE(softqp_tree, &s->qps, qp);
	flush_receives(qp, &a);
	soft_unlock(s);
	after_run(&a);
	(void)soft_lock(b);
	/* The others see its state, flush what they have, and leave. */
	while (qp->uses > 0)
		(void)pthread_cond_wait(&s->fabric->unused, &s->fabric->lock);
	qp->pd->children--;
	s->nqps--;
	soft_unlock(s);
	free(qp);
	return 0;
}

int
soft_qp_connect(struct backend *b, struct bk_qp *qp,
    const struct qp_addr *remote, uint32_t rights, struct err *e)
{
	struct soft *s = soft_lock(b);
	bool fresh = qp->state == QP_RESET;

	if (fresh) {
		qp->remote = *remote;
		qp->rights = rights;
		qp->mtu =
		    remote->mtu == 0 ? SOFT_MTU : MIN(SOFT_MTU, remote->mtu);
		qp->send_psn = qp->local.psn;
		qp->recv_psn = remote->psn;
		qp->state = QP_RTS;
	}
	soft_unlock(s);
	if (!fresh)
		return fail(e, EINVAL, "the queue pair is connected already");
	return 0;
}

int
soft_qp_rights(
    struct backend *b, struct bk_qp *qp, uint32_t rights, struct err *e)
{
	struct soft *s = soft_lock(b);

	qp->rights = rights;
	soft_unlock(s);
	return 0;
}

int
soft_qp_state(
    struct backend *b, struct bk_qp *qp, enum qp_state *state, struct err *e)
{
	struct soft *s = soft_lock(b);

	*state = qp->state;
	soft_unlock(s);
	return 0;
}
