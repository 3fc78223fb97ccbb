/* SPDX-License-Identifier: MIT */
/*
 * For N = 1, 2, ...: call N of the device fails, or allocation N, in a life
 * that has everything in it, until one passes in which nothing failed.  Each
 * time the command that failed says why and has changed nothing, it succeeds
 * when it is tried again, and at the end nothing is left.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "fault.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"
#include "qp.h"
#include "rmem.h"
#include "tap.h"

#define BINDS 257 /* of one window: its tags are used up once (W9) */

/* Calls from here to there are binds all alike: some of them will do. */
#define ALIKE_FIRST 20
#define ALIKE_LAST  240
#define ALIKE_STEP  55

/*
 * Allocations: the linker leads core's here.
 */
static atomic_uint allocations, failing; /* the number of the one that fails */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
char *__wrap_strdup(const char *s);

static bool
allocation_fails(void)
{
	return atomic_load(&failing) != 0 &&
	       atomic_fetch_add(&allocations, 1) + 1 == atomic_load(&failing);
}

void *
__wrap_malloc(size_t n)
{
	return allocation_fails() ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return allocation_fails() ? NULL : __real_calloc(n, size);
}

char *
__wrap_strdup(const char *s)
{
	return allocation_fails() ? NULL : __real_strdup(s);
}

/*
 * A soft device that counts what it has.
 */
static atomic_int pds, regions, windows, pairs;
static struct backend_ops counted;

static int
count(int r, atomic_int *n, int by)
{
	if (r == 0)
		atomic_fetch_add(n, by);
	return r;
}

static int
counted_pd_alloc(struct backend *b, struct bk_pd **out, struct err *e)
{
	return count(soft_ops.pd_alloc(b, out, e), &pds, 1);
}

static int
counted_pd_free(struct backend *b, struct bk_pd *pd, struct err *e)
{
	return count(soft_ops.pd_free(b, pd, e), &pds, -1);
}

static int
counted_mr_reg(struct backend *b, struct bk_pd *pd, struct mem *mem,
    uint64_t iova, uint32_t rights, struct bk_mr **out, struct mr_keys *keys,
    struct err *e)
{
	return count(soft_ops.mr_reg(b, pd, mem, iova, rights, out, keys, e),
	    &regions, 1);
}

static int
counted_mr_dereg(struct backend *b, struct bk_mr *mr, struct err *e)
{
	return count(soft_ops.mr_dereg(b, mr, e), &regions, -1);
}

static int
counted_mw_alloc(struct backend *b, struct bk_pd *pd, enum mw_type type,
    struct bk_mw **out, struct err *e)
{
	return count(soft_ops.mw_alloc(b, pd, type, out, e), &windows, 1);
}

static int
counted_mw_free(struct backend *b, struct bk_mw *mw, struct err *e)
{
	return count(soft_ops.mw_free(b, mw, e), &windows, -1);
}

static int
counted_qp_create(struct backend *b, struct bk_pd *pd, const struct qp_args *a,
    struct bk_qp **out, struct qp_addr *local, struct err *e)
{
	return count(soft_ops.qp_create(b, pd, a, out, local, e), &pairs, 1);
}

static int
counted_qp_destroy(struct backend *b, struct bk_qp *qp, struct err *e)
{
	return count(soft_ops.qp_destroy(b, qp, e), &pairs, -1);
}

/* As hardware does it, windows are allocated for each bind (D8). */
static int
counted_open(struct backend *b, const char *name, struct err *e)
{
	int r = soft_ops.open(b, name, e);

	if (r == 0)
		b->info.fresh_type_2 = true;
	return r;
}

static void
count_soft(bool as_hardware)
{
	counted = soft_ops;
	counted.pd_alloc = counted_pd_alloc;
	counted.pd_free = counted_pd_free;
	counted.mr_reg = counted_mr_reg;
	counted.mr_dereg = counted_mr_dereg;
	counted.mw_alloc = counted_mw_alloc;
	counted.mw_free = counted_mw_free;
	counted.qp_create = counted_qp_create;
	counted.qp_destroy = counted_qp_destroy;
	if (as_hardware) {
		counted.open = counted_open;
		counted.mr_rereg = NULL;
	}
}

