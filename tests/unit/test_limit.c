/* SPDX-License-Identifier: MIT */
/* core/limit: what a user has, what he may have, and who is told what. */
#include <errno.h>

#include "limit.h"
#include "tap.h"

static struct limits l;
static struct err e;

static uint64_t
use(uid_t uid, enum limit what)
{
	const struct limit_user *u = limits_from(&l, uid);

	return u != NULL && u->uid == uid ? u->use[what] : 0;
}

static void
limit(uid_t uid, enum limit what, uint64_t most)
{
	struct limit_change c = { .set = 1u << what };

	c.most[what] = most;
	if (limits_set(&l, uid, &c, &e) < 0)
		bail_out("%s", e.text);
}

static int
charge(uid_t uid, enum limit what, uint64_t n)
{
	err_clear(&e);
	return limits_charge(&l, uid, what, n, "soft7", &e);
}

static void
test_none(void)
{
	limits_init(&l);
	is_int(charge(7, LIMIT_MR, 1), 0, "no limit at first");
	is_int(charge(7, LIMIT_BYTES, UINT64_MAX), 0, "however much");
	is_int(charge(7, LIMIT_BYTES, 1), -EDQUOT, "but no more than there is");
	limits_release(&l, 7, LIMIT_BYTES, UINT64_MAX);
	is_int((long long)use(7, LIMIT_MR), 1, "the count is kept");
	limits_release(&l, 7, LIMIT_MR, 1);
	ok(limits_from(&l, 0) == NULL, "who has nothing is forgotten");
	limits_fini(&l);
}

static void
test_over(void)
{
	limits_init(&l);
	limit(7, LIMIT_MW, 2);
	limit(7, LIMIT_BYTES, 8192);
	is_int(charge(7, LIMIT_MW, 1), 0, "one window");
	is_int(charge(7, LIMIT_MW, 1), 0, "two of two");
	is_int(charge(7, LIMIT_MW, 1), -EDQUOT, "not a third one");
	is_str(e.text, "uid 7 has 2 of 2 windows on soft7", "in words");
	is_int((long long)use(7, LIMIT_MW), 2, "which changes nothing");
	is_int(charge(8, LIMIT_MW, 1), 0, "another's limit is no concern");
	is_int(charge(7, LIMIT_QP, 1), 0, "nor is another kind's");
	is_int(charge(7, LIMIT_BYTES, 4096), 0, "bytes");
	is_int(charge(7, LIMIT_BYTES, 4097), -EDQUOT, "one too many");
	is_str(e.text,
	    "need 4097 bytes, uid 7 has 4096 of 8192 bytes registered on soft7",
	    "in words");
	is_str(e.arg, "length", "the length is to blame");
	is_int(charge(7, LIMIT_BYTES, UINT64_MAX), -EDQUOT, "without a wrap");
	is_int(charge(7, LIMIT_BYTES, 4096), 0, "to the last one");
	limit(7, LIMIT_MW, 1);
	is_int((long long)use(7, LIMIT_MW), 2, "lowered: what is there stays");
	is_int(charge(7, LIMIT_MW, 1), -EDQUOT, "nothing is added");
	is_str(e.text, "uid 7 has 2 of 1 windows on soft7", "in words");
	limits_release(&l, 7, LIMIT_MW, 1);
	is_int(charge(7, LIMIT_MW, 1), -EDQUOT, "nor at the limit");
	limits_release(&l, 7, LIMIT_MW, 1);
	is_int(charge(7, LIMIT_MW, 1), 0, "but below it");
	limits_fini(&l);
}

static void
test_default(void)
{
	struct limit_change c = { .set = 1u << LIMIT_PD };

	limits_init(&l);
	c.most[LIMIT_PD] = 0;
	limits_set_default(&l, &c);
	is_int(charge(7, LIMIT_PD, 1), -EDQUOT, "the default holds for all");
	ok(limits_from(&l, 0) == NULL, "a refusal leaves nobody behind");
	is_int(charge(0, LIMIT_PD, 1), -EDQUOT, "root too");
	limit(7, LIMIT_PD, LIMIT_MAX);
	is_int(charge(7, LIMIT_PD, 1), 0, "one's own goes before it");
	c = (struct limit_change){ .unset = 1u << LIMIT_PD };
	(void)limits_set(&l, 7, &c, &e);
	is_int(charge(7, LIMIT_PD, 1), -EDQUOT, "until it is taken back");
	limits_release(&l, 7, LIMIT_PD, 1);
	ok(limits_from(&l, 0) == NULL, "then nothing is left");
	limits_fini(&l);
}

static void
test_move(void)
{
	limits_init(&l);
	limit(8, LIMIT_MR, 0);
	(void)charge(7, LIMIT_MR, 1);
	(void)charge(7, LIMIT_BYTES, 100);
	is_int(limits_move(&l, 7, 8, LIMIT_MR, 1, 60, &e), 0,
	    "moved to one who may have none");
	is_int((long long)use(7, LIMIT_MR), 0, "it is the first's no more");
	is_int((long long)use(8, LIMIT_MR), 1, "but the other's");
	is_int((long long)use(7, LIMIT_BYTES), 40, "and so are bytes");
	is_int((long long)use(8, LIMIT_BYTES), 60, "as many as were said");
	limits_fini(&l);
}

static void
test_order(void)
{
	static const uid_t uids[] = { 5, 4000000000u, 0, 77, 6 };
	const struct limit_user *u = NULL;
	uid_t last = 0;
	unsigned n = 0;
	size_t i;

	limits_init(&l);
	for (i = 0; i < NELEM(uids); i++)
		(void)charge(uids[i], LIMIT_QP, 1);
	while ((u = limits_from(&l, n == 0 ? 0 : last + 1)) != NULL) {
		ok(n == 0 || u->uid > last, "uid %u comes in order", u->uid);
		last = u->uid;
		n++;
	}
	is_int(n, NELEM(uids), "all of them");
	limits_fini(&l);
}

int
main(void)
{
	test_none();
	test_over();
	test_default();
	test_move();
	test_order();
	return done_testing();
}
