/* SPDX-License-Identifier: MIT */
/* verbs_check: what the device says by itself, of ports and queue pairs. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "verbs_check_pair.h"
#include "verbs_impl.h"

#define PATIENCE 60 /* seconds */

struct heard {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	const char *wanted;
	struct bk_event ev; /* the last that was wanted; word NULL: none */
};

static void
hear(void *arg, const struct bk_event *ev)
{
	struct heard *h = arg;

	pthread_mutex_lock(&h->lock);
	if (strcmp(ev->word, h->wanted) == 0)
		h->ev = *ev;
	pthread_cond_signal(&h->cond);
	pthread_mutex_unlock(&h->lock);
}

static void
want(struct heard *h, const char *word)
{
	pthread_mutex_lock(&h->lock);
	h->wanted = word;
	memset(&h->ev, 0, sizeof(h->ev));
	pthread_mutex_unlock(&h->lock);
}

static bool
comes(struct heard *h)
{
	struct timespec end;
	int r = 0;

	(void)clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += PATIENCE;
	pthread_mutex_lock(&h->lock);
	while (h->ev.word == NULL && r == 0)
		r = pthread_cond_timedwait(&h->cond, &h->lock, &end);
	pthread_mutex_unlock(&h->lock);
	return r == 0;
}

static void
link_set(struct check *c, const char *state)
{
	char command[256];

	(void)snprintf(command, sizeof(command),
	    "ip link set \"$(cat /sys/class/infiniband/%s/ports/1/"
	    "gid_attrs/ndevs/0)\" %s",
	    c->dev.info.name, state);
	/* NOLINTNEXTLINE(cert-env33-c): in a guest of its own */
	if (system(command) != 0)
		bail_out("%s", command);
}

static void
check_port(struct check *c, struct heard *h)
{
	want(h, "port_err");
	link_set(c, "down");
	ok(comes(h), "a link goes down: port_err");
	is_int(h->ev.port, 1, "of port 1");
	ok(h->ev.qp == NULL && !h->ev.gone, "and of no queue pair");
	want(h, "port_active");
	link_set(c, "up");
	ok(comes(h), "and up: port_active");
	is_int(h->ev.port, 1, "of port 1");
}

/* Acknowledged, or the queue pair could not be destroyed. */
static void
check_queue_pair(struct check *c, struct heard *h)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_SQD };
	struct pair p;

	pair_new(c, &p, QP_RC, RIGHTS_ALL);
	want(h, "sq_drained");
	is_int(ibv_modify_qp(p.a.qp->qp, &a, IBV_QP_STATE), 0, "to SQD");
	ok(comes(h), "a queue pair says sq_drained");
	ok(h->ev.qp == &p.a, "that one");
	is_int(h->ev.port, 0, "of no port");
	is_int(p.a.changes, 0, "which is no error");
	pair_free(&p);
}

void
check_events(struct check *c)
{
	static struct heard h = { PTHREAD_MUTEX_INITIALIZER,
		PTHREAD_COND_INITIALIZER, "", { NULL } };

	ok(backend_watch(&c->dev, hear, &h), "it says something");
	check_queue_pair(c, &h);
	check_port(c, &h);
	ok(backend_watch(&c->dev, NULL, NULL), "nobody listens any more");
	want(&h, "port_err");
	link_set(c, "down");
	link_set(c, "up");
	ok(h.ev.word == NULL, "nobody is told");
}