/*
 * A life: what is done in it, one command after the other.
 */
static struct life {
	struct world w;
	struct dev *dev;
	/* Domains, regions, windows, queue pairs, a mapping; referenced. */
	struct obj *pd, *pd2, *a, *b, *v, *u, *t, *q, *p, *m;
} life;

static const struct owner owner = { 0, 0, 0755 };

/* A command that is waited for. */
struct wait {
	struct op op;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool over;
	int r;
};

static void
wait_done(struct op *op, int r)
{
	struct wait *wt = (struct wait *)(void *)op;

	(void)pthread_mutex_lock(&wt->lock);
	wt->over = true;
	wt->r = r;
	(void)pthread_cond_signal(&wt->cond);
	(void)pthread_mutex_unlock(&wt->lock);
}

static void
wait_init(struct wait *wt, struct obj *o)
{
	wt->over = false;
	(void)pthread_mutex_init(&wt->lock, NULL);
	(void)pthread_cond_init(&wt->cond, NULL);
	op_init(&wt->op, o, "test", wait_done, wait_done);
}

/* What the command function returned, or what became of it. */
static int
wait_for(struct wait *wt, int r)
{
	if (r != PENDING)
		return r;
	(void)pthread_mutex_lock(&wt->lock);
	while (!wt->over)
		(void)pthread_cond_wait(&wt->cond, &wt->lock);
	wt->over = false;
	(void)pthread_mutex_unlock(&wt->lock);
	return wt->r;
}

static int
wait_end(struct wait *wt, int r, struct err *e)
{
	*e = wt->op.err;
	(void)pthread_cond_destroy(&wt->cond);
	(void)pthread_mutex_destroy(&wt->lock);
	return r;
}

/* Runs a command on o in its turn. */
static int
command(struct obj *o, int (*run)(struct op *op), struct err *e)
{
	struct wait wt;
	int r;

	wait_init(&wt, o);
	if ((r = wait_for(&wt, op_begin(&wt.op, true))) == 0) {
		r = wait_for(&wt, run(&wt.op));
		op_end(&wt.op);
	}
	return wait_end(&wt, r, e);
}

/* What is made by a command in parent. */
static int
make_in(struct obj *parent, const char *name,
    int (*make)(struct op *, const char *, const struct owner *, struct obj **),
    struct obj **out, struct err *e)
{
	struct wait wt;
	int r;

	wait_init(&wt, parent);
	r = wait_for(&wt, make(&wt.op, name, &owner, out));
	obj_unref(wt.op.obj);
	return wait_end(&wt, r, e);
}

static int
make_pd(struct err *e)
{
	return make_in(&life.dev->o, "lab", pd_new, &life.pd, e);
}

static int
make_pd2(struct err *e)
{
	return make_in(&life.dev->o, "other", pd_new, &life.pd2, e);
}

static int
make_q(struct err *e)
{
	return make_in(life.pd, "q", qp_new, &life.q, e);
}

static int
make_p(struct err *e)
{
	return make_in(life.pd, "p", qp_new, &life.p, e);
}

static int
make_m(struct err *e)
{
	return rmem_new(qp_of(life.p), "m", &owner, &life.m, e);
}

static int
make_t(struct err *e)
{
	return mw_new(pd_of(life.pd), "t", &owner, &life.t, e);
}

static int
make_a(struct err *e)
{
	return mr_new(pd_of(life.pd), "a", &owner, &life.a, e);
}

static int
make_b(struct err *e)
{
	return mr_new(pd_of(life.pd), "b", &owner, &life.b, e);
}

static int
make_v(struct err *e)
{
	return mw_new(pd_of(life.pd), "v", &owner, &life.v, e);
}

