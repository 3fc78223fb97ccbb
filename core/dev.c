/* SPDX-License-Identifier: MIT */
/* Devices and their ports as objects; see dev.h. */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "event.h"
#include "op.h"
#include "pd.h"
#include "qp.h"

struct dev *
dev_of(struct obj *o)
{
	return (struct dev *)(void *)o->dev;
}

struct port *
port_of(struct obj *o)
{
	return (struct port *)(void *)o;
}

static int
port_add(struct dev *d, unsigned number, struct err *e)
{
	const struct owner owner = { d->o.owner.uid, d->o.owner.gid, 0755 };
	struct port *p = calloc(1, sizeof(*p));
	struct port_info info;
	char name[16];
	int r;

	if (p == NULL)
		return fail(e, ENOMEM, "out of memory for a port");
	snprintf(name, sizeof(name), "%u", number);
	if ((r = backend_port_query(&d->b, number, &info, e)) < 0 ||
	    (r = obj_init(&p->o, &d->o, KIND_PORT, name, &owner, NULL, 0, e)) <
		0) {
		free(p);
		return r;
	}
	p->number = number;
	p->gids = info.gid_count;
	world_lock(d->o.world);
	r = obj_insert(&p->o, e);
	world_unlock(d->o.world);
	obj_unref(&p->o);
	return r;
}

static int
dev_add_ports(struct dev *d, struct err *e)
{
	unsigned i;
	int r;

	for (i = 1; i <= d->b.info.port_count; i++)
		if ((r = port_add(d, i, e)) < 0)
			return r;
	return 0;
}

/* IBV_PORT_ACTIVE of enum ibv_port_state. */
#define PORT_ACTIVE 4

void
dev_refresh(struct dev *d)
{
	struct port_info info;
	bool active = false;
	unsigned i;

	for (i = 1; i <= d->b.info.port_count; i++)
		if (backend_port_query(&d->b, i, &info, NULL) == 0)
			active |= info.state == PORT_ACTIVE;
	world_lock(d->o.world);
	if (d->down != !active) {
		d->down = !active;
		obj_touch(&d->o);
	}
	world_unlock(d->o.world);
}

/* Until nothing has come meanwhile. */
static void
dev_refresh_work(struct work *wk)
{
	struct dev *d =
	    (struct dev *)(void *)((char *)wk - offsetof(struct dev, refresh));
	bool again;

	do {
		world_lock(d->o.world);
		d->stale = false;
		world_unlock(d->o.world);
		dev_refresh(d);
		world_lock(d->o.world);
		again = d->refreshing = d->stale;
		world_unlock(d->o.world);
	} while (again);
}

/* The ports are asked by somebody who may sleep. */
static void
dev_port_event(struct dev *d)
{
	d->stale = true;
	if (d->refreshing)
		return;
	d->refreshing = true;
	d->refresh.fn = dev_refresh_work;
	pool_submit(d->o.world->slow, &d->refresh);
}

static void
dev_lose(struct dev *d)
{
	if (d->lost)
		return;
	event_of(&d->o, EV_REMOVED, (uid_t)-1);
	d->lost = true;
	obj_touch(&d->o);
}

/* A queue pair that is being made or destroyed has no events of its own. */
static struct obj *
event_obj(struct dev *d, const struct bk_event *ev)
{
	struct qp *qp = ev->qp;

	if (qp == NULL || obj_by_id(d->o.world, qp->o.id) == NULL ||
	    qp->o.gone || qp->o.dying)
		return &d->o;
	return &qp->o;
}

static void
dev_told(void *arg, const struct bk_event *ev)
{
	struct dev *d = arg;
	struct event out = { .kind = EV_ASYNC,
		.by = (uid_t)-1,
		.word = ev->word,
		.port = ev->port };

	world_lock(d->o.world);
	out.o = event_obj(d, ev);
	event_tell(&out);
	if (ev->port != 0)
		dev_port_event(d);
	if (ev->gone)
		dev_lose(d);
	world_unlock(d->o.world);
}

static void
set_remove_all(struct world *w, struct set *set)
{
	struct obj *o;

	for (;;) {
		world_lock(w);
		if ((o = obj_after(set, 0)) != NULL) {
			obj_ref(o);
			obj_remove(o, 0);
		}
		world_unlock(w);
		if (o == NULL)
			return;
		obj_unref(o);
	}
}

