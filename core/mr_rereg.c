/* SPDX-License-Identifier: MIT */
/* New rights for a region: ibv_rereg_mr(3), or its emulation; see mr.h. */
#include <errno.h>
#include <string.h>

#include "dev.h"
#include "mr_impl.h"
#include "pd.h"
#include "rules.h"

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