/* As a clone: without a name. */
static int
make_u(struct err *e)
{
	return mw_new(pd_of(life.pd), NULL, &owner, &life.u, e);
}

static int
run_reg(struct op *op)
{
	const struct mr_reg_args args = { .fd = -1,
		.length = 8192,
		.rights = RIGHT_LOCAL_WRITE | RIGHT_MW_BIND };

	return mr_reg(op, &args);
}

static int
run_rereg(struct op *op)
{
	return mr_rereg(
	    op, RIGHT_LOCAL_WRITE | RIGHT_MW_BIND | RIGHT_REMOTE_READ, NULL);
}

static int
run_bind(struct op *op)
{
	const struct bind_args args = { 0, 4096, RIGHT_REMOTE_WRITE };

	return mw_bind(op, mr_of(life.a), NULL, &args);
}

static int
run_bind_b(struct op *op)
{
	const struct bind_args args = { 4096, 4096, RIGHT_REMOTE_READ };

	return mw_bind(op, mr_of(life.b), NULL, &args);
}

static int
run_move(struct op *op)
{
	return mr_rereg(op, mr_of(op->obj)->rights, pd_of(life.pd2));
}

static int
run_move_back(struct op *op)
{
	return mr_rereg(op, mr_of(op->obj)->rights, pd_of(life.pd));
}

static int
run_type_2(struct op *op)
{
	return mw_type(op, MW_TYPE_2);
}

static int
run_bind_over(struct op *op)
{
	const struct bind_args args = { 0, 4096, RIGHT_REMOTE_WRITE };

	return mw_bind(op, mr_of(life.a), qp_of(life.q), &args);
}

static int
run_uc(struct op *op)
{
	return qp_settype(op, QP_UC, 0, -1);
}

static int
run_rc(struct op *op)
{
	return qp_settype(op, QP_RC, 0, -1);
}

static int
run_connect(struct op *op)
{
	const struct obj *peer = op->obj == life.q ? life.p : life.q;
	const struct qp_addr to = ((const struct qp *)peer)->local;

	return qp_connect(op, &to);
}

static int
run_qp_rights(struct op *op)
{
	return qp_rights(op, RIGHT_REMOTE_WRITE | RIGHT_MW_BIND);
}

/* Through the window t, from b. */
static int
run_write(struct op *op)
{
	const struct mw *t = mw_of(life.t);
	const struct qp_transfer tr = { .op = WR_WRITE,
		.mr = mr_of(life.b),
		.length = 64,
		.addr = mw_addr(t),
		.rkey = t->rkey.value };

	return qp_transfer(op, &tr);
}

static int
run_recv(struct op *op)
{
	const struct qp_transfer tr = {
		.op = WR_RECV, .mr = mr_of(life.b), .length = 64
	};

	return qp_transfer(op, &tr);
}

static int
run_map(struct op *op)
{
	const struct mw *t = mw_of(life.t);

	return rmem_map(op, mw_addr(t), 4096, t->rkey.value);
}

static int
run_destroy_qp(struct op *op)
{
	return qp_destroy(op, true);
}

static int
run_rights(struct op *op)
{
	return mw_rights(op, RIGHT_REMOTE_READ);
}

static int
run_destroy_mr(struct op *op)
{
	return mr_destroy(op, true);
}

static int
run_destroy_pd(struct op *op)
{
	return pd_destroy(op, true);
}

static int
rename_v(struct err *e)
{
	int r;

	world_lock(&life.w);
	r = obj_rename(life.v, "window", 0, e);
	world_unlock(&life.w);
	return r;
}

