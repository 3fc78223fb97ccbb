/* SPDX-License-Identifier: MIT */
/* Memory regions; see mr.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dev.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"
#include "rules.h"

/* Rights that have a name; an optional bit without one is ignored (M3). */
#define RIGHT_KEPT (0x3ffu | RIGHT_RELAXED_ORDERING)

struct mr *
mr_of(struct obj *o)
{
	return (struct mr *)(void *)o;
}

static struct backend *
mr_backend(struct mr *mr)
{
	return &dev_of(&mr->o)->b;
}

int
mr_new(struct pd *pd, const char *name, const struct owner *owner,
    struct obj **out, struct err *e)
{
	struct mr *mr = calloc(1, sizeof(*mr));
	struct world *w = pd->o.world;
	int r;

	if (mr == NULL)
		return fail(e, ENOMEM, "out of memory for a region");
	r = obj_init(&mr->o, &pd->o, KIND_MR, name, owner, NULL, 0, e);
	if (r < 0) {
		free(mr);
		return r;
	}
	RB_INIT(&mr->windows);
	world_lock(w);
	if ((r = obj_insert(&mr->o, e)) == 0)
		dev_of(&mr->o)->mrs++;
	world_unlock(w);
	if (r < 0)
		obj_unref(&mr->o);
	else
		*out = &mr->o;
	return r;
}

/*
 * Giving memory back: in a thread of its own, after the answer.
 */
struct release {
	struct work work;
	struct mem mem;
};

static void
release_work(struct work *w)
{
	struct release *rel = (struct release *)(void *)w;

	mem_free(&rel->mem);
	free(rel);
}

static void
mem_release(struct world *w, struct mem *mem)
{
	struct release *rel = malloc(sizeof(*rel));

	if (rel == NULL) {
		mem_free(mem);
		return;
	}
	rel->mem = *mem;
	rel->work.fn = release_work;
	pool_submit(w->release, &rel->work);
}

/*
 * Registration.
 */
static int
mr_size_allowed(const struct mr *mr, uint64_t length, struct err *e)
{
	uint64_t max = dev_of(mr->o.parent)->b.info.max_mr_size;

	if (length <= max)
		return 0;
	return fail_at(e, "length", EINVAL,
	    "%llu bytes are over this device's max_mr_size, %llu",
	    (unsigned long long)length, (unsigned long long)max);
}

static int
mr_reg_allowed(const struct mr *mr, const struct mr_reg_args *a, struct err *e)
{
	const struct dev_info *info = &dev_of(mr->o.parent)->b.info;
	int r;

	if (mr->active)
		return fail(e, EBUSY,
		    "registered already, %llu bytes; dereg comes first",
		    (unsigned long long)mr->mem.length);
	if (a->fd < 0 && a->length == 0)
		return fail_at(e, "length", EINVAL, "length is zero (M5)");
	if ((r = mr_size_allowed(mr, a->length, e)) < 0)
		return r;
	if (a->with_iova && (a->rights & RIGHT_ZERO_BASED))
		return fail_at(e, "iova", EINVAL,
		    "a zero_based region's addresses count from 0: iova= "
		    "cannot be given (M4)");
	return rule_region_rights(info, a->rights, e);
}

/* The remote address of the first byte. */
static uint64_t
mr_iova(const struct op *op, const struct mem *mem)
{
	if (op->u.mr.rights & RIGHT_ZERO_BASED)
		return 0;
	return op->u.mr.with_iova ? op->u.mr.iova : (uintptr_t)mem->addr;
}

static int
mr_reg_try(struct op *op, struct bk_mr **b, struct mr_keys *keys)
{
	struct mr *mr = mr_of(op->obj);
	struct mem *mem = &op->u.mr.mem;
	bool own = mem->map == NULL;
	int r = 0;

	if (own)
		r = mem_new(mem, op->u.mr.length, op->u.mr.page, &op->err);
	if (r < 0)
		return r;
	r = rule_region_range(
	    (uintptr_t)mem->addr, mem->length, mr_iova(op, mem), &op->err);
	if (r == 0)
		r = backend_mr_reg(mr_backend(mr), pd_above(&mr->o)->b, mem,
		    mr_iova(op, mem), op->u.mr.rights, b, keys, &op->err);
	if (r < 0 && own) {
		mem_free(mem);
		memset(mem, 0, sizeof(*mem));
	}
	return r;
}

