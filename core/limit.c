/* SPDX-License-Identifier: MIT */
/* What each user has of a device, and may have; see limit.h. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "limit.h"

const struct name limit_names[] = {
	{ "mr", LIMIT_MR },
	{ "mw", LIMIT_MW },
	{ "qp", LIMIT_QP },
	{ "pd", LIMIT_PD },
	{ "bytes", LIMIT_BYTES },
	{ NULL, 0 },
};

static int
user_cmp(const struct limit_user *a, const struct limit_user *b)
{
	return a->uid < b->uid ? -1 : a->uid > b->uid;
}

RB_PROTOTYPE(limit_users, limit_user, link, user_cmp)
RB_GENERATE(limit_users, limit_user, link, user_cmp)

void
limits_init(struct limits *l)
{
	unsigned i;

	RB_INIT(&l->users);
	for (i = 0; i < LIMITS; i++)
		l->most[i] = LIMIT_MAX;
}

void
limits_fini(struct limits *l)
{
	struct limit_user *u;

	while ((u = RB_MIN(limit_users, &l->users)) != NULL) {
		RB_REMOVE(limit_users, &l->users, u);
		free(u);
	}
}

static struct limit_user *
user_find(struct limits *l, uid_t uid)
{
	struct limit_user key;

	key.uid = uid;
	return RB_FIND(limit_users, &l->users, &key);
}

/* NULL: out of memory, with the reason. */
static struct limit_user *
user_get(struct limits *l, uid_t uid, struct err *e)
{
	struct limit_user *u = user_find(l, uid);

	if (u != NULL)
		return u;
	if ((u = calloc(1, sizeof(*u))) == NULL) {
		(void)fail(e, ENOMEM, "out of memory for a user's limits");
		return NULL;
	}
	u->uid = uid;
	RB_INSERT(limit_users, &l->users, u);
	return u;
}

/* One of whom there is nothing to tell goes. */
static void
user_put(struct limits *l, struct limit_user *u)
{
	unsigned i;

	for (i = 0; i < LIMITS; i++)
		if (u->use[i] > 0)
			return;
	if (u->set != 0)
		return;
	RB_REMOVE(limit_users, &l->users, u);
	free(u);
}

static uint64_t
user_most(const struct limits *l, const struct limit_user *u, enum limit what)
{
	return u->set & 1u << what ? u->most[what] : l->most[what];
}

static int
refuse(const struct limit_user *u, enum limit what, uint64_t n, uint64_t most,
    const char *where, struct err *e)
{
	static const char *const many[LIMITS] = { "regions", "windows",
		"queue pairs", "domains", NULL };

	if (what == LIMIT_BYTES)
		return fail_at(e, "length", EDQUOT,
		    "need %" PRIu64 " bytes, uid %u has %" PRIu64 " of %" PRIu64
		    " bytes registered on %s",
		    n, u->uid, u->use[what], most, where);
	return fail(e, EDQUOT, "uid %u has %" PRIu64 " of %" PRIu64 " %s on %s",
	    u->uid, u->use[what], most, many[what], where);
}

int
limits_charge(struct limits *l, uid_t uid, enum limit what, uint64_t n,
    const char *where, struct err *e)
{
	struct limit_user *u = user_get(l, uid, e);
	uint64_t most;
	int r = 0;

	if (u == NULL)
		return -ENOMEM;
	most = user_most(l, u, what);
	/* Over it already, since it was lowered: nothing more. */
	if (u->use[what] > most || n > most - u->use[what])
		r = refuse(u, what, n, most, where, e);
	else
		u->use[what] += n;
	user_put(l, u);
	return r;
}

void
limits_release(struct limits *l, uid_t uid, enum limit what, uint64_t n)
{
	struct limit_user *u;

	if (n == 0)
		return;
	u = user_find(l, uid);
	assert(u != NULL && u->use[what] >= n);
	u->use[what] -= n;
	user_put(l, u);
}

int
limits_move(struct limits *l, uid_t from, uid_t to, enum limit what, uint64_t n,
    uint64_t bytes, struct err *e)
{
	struct limit_user *u = user_get(l, to, e);

	if (u == NULL)
		return -ENOMEM;
	u->use[what] += n;
	u->use[LIMIT_BYTES] += bytes;
	limits_release(l, from, what, n);
	limits_release(l, from, LIMIT_BYTES, bytes);
	return 0;
}

void
limits_set_default(struct limits *l, const struct limit_change *c)
{
	unsigned i;

	for (i = 0; i < LIMITS; i++)
		if (c->set & 1u << i)
			l->most[i] = c->most[i];
}

int
limits_set(
    struct limits *l, uid_t uid, const struct limit_change *c, struct err *e)
{
	struct limit_user *u = user_get(l, uid, e);
	unsigned i;

	if (u == NULL)
		return -ENOMEM;
	for (i = 0; i < LIMITS; i++)
		if (c->set & 1u << i)
			u->most[i] = c->most[i];
	u->set = (u->set | c->set) & ~c->unset;
	user_put(l, u);
	return 0;
}

struct limit_user *
limits_from(struct limits *l, uid_t uid)
{
	struct limit_user key;

	key.uid = uid;
	return RB_NFIND(limit_users, &l->users, &key);
}
