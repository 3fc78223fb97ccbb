/* SPDX-License-Identifier: MIT */
/* The queues of a bindq: made, connected, freed.  verbs_bindq.c uses them. */
#include <errno.h>
#include <stdlib.h>
#include <sys/param.h>

#include "verbs_impl.h"

#define BINDQ_DEPTH 256 /* binds posted at once */

int
bindq_connect(struct bindq *q, struct err *e)
{
	const struct dev_info *info = &q->b->info;
	struct ibv_qp_init_attr a = {
		.send_cq = q->cq,
		.recv_cq = q->cq,
		.cap.max_send_wr = q->depth,
		.cap.max_recv_wr = 1,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
	};

	if ((q->qp = ibv_create_qp(q->pd, &a)) == NULL)
		return verbs_alloc_fail(
		    e, errno, "ibv_create_qp", "max_qp", info->max_qp);
	return loop_connect(q->qp, info->port_count, e);
}

int
bindq_disconnect(struct bindq *q, struct err *e)
{
	int r;

	if (q->qp != NULL && (r = ibv_destroy_qp(q->qp)) != 0)
		return verbs_fail(e, r, "ibv_destroy_qp");
	q->qp = NULL;
	return 0;
}

static int
bindq_create(struct bindq *q, struct err *e)
{
	q->cq = ibv_create_cq(
	    q->dev->ctx, (int)q->depth, &q->owner, q->dev->channel, 0);
	if (q->cq == NULL)
		return verbs_alloc_fail(
		    e, errno, "ibv_create_cq", "max_cq", q->b->info.max_cq);
	return bindq_connect(q, e);
}

static int
bindq_destroy(struct bindq *q, struct err *e)
{
	int r;

	if ((r = bindq_disconnect(q, e)) < 0)
		return r;
	if (q->cq != NULL && (r = ibv_destroy_cq(q->cq)) != 0)
		return verbs_fail(e, r, "ibv_destroy_cq");
	q->cq = NULL;
	return 0;
}

int
bindq_new(
    struct backend *b, struct ibv_pd *pd, struct bindq **out, struct err *e)
{
	struct bindq *q;
	int r;

	if ((q = calloc(1, sizeof(*q))) == NULL)
		return fail(e, ENOMEM, "no memory for a queue pair");
	q->owner.drain = bindq_drain;
	q->b = b;
	q->dev = b->priv;
	q->pd = pd;
	q->linked = b->info.vendor_id == RXE_VENDOR_ID;
	q->depth = MIN(BINDQ_DEPTH, MIN(b->info.max_qp_wr, b->info.max_cqe));
	TAILQ_INIT(&q->flight);
	TAILQ_INIT(&q->held);
	TAILQ_INIT(&q->waiting);
	TAILQ_INIT(&q->refused);
	if ((r = bindq_create(q, e)) < 0) {
		(void)bindq_destroy(q, NULL);
		free(q);
		return r;
	}
	pthread_mutex_lock(&q->dev->lock);
	LIST_INSERT_HEAD(&q->dev->queues, q, link);
	pthread_mutex_unlock(&q->dev->lock);
	*out = q;
	return 0;
}

int
bindq_free(struct bindq *q, struct err *e)
{
	struct verbs_dev *d = q->dev;
	int r;

	if ((r = bindq_destroy(q, e)) < 0)
		return r;
	pthread_mutex_lock(&d->serving); /* of a device that is gone (D16) */
	pthread_mutex_lock(&d->lock);
	LIST_REMOVE(q, link);
	pthread_mutex_unlock(&d->lock);
	pthread_mutex_unlock(&d->serving);
	free(q);
	return 0;
}