static void
mr_reg_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct mr *mr = mr_of(op->obj);
	struct mr_keys keys;
	struct bk_mr *b;
	int r;

	r = mr_reg_try(op, &b, &keys);
	if (r == -ENOMEM) {
		/* What was deregistered lately may still be on its way back
		 * to the system. */
		pool_drain(mr->o.world->release);
		r = mr_reg_try(op, &b, &keys);
	}
	if (r < 0)
		mem_free(&op->u.mr.mem);
	world_lock(mr->o.world);
	mr->changing = false;
	if (r == 0) {
		mr->active = true;
		mr->emulated = false;
		mr->b = b;
		mr->keys = keys;
		mr->mem = op->u.mr.mem;
		mr->iova = mr_iova(op, &mr->mem);
		mr->with_iova = op->u.mr.with_iova;
		mr->rights = op->u.mr.rights & RIGHT_KEPT;
		obj_touch(&mr->o);
	}
	world_unlock(mr->o.world);
	explicit_bzero(&keys, sizeof(keys));
	op->done(op, r);
}

/* Submits what may sleep; the region's state is changing until it is done. */
static int
mr_change(struct op *op, void (*work)(struct work *))
{
	op->work.fn = work;
	pool_submit(op->obj->world->pin, &op->work);
	return PENDING;
}

static int
mr_reg_map(struct op *op, const struct mr_reg_args *a)
{
	int r;

	r = mem_from_fd(&op->u.mr.mem, a->fd, a->offset, a->length, &op->err);
	if (r < 0) {
		close(a->fd);
		return r;
	}
	r = mr_size_allowed(mr_of(op->obj), op->u.mr.mem.length, &op->err);
	if (r == 0)
		r = rule_memory(a->rights, op->u.mr.mem.writable, &op->err);
	if (r < 0)
		mem_free(&op->u.mr.mem);
	return r;
}

int
mr_reg(struct op *op, const struct mr_reg_args *a)
{
	struct mr *mr = mr_of(op->obj);
	int r;

	memset(&op->u.mr, 0, sizeof(op->u.mr));
	world_lock(mr->o.world);
	r = mr_reg_allowed(mr, a, &op->err);
	world_unlock(mr->o.world);
	if (r < 0) {
		if (a->fd >= 0)
			close(a->fd);
		return r;
	}
	if (a->fd >= 0 && (r = mr_reg_map(op, a)) < 0)
		return r;
	op->u.mr.length = a->length;
	op->u.mr.page = a->page;
	op->u.mr.iova = a->iova;
	op->u.mr.with_iova = a->with_iova;
	op->u.mr.rights = a->rights;
	world_lock(mr->o.world);
	mr->changing = op->slow = true;
	world_unlock(mr->o.world);
	return mr_change(op, mr_reg_work);
}

/*
 * Re-registration.
 */

/* The same memory registered anew before the old registration goes, so that
 * nothing is lost on a device without ibv_rereg_mr (D6). */
static int
mr_rereg_emulate(
    struct mr *mr, uint32_t rights, struct mr_keys *keys, struct err *e)
{
	struct backend *b = mr_backend(mr);
	struct bk_mr *fresh;
	int r;

	r = backend_mr_reg(b, pd_above(&mr->o)->b, &mr->mem, mr->iova, rights,
	    &fresh, keys, e);
	if (r < 0)
		return r;
	if ((r = backend_mr_dereg(b, mr->b, e)) < 0) {
		(void)backend_mr_dereg(b, fresh, NULL);
		return r;
	}
	mr->b = fresh;
	return 0;
}

/* What a region is after its keys have ended; lock held.  The memory is the
 * caller's from then on. */
static struct mem
mr_ended(struct mr *mr)
{
	struct mem mem = mr->mem;

	mr->active = mr->changing = false;
	mr->b = NULL;
	explicit_bzero(&mr->keys, sizeof(mr->keys));
	memset(&mr->mem, 0, sizeof(mr->mem));
	obj_touch(&mr->o);
	return mem;
}

static void
mr_rereg_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct mr *mr = mr_of(op->obj);
	struct world *world = mr->o.world;
	struct mr_keys keys;
	struct mem mem;
	bool gone = false, emulated = false;
	int r;

	r = backend_mr_rereg(mr_backend(mr), mr->b, NULL, op->u.mr.rights,
	    &keys, &gone, &op->err);
	if (r == -EOPNOTSUPP) {
		emulated = true;
		r = mr_rereg_emulate(mr, op->u.mr.rights, &keys, &op->err);
	}
	if (gone)
		(void)backend_mr_dereg(mr_backend(mr), mr->b, NULL);
	world_lock(world);
	mr->changing = false;
	if (r == 0) {
		mr->keys = keys;
		mr->rights = op->u.mr.rights & RIGHT_KEPT;
		mr->emulated |= emulated;
		obj_touch(&mr->o);
	}
	if (gone)
		mem = mr_ended(mr);
	world_unlock(world);
	if (gone)
		mem_release(world, &mem);
	explicit_bzero(&keys, sizeof(keys));
	op->done(op, r);
}

