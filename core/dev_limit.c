/* SPDX-License-Identifier: MIT */
/* What an object counts as among its owner's; see dev.h. */
#include "dev.h"
#include "mr.h"

/* What o counts as; LIMITS: nothing. */
static enum limit
limit_of(const struct obj *o)
{
	switch (o->kind) {
	case KIND_MR:
		return LIMIT_MR;
	case KIND_MW:
		return LIMIT_MW;
	case KIND_QP:
		return LIMIT_QP;
	case KIND_PD:
		return LIMIT_PD;
	default:
		return LIMITS;
	}
}

int
dev_charge(struct obj *o, struct err *e)
{
	return limits_charge(
	    &dev_of(o)->limits, o->owner.uid, limit_of(o), 1, o->dev->name, e);
}

void
dev_uncharge(struct obj *o)
{
	limits_release(&dev_of(o)->limits, o->owner.uid, limit_of(o), 1);
}

int
dev_charge_bytes(struct obj *mr, uint64_t n, struct err *e)
{
	return limits_charge(&dev_of(mr)->limits, mr->owner.uid, LIMIT_BYTES, n,
	    mr->dev->name, e);
}

void
dev_uncharge_bytes(struct obj *mr, uint64_t n)
{
	limits_release(&dev_of(mr)->limits, mr->owner.uid, LIMIT_BYTES, n);
}

int
dev_chown(struct obj *o, uid_t uid, struct err *e)
{
	enum limit what = limit_of(o);
	int r = 0;

	/* What is gone counts no more. */
	if (what != LIMITS && !o->gone)
		r = limits_move(&dev_of(o)->limits, o->owner.uid, uid, what, 1,
		    o->kind == KIND_MR ? mr_of(o)->charged : 0, e);
	if (r == 0)
		o->owner.uid = uid;
	return r;
}