static const struct step {
	const char *name;
	int (*make)(struct err *e); /* or: */
	int (*run)(struct op *op);
	struct obj **on;
	unsigned times; /* 0: once */
	/* What it has done before it failed stays done: of many things, the
	 * last one failed. */
	bool partly;
} steps[] = {
	{ "make a domain", .make = make_pd },
	{ "make a region", .make = make_a },
	{ "make another", .make = make_b },
	{ "make a window", .make = make_v },
	{ "make one without a name", .make = make_u },
	{ "reg", .run = run_reg, .on = &life.a },
	{ "reg the other", .run = run_reg, .on = &life.b },
	{ "rereg", .run = run_rereg, .on = &life.a },
	{ "bind", .run = run_bind, .on = &life.v },
	{ "bind elsewhere", .run = run_bind_b, .on = &life.v },
	{ "rename", .make = rename_v },
	{ "bind again and again", .run = run_bind, .on = &life.v,
	    .times = BINDS },
	{ "rights of a bound window", .run = run_rights, .on = &life.v },
	{ "invalidate", .run = mw_invalidate, .on = &life.v },
	{ "bind the other window", .run = run_bind_b, .on = &life.u },
	{ "dereg", .run = mr_dereg, .on = &life.a },
	{ "reg anew", .run = run_reg, .on = &life.a },
	{ "make another domain", .make = make_pd2 },
	{ "move a region", .run = run_move, .on = &life.a },
	{ "move it back", .run = run_move_back, .on = &life.a },
	{ "make a queue pair", .make = make_q },
	{ "make its peer", .make = make_p },
	{ "make a type 2 window", .make = make_t },
	{ "type 2", .run = run_type_2, .on = &life.t },
	{ "type uc", .run = run_uc, .on = &life.q },
	{ "type rc", .run = run_rc, .on = &life.q },
	{ "connect", .run = run_connect, .on = &life.q },
	{ "connect the peer", .run = run_connect, .on = &life.p },
	{ "rights of a queue pair", .run = run_qp_rights, .on = &life.q },
	{ "bind over it", .run = run_bind_over, .on = &life.t },
	{ "write", .run = run_write, .on = &life.p },
	{ "recv", .run = run_recv, .on = &life.q },
	{ "make a mapping", .make = make_m },
	{ "map", .run = run_map, .on = &life.m },
	{ "invalidate type 2", .run = mw_invalidate, .on = &life.t },
	{ "bind over it again", .run = run_bind_over, .on = &life.t },
	{ "reset with a window", .run = qp_reset, .on = &life.q,
	    .partly = true },
	{ "reset the peer", .run = qp_reset, .on = &life.p, .partly = true },
	{ "connect anew", .run = run_connect, .on = &life.q },
	{ "bind for the end of it", .run = run_bind_over, .on = &life.t },
	{ "destroy a queue pair", .run = run_destroy_qp, .on = &life.p,
	    .partly = true },
	{ "destroy a region with a window", .run = run_destroy_mr,
	    .on = &life.b, .partly = true },
	{ "bind for the end", .run = run_bind, .on = &life.u },
	{ "destroy a window", .run = mw_destroy, .on = &life.v },
	{ "destroy all", .run = run_destroy_pd, .on = &life.pd,
	    .partly = true },
};

/*
 * What an object is, in a line.
 */
static void
print_mr(FILE *f, const struct mr *mr)
{
	(void)fprintf(f,
	    "%s active=%d changing=%d dying=%d rights=%x lkey=%x rkey=%x "
	    "windows=%zu binding=%u length=%llu\n",
	    mr->o.name, mr->active, mr->changing, mr->o.dying, mr->rights,
	    mr->keys.lkey, mr->keys.rkey, mr->nwindows, mr->uses,
	    (unsigned long long)mr->mem.length);
}

static void
print_mw(FILE *f, const struct mw *mw)
{
	(void)fprintf(f,
	    "%s mr=%s dying=%d rights=%x rkey=%x offset=%llu type=%u\n",
	    mw->o.name, mw->mr != NULL ? mw->mr->o.name : "", mw->o.dying,
	    mw->bound.rights, mw->rkey.value,
	    (unsigned long long)mw->bound.offset, mw->type);
}

