/* SPDX-License-Identifier: MIT */
/*
 * What a remote access meets on a soft device: rules A1 to A3, decided from
 * keys, domains, rights and ranges alone.  Changes nothing.
 */
#include "softobj.h"

#define MAX_MESSAGE (UINT64_C(1) << 31) /* bytes (A3) */
#define ATOMIC_SIZE 8 /* bytes (A3) */

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
	if (a->length > MAX_MESSAGE)
		return "the message is longer than 2^31 bytes";
	if (a->op != ACCESS_ATOMIC)
		return NULL;
	if (a->length != ATOMIC_SIZE)
		return "an atomic operation is on 8 bytes";
	if (a->addr % ATOMIC_SIZE != 0)
		return "an atomic operation's address is a multiple of 8";
	return NULL;
}

static const char *
open_region(struct bk_mr *mr, uint32_t rkey, struct opening *o)
{
	if (rkey == mr->keys.lkey)
		return "this is a region's lkey, a peer needs the rkey";
	if (rkey != mr->keys.rkey)
		return "the key has died, its index is in use again";
	*o = (struct opening){
		.pd = mr->pd,
		.mr = mr,
		.rights = mr->rights,
		.start = soft_region_start(mr),
		.length = mr->length,
	};
	return NULL;
}

static const char *
open_window(struct bk_mw *mw, uint32_t rkey, struct opening *o)
{
	if (mw->mr == NULL)
		return "the window of this key is not bound";
	if (rkey != mw->rkey)
		return "the key has died, its window has another";
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
open_key(struct softkeys *ks, uint32_t rkey, struct opening *o)
{
	struct softkey *k = softkey_find(ks, rkey);

	if (k == NULL)
		return "nothing has this key";
	return k->window ? open_window(softkey_window(k), rkey, o)
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
check_range(const struct opening *o, const struct access *a)
{
	uint64_t into = a->addr - o->start;

	if (into >= o->length)
		return "the address is outside of what the key opens";
	if (a->length > o->length - into)
		return "the end is outside of what the key opens";
	return NULL;
}

/* Lock held.  All refusals here are A1's. */
static const char *
check_key(struct softkeys *ks, const struct bk_pd *pd, const struct access *a,
    struct opening *o)
{
	const char *why;

	if ((why = open_key(ks, a->rkey, o)) != NULL)
		return why;
	if (o->pd != pd)
		return "the key is of another domain";
	if ((why = check_rights(o, a->op)) != NULL)
		return why;
	return check_range(o, a);
}

static void
refuse(struct verdict *v, const char *rule, const char *why)
{
	*v = (struct verdict){ .rule = rule, .why = why };
}

void
soft_access(struct backend *b, struct bk_pd *pd, struct bk_qp *qp,
    const struct access *a, struct verdict *v)
{
	struct opening o = { 0 };
	const char *why;
	struct soft *s;

	*v = (struct verdict){ .allowed = true };
	if ((why = check_message(a)) != NULL) {
		refuse(v, "A3", why);
		return;
	}
	if (a->length == 0)
		return; /* A3: neither key nor address is looked at */
	s = soft_lock(b);
	if ((why = check_key(&s->keys, pd, a, &o)) != NULL) {
		refuse(v, "A1", why);
	} else {
		v->mr = o.mr;
		v->offset = o.offset + (a->addr - o.start);
	}
	soft_unlock(s);
}
