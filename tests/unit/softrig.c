/* SPDX-License-Identifier: MIT */
/* Two soft devices and what is on them; see softrig.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft.h"
#include "softrig.h"
#include "tap.h"

struct err rig_err;

/* Open from the first rig to rig_end(): a device's keys take much memory. */
static struct {
	struct fabric *f;
	struct backend b[2];
} devices;

static void
must(int r, const char *what)
{
	if (r < 0)
		bail_out("%s: %s", what, rig_err.text);
}

static void
changed(void *arg, enum qp_state state)
{
	struct side *s = arg;

	atomic_store(&s->state, (int)state);
	atomic_fetch_add(&s->changes, 1);
}

struct bk_mr *
rig_reg(struct side *s, struct bk_pd *pd, struct mem *mem, uint32_t rights,
    struct mr_keys *keys)
{
	struct bk_mr *mr;

	must(backend_mr_reg(&s->b, pd, mem, IOVA, rights, &mr, keys, &rig_err),
	    "mr_reg");
	return mr;
}

void
rig_dereg(struct side *s, struct bk_mr *mr)
{
	is_int(backend_mr_dereg(&s->b, mr, &rig_err), 0, "dereg");
}

struct bk_qp *
rig_qp(
    struct side *s, struct bk_pd *pd, enum qp_type type, struct qp_addr *addr)
{
	const struct qp_args a = {
		.type = type, .gid = -1, .changed = changed, .arg = s
	};
	struct bk_qp *qp;

	must(
	    backend_qp_create(&s->b, pd, &a, &qp, addr, &rig_err), "qp_create");
	return qp;
}

enum qp_state
rig_state(struct side *s, struct bk_qp *qp)
{
	enum qp_state state;

	must(backend_qp_state(&s->b, qp, &state, &rig_err), "qp_state");
	return state;
}

static void
devices_open(void)
{
	static const char *const names[2] = { "soft0", "soft1" };
	unsigned i;

	if (devices.f != NULL)
		return;
	if ((devices.f = fabric_new()) == NULL)
		bail_out("no fabric");
	for (i = 0; i < 2; i++)
		must(backend_open(&devices.b[i], &soft_ops, names[i], devices.f,
			 NULL, NULL, &rig_err),
		    "open");
}

void
rig_end(void)
{
	backend_close(&devices.b[0]);
	backend_close(&devices.b[1]);
	fabric_free(devices.f);
	devices.f = NULL;
}

static void
side_open(
    struct side *s, const struct backend *b, enum qp_type type, uint64_t size)
{
	s->b = *b;
	must(backend_pd_alloc(&s->b, &s->pd, &rig_err), "pd_alloc");
	must(backend_pd_alloc(&s->b, &s->other, &rig_err), "pd_alloc");
	must(mem_new(&s->mem, size, 0, &rig_err), "mem_new");
	s->mr = rig_reg(s, s->pd, &s->mem, LW | ALL | MB, &s->keys);
	s->qp = rig_qp(s, s->pd, type, &s->addr);
}

void
rig_open(struct rig *rig, enum qp_type type, uint64_t size, uint32_t a_rights,
    uint32_t b_rights)
{
	memset(rig, 0, sizeof(*rig));
	devices_open();
	side_open(&rig->a, &devices.b[0], type, size);
	side_open(&rig->b, &devices.b[1], type, size);
	must(backend_qp_connect(
		 &rig->a.b, rig->a.qp, &rig->b.addr, a_rights, &rig_err),
	    "connect");
	must(backend_qp_connect(
		 &rig->b.b, rig->b.qp, &rig->a.addr, b_rights, &rig_err),
	    "connect");
}

static void
side_close(struct side *s)
{
	if (s->qp != NULL)
		is_int(backend_qp_destroy(&s->b, s->qp, &rig_err), 0,
		    "the queue pair goes");
	if (s->mr != NULL)
		rig_dereg(s, s->mr);
	is_int(backend_pd_free(&s->b, s->other, &rig_err), 0, "nothing left");
	is_int(backend_pd_free(&s->b, s->pd, &rig_err), 0, "nothing left");
	is_int(soft_in_use(&s->b), 0, "no index is left in use");
	mem_free(&s->mem);
}