static int
mr_rereg_allowed(struct mr *mr, uint32_t rights, struct err *e)
{
	int r;

	if (!mr->active)
		return fail(e, ENODATA, "not registered");
	if ((r = rule_no_windows(mr, e)) < 0)
		return r;
	if ((rights ^ mr->rights) & RIGHT_ZERO_BASED)
		return fail_at(e, "zero_based", EINVAL,
		    "zero_based is chosen at reg, because it decides the "
		    "addresses");
	r = rule_region_rights(&mr_backend(mr)->info, rights, e);
	return r < 0 ? r : rule_memory(rights, mr->mem.writable, e);
}

int
mr_rereg(struct op *op, uint32_t rights)
{
	struct mr *mr = mr_of(op->obj);
	int r;

	world_lock(mr->o.world);
	if ((r = mr_rereg_allowed(mr, rights, &op->err)) == 0)
		mr->changing = op->slow = true;
	world_unlock(mr->o.world);
	if (r < 0)
		return r;
	op->u.mr.rights = rights;
	return mr_change(op, mr_rereg_work);
}

int
mr_rights(struct op *op, uint32_t rights)
{
	struct mr *mr = mr_of(op->obj);
	struct world *w = mr->o.world;
	int r;

	/* active changes only in a command that has its turn: ours. */
	if (mr->active)
		return mr_rereg(op, rights);
	world_lock(w);
	r = rule_region_rights(&mr_backend(mr)->info, rights, &op->err);
	if (r == 0) {
		mr->rights = rights & RIGHT_KEPT;
		obj_touch(&mr->o);
	}
	world_unlock(w);
	return r;
}

/*
 * The end.
 */
static void
mr_dereg_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct mr *mr = mr_of(op->obj);
	struct world *world = mr->o.world;
	struct mem mem;
	int r;

	r = backend_mr_dereg(mr_backend(mr), mr->b, &op->err);
	world_lock(world);
	if (r == 0)
		mem = mr_ended(mr);
	if (r == 0 && mr->o.dying) {
		dev_of(&mr->o)->mrs--;
		obj_remove(&mr->o);
	}
	mr->changing = mr->o.dying = false;
	world_unlock(world);
	if (r == 0)
		mem_release(world, &mem);
	op->done(op, r);
}

int
mr_dereg(struct op *op)
{
	struct mr *mr = mr_of(op->obj);
	int r;

	world_lock(mr->o.world);
	if (!mr->active)
		r = fail(&op->err, ENODATA, "not registered");
	else if ((r = rule_no_windows(mr, &op->err)) == 0)
		mr->changing = op->slow = true;
	world_unlock(mr->o.world);
	return r < 0 ? r : mr_change(op, mr_dereg_work);
}

static struct obj *
mr_first_window(struct op *op)
{
	struct mw *mw = RB_MIN(mr_windows, &mr_of(op->obj)->windows);

	return mw == NULL ? NULL : &mw->o;
}

static int
mr_unbind_window(struct op *child)
{
	/* It may have been bound elsewhere while we waited for its turn. */
	if (mw_of(child->obj)->mr != mr_of(child->parent->obj))
		return 0;
	return mw_invalidate(child);
}

static int mr_destroy_unbound(struct op *op);

static void
mr_drained(struct work *w)
{
	struct op *op = op_of_work(w);
	int r;

	r = sweep(op, mr_first_window, mr_unbind_window, mr_destroy_unbound);
	if (r != PENDING)
		op->done(op, r);
}

/* No window is bound; one may be on the way. */
static int
mr_destroy_unbound(struct op *op)
{
	struct mr *mr = mr_of(op->obj);
	struct world *w = mr->o.world;
	bool drained, active = false;

	world_lock(w);
	drained = mr->binding == 0 && mr->nwindows == 0;
	if (!drained) {
		op->work.fn = mr_drained;
		if (mr->binding == 0)
			pool_submit(w->runner, &op->work);
		else
			mr->drain = op;
	} else if (mr->active) {
		active = mr->changing = true;
	} else {
		dev_of(&mr->o)->mrs--;
		obj_remove(&mr->o);
	}
	world_unlock(w);
	if (!drained)
		return PENDING;
	return active ? mr_change(op, mr_dereg_work) : 0;
}

int
mr_destroy(struct op *op, bool unbind)
{
	struct mr *mr = mr_of(op->obj);
	int r = 0;

	world_lock(mr->o.world);
	if (!unbind)
		r = rule_no_windows(mr, &op->err);
	if (r == 0)
		mr->o.dying = true;
	world_unlock(mr->o.world);
	if (r < 0)
		return r;
	return sweep(op, mr_first_window, mr_unbind_window, mr_destroy_unbound);
}

void
mr_bind_begins(struct mr *mr)
{
	mr->binding++;
	obj_ref(&mr->o);
}

void
mr_bind_ends(struct mr *mr)
{
	struct op *op = mr->drain;

	if (--mr->binding == 0 && op != NULL) {
		mr->drain = NULL;
		pool_submit(mr->o.world->runner, &op->work);
	}
}
