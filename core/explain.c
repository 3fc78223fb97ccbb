/* SPDX-License-Identifier: MIT */
/* What the rules say of an access; see explain.h. */
#include <string.h>

#include "explain.h"

/* What a live key opens. */
struct opening {
	const struct mr *mr;
	const struct mw *mw; /* NULL: all of the region */
	uint32_t rights;
	uint64_t start; /* remote address of the first byte */
	uint64_t length; /* bytes */
	uint64_t offset; /* of the first byte in the region */
};

static struct opening
opening_of_region(const struct mr *mr)
{
	return (struct opening){ .mr = mr,
		.rights = mr->rights,
		.start = mr->iova,
		.length = mr->mem.length };
}

static struct opening
opening_of(const struct meaning *m)
{
	const struct mw *mw;

	if (m->kind != KEY_MW)
		return opening_of_region(mr_of(m->o));
	mw = mw_of(m->o);
	return (struct opening){ .mr = mw->mr,
		.mw = mw,
		.rights = mw->bound.rights,
		.start = mw_addr(mw),
		.length = mw->bound.length,
		.offset = mw->bound.offset };
}

static uint32_t
right_for(enum access_op op)
{
	switch (op) {
	case ACCESS_READ:
		return RIGHT_REMOTE_READ;
	case ACCESS_WRITE:
		return RIGHT_REMOTE_WRITE;
	default:
		return RIGHT_REMOTE_ATOMIC;
	}
}

/* No sum here can wrap: what is before the start becomes a large offset. */
static bool
is_inside(uint64_t into, uint64_t bytes, uint64_t length)
{
	return into < length && bytes <= length - into;
}

/* Of the bytes asked for, how far the first and the last are outside. */
static void
miss(const struct access *a, const struct opening *o, struct explained *x)
{
	const uint64_t into = a->addr - o->start;

	if (a->addr < o->start) {
		x->before = o->start - a->addr;
		if (a->length > x->before && a->length - x->before > o->length)
			x->past = a->length - x->before - o->length;
		return;
	}
	if (into <= o->length)
		x->past = a->length - (o->length - into);
	else if (__builtin_add_overflow(into - o->length, a->length, &x->past))
		x->past = UINT64_MAX; /* or farther */
}

/* What counting from there would have made of the address. */
static bool
taken_for(const struct access *a, const struct opening *o, enum taken_for what,
    uint64_t base, struct explained *x)
{
	if (base == o->start ||
	    !is_inside(a->addr - base, a->length, o->length))
		return false;
	x->taken_for = what;
	x->would_be = o->start + (a->addr - base);
	return true;
}

static void
guess_address(
    const struct access *a, const struct opening *o, struct explained *x)
{
	const uint64_t local = (uintptr_t)o->mr->mem.addr + o->offset;

	(void)(taken_for(a, o, TAKEN_FOR_OFFSET, 0, x) ||
	       taken_for(a, o, TAKEN_FOR_REGION_OFFSET, o->offset, x) ||
	       taken_for(a, o, TAKEN_FOR_REMOTE, o->mr->iova + o->offset, x) ||
	       taken_for(a, o, TAKEN_FOR_LOCAL, local, x));
}

/* D1: such a device looks at the region's range only; also of a zero_based
 * window, whose first byte it counts from. */
static bool
lets_pass(const struct dev *d, const struct access *a, const struct opening *o)
{
	const uint64_t into = a->addr - o->start + o->offset;

	return o->mw != NULL &&
	       strstr(d->b.info.breaks, "window_range") != NULL &&
	       is_inside(into, a->length, o->mr->mem.length);
}

/* A live key, in the order of what a device looks at. */
static enum why
why_opening(const struct access *a, const struct opening *o,
    const struct qp *qp, struct explained *x)
{
	if (qp != NULL && o->mw != NULL && o->mw->type == MW_TYPE_2 &&
	    o->mw->qp != qp)
		return WHY_OTHER_QP;
	if (qp != NULL && x->is.o->parent != qp->o.parent)
		return WHY_DOMAIN;
	if (!(o->rights & x->needs))
		return WHY_RIGHT;
	if (is_inside(a->addr - o->start, a->length, o->length))
		return WHY_ALLOWED;
	/* It tells where the region is. */
	x->passes = x->is.where && lets_pass(x->is.dev, a, o);
	miss(a, o, x);
	guess_address(a, o, x);
	return WHY_RANGE;
}

static enum why
why_key(const struct access *a, const struct qp *qp, struct explained *x)
{
	struct opening o;

	if (x->is.state == KEY_UNKNOWN)
		return WHY_UNKNOWN;
	if (x->is.state == KEY_DEAD)
		return WHY_DEAD;
	if (x->is.kind == KEY_LKEY)
		return WHY_LKEY;
	o = opening_of(&x->is);
	return why_opening(a, &o, qp, x);
}

static bool
is_mute(const struct qp *qp)
{
	return qp->state == QP_RESET || qp->state == QP_INIT ||
	       qp->state == QP_ERR;
}

/* What the queue pair says before anybody looks at the key. */
static enum why
why_qp(const struct access *a, const struct qp *qp, uint32_t needs)
{
	if (qp->type == QP_UC && a->op != ACCESS_WRITE)
		return WHY_UC;
	return qp->rights & needs ? WHY_ALLOWED : WHY_QP_RIGHT;
}

/* A3. */
static enum why
why_message(const struct access *a)
{
	if (a->length > MESSAGE_MAX)
		return WHY_LONG;
	if (a->op == ACCESS_ATOMIC && a->length != ATOMIC_SIZE)
		return WHY_ATOMIC_SIZE;
	if (a->op == ACCESS_ATOMIC && a->addr % ATOMIC_SIZE != 0)
		return WHY_ATOMIC_ALIGN;
	return a->length == 0 ? WHY_NO_BYTES : WHY_ALLOWED;
}

static const char *
rule_of(enum why why)
{
	switch (why) {
	case WHY_ALLOWED:
	case WHY_NO_BYTES:
		return NULL;
	case WHY_STATE:
		return "A5";
	case WHY_UC:
		return "A6";
	case WHY_QP_RIGHT:
		return "A2";
	case WHY_LONG:
	case WHY_ATOMIC_SIZE:
	case WHY_ATOMIC_ALIGN:
		return "A3";
	default:
		return "A1";
	}
}

void
explain_access(struct dev *d, const struct asker *by, const struct access *a,
    const struct qp *qp, struct explained *x)
{
	explain_key(d, by, a->rkey, x);
	x->needs = right_for(a->op);
	if (qp != NULL)
		x->why = why_qp(a, qp, x->needs);
	if (x->why == WHY_ALLOWED)
		x->why = why_message(a);
	if (x->why == WHY_ALLOWED)
		x->why = why_key(a, qp, x);
	x->mute = qp != NULL && is_mute(qp);
	/* Last, because who asks may do so after a refusal, and after that it
	 * is in error (A5). */
	if (x->mute && rule_of(x->why) == NULL)
		x->why = WHY_STATE;
	x->rule = rule_of(x->why);
	/* What the requester's own side refuses is told to him. */
	x->silent = x->rule != NULL && !x->passes && qp != NULL &&
		    qp->type == QP_UC && x->why != WHY_UC;
	x->down = d->down;
}