void
rig_close(struct rig *rig)
{
	side_close(&rig->a);
	side_close(&rig->b);
}

/* Binds and invalidations of soft devices are over at once. */
static void
no_done(struct bk_req *req, int r)
{
	bail_out("a soft device completed late");
}

struct bk_mw *
rig_bind(struct side *s, struct bk_qp *qp, struct bk_mr *mr, uint64_t off,
    uint64_t len, uint32_t rights, uint32_t *rkey)
{
	const struct bind_args a = { off, len, rights, 0 };
	struct bk_req req = { .done = no_done, .e = &rig_err };
	enum mw_type type = qp != NULL ? MW_TYPE_2 : MW_TYPE_1;
	struct bk_mw *mw;

	must(backend_mw_alloc(&s->b, s->pd, type, &mw, &rig_err), "mw_alloc");
	must(backend_mw_bind(&s->b, mw, mr, qp, &a, &req), "bind");
	*rkey = req.rkey;
	return mw;
}

int
rig_invalidate(struct side *s, struct bk_mw *mw)
{
	struct bk_req req = { .done = no_done, .e = &rig_err };

	return backend_mw_invalidate(&s->b, mw, &req);
}

void
rig_free(struct side *s, struct bk_mw *mw)
{
	is_int(backend_mw_free(&s->b, mw, &rig_err), 0, "the window goes");
}

static void
done(struct bk_req *req, int r)
{
	struct posted *p = (struct posted *)req;

	p->r = r;
	atomic_fetch_add(&p->dones, 1);
	(void)sem_post(&p->over);
}

void
rig_wr(struct posted *p, const struct rig *rig, enum wr_op op, uint64_t length)
{
	const struct side *s = op == WR_RECV ? &rig->b : &rig->a;

	memset(p, 0, sizeof(*p));
	(void)sem_init(&p->over, 0, 0);
	p->wr = (struct bk_wr){
		.req = { .done = done, .e = &p->e },
		.op = op,
		.lkey = s->keys.lkey,
		.local = IOVA,
		.length = length,
		.addr = IOVA,
		.rkey = rig->b.keys.rkey,
	};
}

void
rig_post(struct side *s, struct posted *p)
{
	int r = p->wr.op == WR_RECV ? backend_qp_recv(&s->b, s->qp, &p->wr)
				    : backend_qp_post(&s->b, s->qp, &p->wr);

	if (r == PENDING)
		return;
	p->r = r;
	(void)sem_post(&p->over);
}

enum wc_status
rig_wait(struct posted *p)
{
	while (sem_wait(&p->over) == -1)
		continue;
	(void)sem_destroy(&p->over);
	return p->wr.req.wc.status;
}

enum wc_status
rig_do(struct side *s, struct posted *p)
{
	rig_post(s, p);
	return rig_wait(p);
}

void
rig_fill(struct side *s, int c)
{
	char *buf = malloc(s->mem.length);

	if (buf == NULL)
		bail_out("out of memory");
	memset(buf, c, s->mem.length);
	if (mem_write(&s->mem, buf, s->mem.length, 0, &rig_err) !=
	    (ssize_t)s->mem.length)
		bail_out("mem_write: %s", rig_err.text);
	free(buf);
}

bool
rig_is(const struct side *s, uint64_t off, uint64_t length, int c)
{
	unsigned char *buf = malloc(length + 1);
	uint64_t i = 0;

	if (buf == NULL)
		bail_out("out of memory");
	if (mem_read(&s->mem, buf, length, off, &rig_err) != (ssize_t)length)
		bail_out("mem_read: %s", rig_err.text);
	while (i < length && buf[i] == c)
		i++;
	free(buf);
	return i == length;
}
