/* SPDX-License-Identifier: MIT */
/* A world with soft devices; see corerig.h. */
#include <stdatomic.h>

#include "corerig.h"
#include "soft.h"
#include "tap.h"

struct world core_world;

static const struct owner owner = { 7, 7, 0755 };
static struct err why;

/* The one command under way, and what it is given. */
static atomic_bool ended;
static atomic_int result;
static struct mr_reg_args reg_args;
static struct bind_args bind_args;
static struct mr *bind_mr;
static struct qp *bind_qp;
static uint32_t new_rights;

static void
never(struct op *op, int r)
{
	bail_out("%s had to wait", op->verb);
}

static void
over(struct op *op, int r)
{
	atomic_store(&result, r);
	atomic_store(&ended, true);
}

/* Each step of a command is some pool's; the last one calls over(). */
static int
settle(int r)
{
	if (r != PENDING)
		return r;
	while (!atomic_load(&ended)) {
		pool_drain(core_world.pin);
		pool_drain(core_world.slow);
		pool_drain(core_world.runner);
	}
	return atomic_load(&result);
}

static void
begin(struct op *op, struct obj *o)
{
	atomic_store(&ended, false);
	op_init(op, o, "test", never, over);
	op->reader = owner.uid;
}

int
core_try(struct obj *o, int (*run)(struct op *op))
{
	struct op op;
	int r;

	begin(&op, o);
	if ((r = op_begin(&op, true)) != 0)
		bail_out("no turn: %d", r);
	r = settle(run(&op));
	why = op.err;
	op_end(&op);
	return r;
}

void
core_do(struct obj *o, int (*run)(struct op *op))
{
	if (core_try(o, run) < 0)
		bail_out("%s: %s", o->name, why.text);
}

void
core_open(struct dev *devs[2])
{
	static const char *const names[2] = { "soft0", "soft1" };
	struct err e;
	int i;

	if (world_init(&core_world, 0, 0, &e) < 0)
		bail_out("world: %s", e.text);
	for (i = 0; i < 2; i++) {
		if (dev_add(&core_world, &soft_ops, names[i], NULL, NULL, &e) <
		    0)
			bail_out("%s: %s", names[i], e.text);
		devs[i] = dev_of(obj_by_name(&core_world.devs, names[i]));
	}
}

void
core_close(void)
{
	dev_remove_all(&core_world);
	world_fini(&core_world);
}

static struct obj *
make(struct obj *in, const char *name,
    int (*fn)(struct op *, const char *, const struct owner *, struct obj **))
{
	struct obj *o;
	struct op op;

	begin(&op, in);
	if (settle(fn(&op, name, &owner, &o)) < 0)
		bail_out("%s: %s", name, op.err.text);
	obj_unref(op.obj);
	obj_unref(o);
	return o;
}

struct pd *
core_pd(struct dev *d, const char *name)
{
	return pd_of(make(&d->o, name, pd_new));
}

struct mr *
core_mr(struct pd *pd, const char *name)
{
	struct obj *o;
	struct err e;

	if (mr_new(pd, name, &owner, &o, &e) < 0)
		bail_out("%s: %s", name, e.text);
	obj_unref(o);
	return mr_of(o);
}

static int
run_type_2(struct op *op)
{
	return mw_type(op, MW_TYPE_2);
}

struct mw *
core_mw(struct pd *pd, const char *name, enum mw_type type)
{
	struct obj *o;
	struct err e;

	if (mw_new(pd, name, &owner, &o, &e) < 0)
		bail_out("%s: %s", name, e.text);
	obj_unref(o);
	if (type == MW_TYPE_2)
		core_do(o, run_type_2);
	return mw_of(o);
}

static int
run_uc(struct op *op)
{
	return qp_settype(op, QP_UC, 0, -1);
}

static int
run_connect(struct op *op)
{
	const struct qp_addr self = qp_of(op->obj)->local;

	return qp_connect(op, &self);
}

struct qp *
core_qp(struct pd *pd, const char *name, enum qp_type type)
{
	struct obj *o = make(&pd->o, name, qp_new);

	if (type == QP_UC)
		core_do(o, run_uc);
	core_do(o, run_connect);
	return qp_of(o);
}

static int
run_reg(struct op *op)
{
	return mr_reg(op, &reg_args);
}

void
core_reg(struct mr *mr, uint64_t length, uint32_t rights, uint64_t iova)
{
	reg_args = (struct mr_reg_args){ .fd = -1,
		.length = length,
		.rights = rights,
		.iova = iova,
		.with_iova = iova != 0 };
	core_do(&mr->o, run_reg);
}

static int
run_bind(struct op *op)
{
	return mw_bind(op, bind_mr, bind_qp, &bind_args);
}

void
core_bind(struct mw *mw, struct mr *mr, struct qp *qp, uint64_t offset,
    uint64_t length, uint32_t rights)
{
	bind_args = (struct bind_args){ offset, length, rights, 0 };
	bind_mr = mr;
	bind_qp = qp;
	core_do(&mw->o, run_bind);
}

static int
run_rights(struct op *op)
{
	return qp_rights(op, new_rights);
}

void
core_rights(struct qp *qp, uint32_t rights)
{
	new_rights = rights;
	core_do(&qp->o, run_rights);
}