static void
print_qp(FILE *f, const struct qp *qp)
{
	(void)fprintf(f,
	    "%s type=%u state=%u connected=%d dying=%d rights=%x num=%u "
	    "psn=%u windows=%zu uses=%u mem=%zu\n",
	    qp->o.name, qp->type, qp->state, qp->connected, qp->o.dying,
	    qp->rights, qp->local.qpn, qp->local.psn, qp->nwindows, qp->uses,
	    qp->sets[0].count);
}

/* What counts for whom: that a failure leaves no charge behind. */
static void
print_usage(FILE *f)
{
	const struct limit_user *u = limits_from(&life.dev->limits, 0);

	if (u != NULL)
		(void)fprintf(f,
		    "uid %u mr=%llu mw=%llu qp=%llu pd=%llu "
		    "bytes=%llu\n",
		    u->uid, (unsigned long long)u->use[LIMIT_MR],
		    (unsigned long long)u->use[LIMIT_MW],
		    (unsigned long long)u->use[LIMIT_QP],
		    (unsigned long long)u->use[LIMIT_PD],
		    (unsigned long long)u->use[LIMIT_BYTES]);
}

/* Whether that is what there is: all of it is one user's. */
static bool
usage_agrees(const char *what, unsigned n)
{
	const struct limit_user *u = limits_from(&life.dev->limits, 0);
	static const uint64_t none[LIMITS];
	const uint64_t *use = u != NULL ? u->use : none;

	return (use[LIMIT_MR] == life.dev->mrs &&
		   use[LIMIT_MW] == life.dev->mws &&
		   use[LIMIT_QP] == life.dev->qps &&
		   use[LIMIT_PD] == life.dev->sets[1].count) ||
	       ok(false, "%s %u: what is counted is what there is", what, n);
}

/* All that there is, malloc'ed. */
static char *
snapshot(void)
{
	struct set *sets = life.dev->sets;
	struct obj *pd, *o;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	world_lock(&life.w);
	(void)fprintf(f, "pd=%zu mr=%u mw=%u qp=%u mem=%u keys=%zu\n",
	    sets[1].count, life.dev->mrs, life.dev->mws, life.dev->qps,
	    life.dev->mems, life.dev->keys.count);
	print_usage(f);
	RB_FOREACH (pd, obj_children, &sets[1].children) {
		(void)fprintf(f, "%s dying=%d mr=%zu mw=%zu qp=%zu uses=%u\n",
		    pd->name, pd->dying, pd->sets[0].count, pd->sets[1].count,
		    pd->sets[2].count, pd_of(pd)->uses);
		RB_FOREACH (o, obj_children, &pd->sets[0].children)
			print_mr(f, mr_of(o));
		RB_FOREACH (o, obj_children, &pd->sets[1].children)
			print_mw(f, mw_of(o));
		RB_FOREACH (o, obj_children, &pd->sets[2].children)
			print_qp(f, qp_of(o));
	}
	world_unlock(&life.w);
	(void)fclose(f);
	return text;
}

static int
step_run(const struct step *s, struct err *e)
{
	err_clear(e);
	return s->make != NULL ? s->make(e) : command(*s->on, s->run, e);
}

/* One step, once more if it failed; false: it is not as it should be. */
static bool
step_twice(const struct step *s, const char *what, unsigned n)
{
	char *before = snapshot(), *after;
	struct err e;
	bool pass = true;
	int r;

	if ((r = step_run(s, &e)) < 0) {
		after = snapshot();
		if (e.code != -r || e.text[0] == '\0')
			pass = ok(false, "%s %u: %s: %d has a reason, not %d",
			    what, n, s->name, -r, e.code);
		if (!s->partly && strcmp(before, after) != 0)
			pass = is_str(after, before,
			    "%s %u: %s: as before when it fails: %s", what, n,
			    s->name, e.text);
		free(after);
		if ((r = step_run(s, &e)) < 0)
			pass = ok(false, "%s %u: %s, again: %s", what, n,
			    s->name, e.text);
	}
	free(before);
	return pass;
}

