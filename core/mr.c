/* SPDX-License-Identifier: MIT */
/* Memory regions; see mr.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dev.h"
#include "event.h"
#include "mr_impl.h"
#include "mw.h"
#include "pd.h"
#include "rules.h"

struct mr *
mr_of(struct obj *o)
{
	return (struct mr *)(void *)o;
}

struct backend *
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
	if ((r = dev_charge(&mr->o, e)) == 0) {
		if ((r = obj_insert(&mr->o, e)) == 0)
			dev_of(&mr->o)->mrs++;
		else
			dev_uncharge(&mr->o);
	}
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
	struct world *world;
	struct mem mem;
};

static void
release_work(struct work *w)
{
	struct release *rel = (struct release *)(void *)w;

	mems_free(rel->world, &rel->mem);
	free(rel);
}

void
mem_release(struct world *w, struct mem *mem)
{
	struct release *rel = malloc(sizeof(*rel));

	if (rel == NULL) {
		mems_free(w, mem);
		return;
	}
	rel->world = w;
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

/* It has, or is going to have, so many bytes registered.  Lock held. */
static int
mr_charge(struct mr *mr, uint64_t length, struct err *e)
{
	int r = dev_charge_bytes(&mr->o, length, e);

	if (r == 0)
		mr->charged = length;
	return r;
}

static void
mr_uncharge(struct mr *mr)
{
	dev_uncharge_bytes(&mr->o, mr->charged);
	mr->charged = 0;
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
	struct world *w = mr->o.world;
	struct mem *mem = &op->u.mr.mem;
	bool own = mem->length == 0;
	int r = 0;

	if (own)
		r = mems_new(w, mem, op->u.mr.length, op->u.mr.page,
		    mr_backend(mr)->info.unmapped, &op->err);
	if (r < 0)
		return r;
	r = rule_region_range(
	    (uintptr_t)mem->addr, mem->length, mr_iova(op, mem), &op->err);
	if (r == 0)
		r = backend_mr_reg(mr_backend(mr), pd_above(&mr->o)->b, mem,
		    mr_iova(op, mem), op->u.mr.rights, b, keys, &op->err);
	if (r < 0 && own) {
		mems_free(w, mem);
		memset(mem, 0, sizeof(*mem));
	}
	return r;
}

/* It is registered.  Lock held. */
static void
mr_tally(struct mr *mr)
{
	struct tally *t = &dev_of(&mr->o)->tally;

	tally_add(&t->registered, mr->mem.length);
	tally_add(&t->pinned, mem_pinned(&mr->mem));
}

static void
mr_reg_work(struct work *w)
{
	struct op *op = op_of_work(w);
	struct mr *mr = mr_of(op->obj);
	struct mr_keys keys = { 0 };
	struct bk_mr *b = NULL;
	int r;

	r = mr_reg_try(op, &b, &keys);
	if (r == -ENOMEM) {
		/* What was deregistered lately may still be on its way back
		 * to the system. */
		pool_drain(mr->o.world->release);
		r = mr_reg_try(op, &b, &keys);
	}
	if (r < 0)
		mems_free(mr->o.world, &op->u.mr.mem);
	world_lock(mr->o.world);
	mr->changing = false;
	if (r < 0) {
		mr_uncharge(mr);
	} else {
		mr->active = true;
		mr->emulated = false;
		mr->b = b;
		mr_set_keys(mr, &keys, KEY_END_REREG, op->reader);
		mr->mem = op->u.mr.mem;
		mr->memory = mr->o.world->next_id++;
		mr->iova = mr_iova(op, &mr->mem);
		mr_tally(mr);
		mr->with_iova = op->u.mr.with_iova;
		mr->rights = op->u.mr.rights & RIGHT_KEPT;
		obj_touch(&mr->o);
		event_of(&mr->o, EV_REGISTERED, op->reader);
	}
	world_unlock(mr->o.world);
	explicit_bzero(&keys, sizeof(keys));
	op->done(op, r);
}

int
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

	r = mems_from_fd(op->obj->world, &op->u.mr.mem, a->fd, a->offset,
	    a->length, &op->err);
	if (r < 0) {
		close(a->fd);
		return r;
	}
	r = mr_size_allowed(mr_of(op->obj), op->u.mr.mem.length, &op->err);
	if (r == 0)
		r = rule_memory(a->rights, op->u.mr.mem.writable, &op->err);
	if (r < 0)
		mems_free(op->obj->world, &op->u.mr.mem);
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
	r = mr_charge(
	    mr, a->fd < 0 ? a->length : op->u.mr.mem.length, &op->err);
	if (r == 0)
		mr->changing = op->slow = true;
	world_unlock(mr->o.world);
	if (r < 0) {
		mems_free(mr->o.world, &op->u.mr.mem);
		return r;
	}
	return mr_change(op, mr_reg_work);
}

/* What k opened, before it is taken away. */
static void
mr_log_dead(struct mr *mr, const struct key *k, enum key_end how, uid_t by)
{
	const struct dead d = {
		.id = mr->o.id,
		.addr = mr->iova,
		.length = mr->mem.length,
		.since = k->since,
		.died = obj_now(),
		.value = k->value,
		.rights = mr->rights,
		.owner = mr->o.owner.uid,
		.by = by,
		.kind = k->kind,
		.how = (uint8_t)how,
		.pd = mr->o.parent->name,
		.name = mr->o.name,
	};

	keylog_add(&dev_of(&mr->o)->dead, &d);
}

/* k, one of its two, is value from now on; 0: there is none. */
static void
mr_set_key(struct mr *mr, struct key *k, enum key_kind kind, uint32_t value,
    enum key_end how, uid_t by)
{
	struct keys *ks = &dev_of(&mr->o)->keys;

	if (k->value == value)
		return;
	if (k->value != 0) {
		mr_log_dead(mr, k, how, by);
		keys_remove(ks, k);
		if (kind == KEY_MR)
			tally_add_locked(&dev_of(&mr->o)->tally.ended[how], 1);
	}
	if (value != 0)
		keys_add(ks, k, kind, value);
}

void
mr_set_keys(
    struct mr *mr, const struct mr_keys *keys, enum key_end how, uid_t by)
{
	const bool same = keys->lkey == keys->rkey;

	mr_set_key(mr, &mr->rkey, KEY_MR, keys->rkey, how, by);
	mr_set_key(mr, &mr->lkey, KEY_LKEY, same ? 0 : keys->lkey, how, by);
	mr->keys = *keys;
}

struct mem
mr_ended(struct mr *mr, enum key_end how, uid_t by)
{
	static const struct mr_keys none;
	struct mem mem = mr->mem;

	mr->active = mr->changing = false;
	mr->b = NULL;
	mr_uncharge(mr);
	tally_sub(&dev_of(&mr->o)->tally.registered, mem.length);
	tally_sub(&dev_of(&mr->o)->tally.pinned, mem_pinned(&mem));
	mr_set_keys(mr, &none, how, by);
	memset(&mr->mem, 0, sizeof(mr->mem));
	obj_touch(&mr->o);
	event_of(&mr->o, EV_DEREGISTERED, by);
	return mem;
}
