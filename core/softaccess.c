/* SPDX-License-Identifier: MIT */
/*
 * What an access meets on a soft device, a peer's (A1 to A3) or one of the
 * own side (A4): decided from keys, domains, rights and ranges alone.  Changes
 * nothing.
 */
#include "softqp.h"

/* What a key opens: of a region, or of a window in it. */
struct opening {
	struct bk_pd *pd;
	struct bk_mr *mr;
	uint32_t rights;
	uint64_t start; /* remote address of the first byte */
	uint64_t length; /* bytes */
	uint64_t offset; /* of the first byte in the region */
};

/* Each step of the decision returns why it refuses, or NULL. */
static const char *
check_message(const struct access *a)
{
	if (a->length > MESSAGE_MAX)
		return "the message is longer than 2^31 bytes";
	if (a->op != ACCESS_ATOMIC)
		return NULL;
	if (a->length != ATOMIC_SIZE)
		return "an atomic operation is on 8 bytes";
	if (a->addr % ATOMIC_SIZE != 0)
		return "an atomic operation's address is a multiple of 8";
	return NULL;
}

/* What either key of a region opens. */
static struct opening
whole(struct bk_mr *mr)
{
	return (struct opening){
		.pd = mr->pd,
		.mr = mr,
		.rights = mr->rights,
		.start = soft_region_start(mr),
		.length = mr->length,
	};
}

static const char *
open_region(struct bk_mr *mr, uint32_t rkey, struct opening *o)
{
	if (rkey == mr->keys.lkey)
		return "this is a region's lkey, a peer needs the rkey";
	if (rkey != mr->keys.rkey)
		return "the key has died, its index is in use again";
	*o = whole(mr);
	return NULL;
}

static const char *
open_window(
    struct bk_mw *mw, uint32_t rkey, const struct bk_qp *qp, struct opening *o)
{
	if (mw->mr == NULL)
		return "the window of this key is not bound";
	if (rkey != mw->rkey)
		return "the key has died, its window has another";
	if (mw->type == MW_TYPE_2 && qp != NULL && mw->qp != qp)
		return "the key is of a type 2 window, bound over another "
		       "queue pair";
	*o = (struct opening){
		.pd = mw->pd,
		.mr = mw->mr,
		.rights = mw->rights,
		.length = mw->length,
		.offset = mw->offset,
	};
	if ((mw->rights & RIGHT_ZERO_BASED) == 0)
		o->start = soft_region_start(mw->mr) + mw->offset;
	return NULL;
}

static const char *
open_key(struct softkeys *ks, uint32_t rkey, const struct bk_qp *qp,
    struct opening *o)
{
	struct softkey *k = softkey_find(ks, rkey);

	if (k == NULL)
		return "nothing has this key";
	return k->window ? open_window(softkey_window(k), rkey, qp, o)
			 : open_region(softkey_region(k), rkey, o);
}

static const char *
check_rights(const struct opening *o, enum access_op op)
{
	static const struct name needs[] = {
		[ACCESS_READ] = { "remote_read is missing from the key",
		    RIGHT_REMOTE_READ },
		[ACCESS_WRITE] = { "remote_write is missing from the key",
		    RIGHT_REMOTE_WRITE },
		[ACCESS_ATOMIC] = { "remote_atomic is missing from the key",
		    RIGHT_REMOTE_ATOMIC },
	};

	return o->rights & needs[op].value ? NULL : needs[op].name;
}

/* No sum here can wrap: an address before the start becomes a large offset. */
static const char *
check_range(const struct opening *o, uint64_t addr, uint64_t length)
{
	uint64_t into = addr - o->start;

	if (into >= o->length)
		return "the address is outside of what the key opens";
	if (length > o->length - into)
		return "the end is outside of what the key opens";
	return NULL;
}

/* Lock held.  All refusals here are A1's. */
static const char *
check_key(struct softkeys *ks, const struct bk_pd *pd, const struct bk_qp *qp,
    const struct access *a, struct opening *o)
{
	const char *why;

	if ((why = open_key(ks, a->rkey, qp, o)) != NULL)
		return why;
	if (o->pd != pd)
		return "the key is of another domain";
	if ((why = check_rights(o, a->op)) != NULL)
		return why;
	return check_range(o, a->addr, a->length);
}

/* A2; no queue pair, no refusal. */
static const char *
check_qp(const struct bk_qp *qp, enum access_op op)
{
	static const struct name needs[] = {
		[ACCESS_READ] = { "the queue pair lacks remote_read",
		    RIGHT_REMOTE_READ },
		[ACCESS_WRITE] = { "the queue pair lacks remote_write",
		    RIGHT_REMOTE_WRITE },
		[ACCESS_ATOMIC] = { "the queue pair lacks remote_atomic",
		    RIGHT_REMOTE_ATOMIC },
	};

	if (qp == NULL || qp->rights & needs[op].value)
		return NULL;
	return needs[op].name;
}

static void
refuse(struct verdict *v, const char *rule, const char *why)
{
	*v = (struct verdict){ .rule = rule, .why = why };
}

void
soft_judge(struct softkeys *ks, const struct bk_pd *pd, const struct bk_qp *qp,
    const struct access *a, struct verdict *v)
{
	struct opening o = { 0 };
	const char *why;

	*v = (struct verdict){ .allowed = true };
	if ((why = check_qp(qp, a->op)) != NULL) {
		refuse(v, "A2", why);
		return;
	}
	if ((why = check_message(a)) != NULL) {
		refuse(v, "A3", why);
		return;
	}
	if (a->length == 0)
		return; /* A3: neither key nor address is looked at */
	if ((why = check_key(ks, pd, qp, a, &o)) != NULL) {
		refuse(v, "A1", why);
		return;
	}
	v->mr = o.mr;
	v->offset = o.offset + (a->addr - o.start);
}

void
soft_access(struct backend *b, struct bk_pd *pd, struct bk_qp *qp,
    const struct access *a, struct verdict *v)
{
	struct soft *s = soft_lock(b);

	soft_judge(&s->keys, pd, qp, a, v);
	soft_unlock(s);
}

/* What an lkey opens; of windows there is none. */
static const char *
open_lkey(const struct bk_qp *qp, uint32_t lkey, struct opening *o)
{
	struct softkey *k = softkey_find(&qp->dev->keys, lkey);
	struct bk_mr *mr;

	if (k == NULL)
		return "no region has this lkey";
	if (k->window)
		return "this is a window's key, the own side needs an lkey";
	mr = softkey_region(k);
	if (lkey == mr->keys.rkey)
		return "this is a region's rkey, the own side needs the lkey";
	if (lkey != mr->keys.lkey)
		return "the lkey has died, its index is in use again";
	*o = whole(mr);
	return NULL;
}

const char *
soft_local(struct bk_qp *qp, const struct bk_wr *wr, uint64_t length,
    bool write, struct end *out)
{
	struct opening o;
	const char *why;

	*out = (struct end){ .buf = wr->buf };
	if (wr->buf != NULL)
		return NULL;
	if ((why = open_lkey(qp, wr->lkey, &o)) != NULL)
		return why;
	if (o.pd != qp->pd)
		return "the lkey is of another domain (P1)";
	if (write && (o.rights & RIGHT_LOCAL_WRITE) == 0)
		return "local_write is missing from the region";
	if (check_range(&o, wr->local, length) != NULL)
		return "the range leaves the local region";
	*out = (struct end){ .mr = o.mr, .offset = wr->local - o.start };
	return NULL;
}