static bool
live(const char *what, unsigned n)
{
	const struct step *s;
	unsigned i;
	bool pass = true;

	for (s = steps; pass && s < steps + NELEM(steps); s++)
		for (i = 0; pass && i < (s->times ? s->times : 1); i++)
			pass = step_twice(s, what, n) && usage_agrees(what, n);
	return pass;
}

/* Before and after life: the world and its device. */
static bool
begin(struct fault *f)
{
	struct err e;

	if (world_init(&life.w, 0, 0, &e) < 0 ||
	    dev_add(&life.w, fault_ops(f), "soft0", NULL, NULL, &e) < 0)
		bail_out("set-up: %s", e.text);
	world_lock(&life.w);
	life.dev = dev_of(obj_by_name(&life.w.devs, "soft0"));
	world_unlock(&life.w);
	return true;
}

/* What the life has left: with it goes all. */
static bool
empty_pd2(void)
{
	struct err e;

	return life.pd2 == NULL || command(life.pd2, run_destroy_pd, &e) == 0 ||
	       ok(false, "destroy the other domain: %s", e.text);
}

static bool
end(const char *what, unsigned n)
{
	struct obj **o[] = { &life.a, &life.b, &life.v, &life.u, &life.t,
		&life.m, &life.q, &life.p, &life.pd, &life.pd2 };
	bool counted_out;
	size_t i;
	int left;

	counted_out = empty_pd2() && limits_from(&life.dev->limits, 0) == NULL;
	dev_remove_all(&life.w);
	for (i = 0; i < NELEM(o); i++) {
		obj_unref(*o[i]);
		*o[i] = NULL;
	}
	world_fini(&life.w);
	left = atomic_load(&pds) + atomic_load(&regions) +
	       atomic_load(&windows) + atomic_load(&pairs);
	atomic_store(&pds, 0);
	atomic_store(&regions, 0);
	atomic_store(&windows, 0);
	atomic_store(&pairs, 0);
	if (left != 0)
		return is_int(left, 0, "%s %u: nothing is left", what, n);
	return counted_out ||
	       ok(false, "%s %u: nobody is charged any more", what, n);
}

/* Fails call after call, until there is no such call. */
static void
fail_calls(const char *what, bool async)
{
	struct fault *f;
	unsigned n = 0, bad = 0;
	bool struck = true;

	while (struck && bad < 5) {
		if ((f = fault_new(&counted)) == NULL)
			bail_out("out of memory");
		(void)begin(f);
		n += n >= ALIKE_FIRST && n < ALIKE_LAST ? ALIKE_STEP : 1;
		fault_fail(f, NULL, n, EIO, async);
		bad += !live(what, n);
		struck = fault_struck(f);
		fault_fail(f, NULL, 0, 0, false);
		bad += !end(what, n);
		fault_free(f);
	}
	ok(bad == 0 && n > BINDS, "%s: of %u calls each fails alone", what,
	    n - 1);
}

static void
fail_allocations(void)
{
	struct fault *f;
	unsigned n = 0, bad = 0;
	bool struck = true;

	while (struck && bad < 5) {
		if ((f = fault_new(&counted)) == NULL)
			bail_out("out of memory");
		(void)begin(f);
		atomic_store(&allocations, 0);
		atomic_store(&failing, ++n);
		bad += !live("allocation", n);
		struck = atomic_load(&allocations) >= n;
		atomic_store(&failing, 0);
		bad += !end("allocation", n);
		fault_free(f);
	}
	ok(bad == 0 && n > 10, "of %u allocations each fails alone", n - 1);
}

int
main(void)
{
	count_soft(false);
	fail_calls("call", false);
	fail_calls("completion", true);
	count_soft(true);
	fail_calls("call as of hardware", false);
	fail_calls("completion as of hardware", true);
	count_soft(false);
	fail_allocations();
	return done_testing();
}
