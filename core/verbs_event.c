/* SPDX-License-Identifier: MIT */
/* What a device says by itself: asynchronous events of libibverbs. */
#include <errno.h>

#include "verbs_impl.h"

static const struct name event_words[] = {
	{ "cq_err", IBV_EVENT_CQ_ERR },
	{ "qp_fatal", IBV_EVENT_QP_FATAL },
	{ "qp_req_err", IBV_EVENT_QP_REQ_ERR },
	{ "qp_access_err", IBV_EVENT_QP_ACCESS_ERR },
	{ "comm_est", IBV_EVENT_COMM_EST },
	{ "sq_drained", IBV_EVENT_SQ_DRAINED },
	{ "path_mig", IBV_EVENT_PATH_MIG },
	{ "path_mig_err", IBV_EVENT_PATH_MIG_ERR },
	{ "device_fatal", IBV_EVENT_DEVICE_FATAL },
	{ "port_active", IBV_EVENT_PORT_ACTIVE },
	{ "port_err", IBV_EVENT_PORT_ERR },
	{ "lid_change", IBV_EVENT_LID_CHANGE },
	{ "pkey_change", IBV_EVENT_PKEY_CHANGE },
	{ "sm_change", IBV_EVENT_SM_CHANGE },
	{ "srq_err", IBV_EVENT_SRQ_ERR },
	{ "srq_limit_reached", IBV_EVENT_SRQ_LIMIT_REACHED },
	{ "qp_last_wqe_reached", IBV_EVENT_QP_LAST_WQE_REACHED },
	{ "client_reregister", IBV_EVENT_CLIENT_REREGISTER },
	{ "gid_change", IBV_EVENT_GID_CHANGE },
	{ "wq_fatal", IBV_EVENT_WQ_FATAL },
	{ NULL, 0 },
};

/* The queue pair of the caller's that ev is about, which its end waits for; those
 * of the device's own have no context. */
static struct bk_qp *
event_qp(const struct ibv_async_event *ev)
{
	switch (ev->event_type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return ev->element.qp->qp_context;
	default:
		return NULL;
	}
}

static unsigned
event_port(const struct ibv_async_event *ev)
{
	switch (ev->event_type) {
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_PKEY_CHANGE:
	case IBV_EVENT_SM_CHANGE:
	case IBV_EVENT_CLIENT_REREGISTER:
	case IBV_EVENT_GID_CHANGE:
		return (unsigned)ev->element.port_num;
	default:
		return 0;
	}
}

static bool
event_breaks_qp(const struct ibv_async_event *ev)
{
	return ev->event_type == IBV_EVENT_QP_FATAL ||
	       ev->event_type == IBV_EVENT_QP_REQ_ERR ||
	       ev->event_type == IBV_EVENT_QP_ACCESS_ERR;
}

static void
tell(struct verbs_dev *d, const struct ibv_async_event *ev)
{
	struct bk_qp *qp = event_qp(ev);
	const char *word = name_of(event_words, ev->event_type);
	const struct bk_event told = {
		.word = word != NULL ? word : "unknown",
		.port = event_port(ev),
		.qp = qp != NULL ? qp->arg : NULL,
		.gone = ev->event_type == IBV_EVENT_DEVICE_FATAL,
	};

	if (d->told != NULL)
		d->told(d->told_arg, &told);
	if (qp != NULL && event_breaks_qp(ev))
		qp->changed(qp->arg, QP_ERR);
}

/* Acknowledged last: ibv_destroy_qp(3) waits for that. */
int
events_serve(struct verbs_dev *d)
{
	struct ibv_async_event ev;

	while (ibv_get_async_event(d->ctx, &ev) == 0) {
		tell(d, &ev);
		ibv_ack_async_event(&ev);
	}
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

void
verbs_watch(struct backend *b,
    void (*told)(void *arg, const struct bk_event *ev), void *arg)
{
	struct verbs_dev *d = b->priv;

	pthread_mutex_lock(&d->serving);
	d->told = told;
	d->told_arg = arg;
	pthread_mutex_unlock(&d->serving);
}