/* Takes it out of the tree and closes it; nothing is below but ports. */
static void
dev_remove(struct dev *d)
{
	struct world *w = d->o.world;

	if (backend_watch(&d->b, NULL, NULL))
		pool_drain(w->slow); /* of what has been told of ports */
	set_remove_all(w, &d->sets[0]);
	world_lock(w);
	if (!d->lost)
		event_of(&d->o, EV_REMOVED, 0);
	obj_remove(&d->o, 0);
	world_unlock(w);
	backend_close(&d->b);
	keys_fini(&d->keys);
	keylog_fini(&d->dead);
	limits_fini(&d->limits);
}

static void
dev_ready(struct dev *d)
{
	dev_refresh(d);
	world_lock(d->o.world);
	event_of(&d->o, EV_ADDED, d->o.owner.uid);
	world_unlock(d->o.world);
	if (backend_watch(&d->b, dev_told, d))
		dev_refresh(d); /* what nobody was told of */
}

int
dev_add(struct world *w, const struct backend_ops *ops, const char *name,
    void (*trace)(void *, const char *), void *trace_arg, struct err *e)
{
	const struct owner owner = { w->root.owner.uid, w->root.owner.gid,
		0755 };
	struct dev *d = calloc(1, sizeof(*d));
	int r;

	if (d == NULL)
		return fail(e, ENOMEM, "out of memory for a device");
	d->sets[0].kind = KIND_PORT;
	d->sets[1].kind = KIND_PD;
	keys_init(&d->keys);
	keylog_init(&d->dead);
	limits_init(&d->limits);
	r = backend_open(&d->b, ops, name, w->fabric, trace, trace_arg, e);
	if (r < 0) {
		free(d);
		return r;
	}
	r = obj_init(&d->o, &w->root, KIND_DEV, name, &owner, d->sets, 2, e);
	if (r < 0) {
		backend_close(&d->b);
		free(d);
		return r;
	}
	world_lock(w);
	r = obj_insert(&d->o, e);
	world_unlock(w);
	if (r < 0)
		backend_close(&d->b);
	else if ((r = dev_add_ports(d, e)) < 0)
		dev_remove(d);
	else
		dev_ready(d);
	obj_unref(&d->o);
	return r;
}

/* A thread that waits for one command, at the end of the process only. */
struct awaited {
	struct op op;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool over, turn;
	int r;
};

static void
awaited_over(struct op *op, int r)
{
	struct awaited *wt = (struct awaited *)(void *)op;

	pthread_mutex_lock(&wt->lock);
	wt->over = true;
	wt->r = r;
	pthread_cond_signal(&wt->cond);
	pthread_mutex_unlock(&wt->lock);
}

static int
await(struct awaited *wt)
{
	pthread_mutex_lock(&wt->lock);
	while (!wt->over)
		pthread_cond_wait(&wt->cond, &wt->lock);
	wt->over = false;
	pthread_mutex_unlock(&wt->lock);
	return wt->r;
}

/* Returns whether it is gone; one that the device does not free is left. */
static bool
pd_destroy_now(struct obj *o)
{
	struct awaited wt;
	int r;

	op_init(&wt.op, o, "destroy", awaited_over, awaited_over);
	pthread_mutex_init(&wt.lock, NULL);
	pthread_cond_init(&wt.cond, NULL);
	wt.over = false;
	if ((r = op_begin(&wt.op, true)) == PENDING)
		r = await(&wt);
	if (r == 0) {
		if ((r = pd_destroy(&wt.op, true)) == PENDING)
			r = await(&wt);
		op_end(&wt.op);
	}
	pthread_cond_destroy(&wt.cond);
	pthread_mutex_destroy(&wt.lock);
	return r == 0 || r == -ENODEV;
}

static struct obj *
set_first_after(struct world *w, struct set *set, uint64_t id)
{
	struct obj *o;

	world_lock(w);
	if ((o = obj_after(set, id)) != NULL)
		obj_ref(o);
	world_unlock(w);
	return o;
}

static bool
dev_empty(struct world *w, struct dev *d)
{
	struct obj *pd;
	uint64_t id = 0;
	bool all = true;

	while ((pd = set_first_after(w, &d->sets[1], id)) != NULL) {
		id = pd->id;
		all &= pd_destroy_now(pd);
		obj_unref(pd);
	}
	return all;
}

void
dev_remove_all(struct world *w)
{
	struct obj *o;
	uint64_t id = 0;

	while ((o = set_first_after(w, &w->devs, id)) != NULL) {
		id = o->id;
		/* A device that keeps an object is left to the kernel. */
		if (dev_empty(w, dev_of(o)))
			dev_remove(dev_of(o));
		obj_unref(o);
	}
	pool_drain(w->release);
}
