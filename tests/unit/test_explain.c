/* SPDX-License-Identifier: MIT */
/* core/explain: what a key looks like, by how much an access misses, and what
 * is told to whom. */
#include <string.h>

#include "corerig.h"
#include "explain.h"
#include "tap.h"

#define LM  (RIGHT_LOCAL_WRITE | RIGHT_MW_BIND)
#define ALL RIGHT_REMOTE

static struct dev *devs[2];
static struct pd *pd, *other;
static struct mr *mr, *far; /* far: of devs[1] */
static struct mw *mw, *mw2;
static struct qp *qp, *qp2, *uc, *alien; /* alien: in other */

/* Who asks, and what he may not know. */
struct eyes {
	const struct obj *not_of; /* NULL: of what is gone */
	bool nothing, no_address, owner_only;
};

static bool
may(const void *arg, enum secret what, struct obj *o, uid_t owner)
{
	const struct eyes *eyes = arg;

	if (eyes->nothing || (eyes->no_address && what == SECRET_ADDR))
		return false;
	if (eyes->owner_only && o == NULL)
		return owner != 7;
	return o == NULL || o != eyes->not_of;
}

static struct explained
ask(const struct eyes *eyes, struct dev *d, uint32_t key)
{
	const struct asker by = { may, eyes };
	struct explained x;

	world_lock(&core_world);
	explain_key(d, &by, key, &x);
	world_unlock(&core_world);
	return x;
}

static const struct eyes all;

static struct explained
try(enum access_op op, uint64_t addr, uint64_t length, uint32_t key,
    const struct qp *over)
{
	const struct asker by = { may, &all };
	const struct access a = { op, key, addr, length };
	struct explained x;

	world_lock(&core_world);
	explain_access(devs[0], &by, &a, over, &x);
	world_unlock(&core_world);
	return x;
}

static void
set_up(void)
{
	core_open(devs);
	pd = core_pd(devs[0], "lab");
	other = core_pd(devs[0], "other");
	mr = core_mr(pd, "buf");
	core_reg(mr, 8192, LM | RIGHT_REMOTE_READ, 0x10000);
	far = core_mr(core_pd(devs[1], "lab"), "far");
	core_reg(far, 4096, LM | ALL, 0);
	mw = core_mw(pd, "w", MW_TYPE_1);
	mw2 = core_mw(pd, "two", MW_TYPE_2);
	qp = core_qp(pd, "q", QP_RC);
	qp2 = core_qp(pd, "p", QP_RC);
	uc = core_qp(pd, "u", QP_UC);
	alien = core_qp(other, "q", QP_RC);
	core_bind(mw, mr, NULL, 4096, 1000, RIGHT_REMOTE_WRITE);
	core_bind(mw2, mr, qp, 16, 64, ALL | RIGHT_ZERO_BASED);
}

static void
test_reasons(void)
{
	const uint64_t at = 0x11000; /* the window's first byte */
	const uint32_t key = mw->rkey.value, two = mw2->rkey.value,
		       rkey = mr->rkey.value, lkey = mr->lkey.value;
	const struct {
		enum access_op op;
		uint64_t addr, length;
		uint32_t key;
		const struct qp *over;
		enum why why;
		const char *rule, *what;
	} tab[] = {
		{ ACCESS_WRITE, at, 1000, key, NULL, WHY_ALLOWED, NULL,
		    "all of a window" },
		{ ACCESS_WRITE, at, 1000, key, qp2, WHY_ALLOWED, NULL,
		    "type 1: over any queue pair" },
		{ ACCESS_WRITE, 0, 64, two, qp, WHY_ALLOWED, NULL,
		    "type 2, zero_based" },
		{ ACCESS_WRITE, 0, 64, two, NULL, WHY_ALLOWED, NULL,
		    "over the right one" },
		{ ACCESS_WRITE, 0, 64, two, qp2, WHY_OTHER_QP, "A1",
		    "over another" },
		{ ACCESS_WRITE, at, 8, key, alien, WHY_DOMAIN, "A1",
		    "from another domain" },
		{ ACCESS_READ, at, 8, key, NULL, WHY_RIGHT, "A1",
		    "the window's rights decide" },
		{ ACCESS_WRITE, at, 8, rkey, NULL, WHY_RIGHT, "A1",
		    "the region's of its own key" },
		{ ACCESS_WRITE, at, 8, lkey, NULL, WHY_LKEY, "A1", "an lkey" },
		{ ACCESS_WRITE, at, 8, far->rkey.value, NULL, WHY_UNKNOWN, "A1",
		    "another device's" },
		{ ACCESS_WRITE, 0, 0, 1, qp, WHY_NO_BYTES, NULL, "no bytes" },
		{ ACCESS_WRITE, at, (UINT64_C(1) << 31) + 1, 1, NULL, WHY_LONG,
		    "A3", "a byte too many" },
		{ ACCESS_ATOMIC, 0, 4, two, NULL, WHY_ATOMIC_SIZE, "A3",
		    "an atomic of 4 bytes" },
		{ ACCESS_ATOMIC, 0, 0, two, NULL, WHY_ATOMIC_SIZE, "A3",
		    "or of none" },
		{ ACCESS_ATOMIC, 4, 8, two, NULL, WHY_ATOMIC_ALIGN, "A3",
		    "at 4" },
		{ ACCESS_ATOMIC, 8, 8, two, qp, WHY_ALLOWED, NULL, "at 8" },
		{ ACCESS_WRITE, at, 8, key, uc, WHY_ALLOWED, NULL, "over uc" },
		{ ACCESS_READ, at, 8, rkey, uc, WHY_UC, "A6", "a read there" },
		{ ACCESS_ATOMIC, 8, 8, two, uc, WHY_UC, "A6", "an atomic" },
	};
	struct explained x;
	size_t i;

	for (i = 0; i < NELEM(tab); i++) {
		x = try(tab[i].op, tab[i].addr, tab[i].length, tab[i].key,
		    tab[i].over);
		is_int(x.why, tab[i].why, "%s: why", tab[i].what);
		is_str(x.rule, tab[i].rule, "%s: the rule", tab[i].what);
		ok(!x.passes && !x.silent && !x.mute, "%s: no more to it",
		    tab[i].what);
	}
}

static void
test_distance(void)
{
	const uint64_t at = 0x11000;
	const uint32_t key = mw->rkey.value;
	const struct {
		uint64_t addr, length, before, past;
	} tab[] = {
		{ at, 1001, 0, 1 }, { at + 999, 2, 0, 1 },
		{ at + 1000, 1, 0, 1 }, { at + 952, 64, 0, 16 },
		{ at + 1100, 50, 0, 150 }, { at - 1, 1, 1, 0 },
		{ at - 1, 1001, 1, 0 }, { at - 1, 1002, 1, 1 },
		{ at - 100, 50, 100, 0 }, { at - 100, 5000, 100, 3900 },
		{ 0, 8000, at, 0 },
		{ UINT64_MAX, 1, 0, UINT64_MAX - at + 1 - 1000 },
		{ UINT64_MAX, UINT64_C(1) << 31, 0, UINT64_MAX }, /* or more */
	};
	struct explained x;
	size_t i;

	for (i = 0; i < NELEM(tab); i++) {
		x = try(ACCESS_WRITE, tab[i].addr, tab[i].length, key, NULL);
		is_int(x.why, WHY_RANGE, "access %zu is outside", i);
		is_int((long long)x.before, (long long)tab[i].before,
		    "so many bytes before");
		is_int((long long)x.past, (long long)tab[i].past,
		    "so many past the end");
	}
}

static void
test_taken_for(void)
{
	const uint64_t local = (uintptr_t)mr->mem.addr;
	const uint32_t key = mw->rkey.value, two = mw2->rkey.value;
	const struct {
		uint64_t addr, length;
		uint32_t key;
		enum taken_for taken_for;
		uint64_t would_be;
		const char *what;
	} tab[] = {
		{ 8, 8, key, TAKEN_FOR_OFFSET, 0x11008, "an offset in it" },
		{ 992, 8, key, TAKEN_FOR_OFFSET, 0x11000 + 992, "the last" },
		{ 993, 8, key, TAKEN_FOR_NOTHING, 0, "a byte beyond" },
		{ 4097, 8, key, TAKEN_FOR_REGION_OFFSET, 0x11001,
		    "an offset in the region" },
		{ 5089, 8, key, TAKEN_FOR_NOTHING, 0, "that is not its" },
		{ local + 4096, 8, key, TAKEN_FOR_LOCAL, 0x11000,
		    "the memory's address" },
		{ local, 8, key, TAKEN_FOR_NOTHING, 0, "elsewhere in it" },
		{ 0x10010, 64, two, TAKEN_FOR_REMOTE, 0,
		    "a peer's address, zero_based" },
		{ local + 20, 8, two, TAKEN_FOR_LOCAL, 4,
		    "the memory's, zero_based" },
		{ 77, 3, two, TAKEN_FOR_REGION_OFFSET, 61,
		    "the region's offset, zero_based" },
		{ 64, 1, two, TAKEN_FOR_REGION_OFFSET, 48, "just behind it" },
		{ 80, 1, two, TAKEN_FOR_NOTHING, 0, "behind both" },
	};
	struct explained x;
	size_t i;

	for (i = 0; i < NELEM(tab); i++) {
		x = try(
		    ACCESS_WRITE, tab[i].addr, tab[i].length, tab[i].key, NULL);
		is_int(x.why, WHY_RANGE, "%s: outside", tab[i].what);
		is_int(
		    x.taken_for, tab[i].taken_for, "%s: meant as", tab[i].what);
		is_int((long long)x.would_be, (long long)tab[i].would_be,
		    "%s: and right", tab[i].what);
	}
}

/* D1: what a device that does not keep to a window's range lets pass. */
static void
test_breaks(void)
{
	const uint32_t key = mw->rkey.value;
	struct dev_info *info = &devs[0]->b.info;
	struct explained x;

	(void)strlcpy(info->breaks, "rereg,window_range", sizeof(info->breaks));
	ok(try(ACCESS_WRITE, 0x10000, 8192, key, NULL).passes,
	    "all of the region passes");
	ok(!try(ACCESS_WRITE, 0x10000, 8193, key, NULL).passes,
	    "not a byte more");
	ok(!try(ACCESS_READ, 0x11000, 8, key, NULL).passes,
	    "nor without the right");
	ok(!try(ACCESS_WRITE, 0x11000, 8, key, NULL).passes,
	    "what is allowed needs no word");
	ok(!try(ACCESS_READ, 0x10000, 8193, mr->rkey.value, NULL).passes,
	    "a region's range is kept");
	/* soft-RoCE 6.1: from the window's first byte, both ways. */
	ok(try(ACCESS_WRITE, mw2->bound.length, 8, mw2->rkey.value, NULL)
		.passes,
	    "behind a zero_based window");
	ok(try(ACCESS_WRITE, -mw2->bound.offset, 8, mw2->rkey.value, NULL)
		    .passes == (mw2->bound.offset > 0),
	    "and before it");
	ok(!try(ACCESS_WRITE, mr->mem.length - mw2->bound.offset, 8,
	       mw2->rkey.value, NULL)
		.passes,
	    "as far as the region goes");
	x = try(ACCESS_WRITE, 0x10000, 8, key, uc);
	ok(x.passes && !x.silent, "what passes over uc is not dropped");
	info->breaks[0] = '\0';
	ok(!try(ACCESS_WRITE, 0x10000, 8, key, NULL).passes,
	    "others let nothing pass");
	ok(!try(ACCESS_WRITE, 0x11000, 8, key, NULL).down, "a port is active");
	devs[0]->down = true;
	ok(try(ACCESS_WRITE, 0x11000, 8, key, NULL).down, "none is");
	devs[0]->down = false;
}

static void
test_queue_pair(void)
{
	const uint32_t key = mw->rkey.value;
	struct explained x;

	core_rights(qp2, RIGHT_REMOTE_READ);
	x = try(ACCESS_WRITE, 0, 0, 1, qp2);
	is_int(x.why, WHY_QP_RIGHT, "A2 comes first, of no bytes too");
	is_str(x.rule, "A2", "its rule");
	is_int(x.needs, RIGHT_REMOTE_WRITE, "what is missing");
	core_do(&qp2->o, qp_reset);
	x = try(ACCESS_READ, 0x10000, 8, mr->rkey.value, qp2);
	ok(x.why == WHY_STATE && x.mute && !x.silent, "one that is not there");
	is_str(x.rule, "A5", "its rule");
	x = try(ACCESS_READ, 0, 0, 1, qp2);
	is_int(x.why, WHY_STATE, "nor for no bytes");
	x = try(ACCESS_READ, 0x10000, 8, key, qp2);
	ok(x.why == WHY_RIGHT && x.mute, "it hides no other reason");
	x = try(ACCESS_WRITE, 0, 8, 1, uc);
	ok(x.why == WHY_UNKNOWN && x.silent, "A6: uc is silent");
	core_do(&uc->o, qp_reset);
	x = try(ACCESS_WRITE, 0x11000, 8, key, uc);
	ok(x.why == WHY_STATE && x.silent, "also when it is not there");
	x = try(ACCESS_READ, 0x11000, 8, key, uc);
	ok(x.why == WHY_UC && !x.silent, "its own side is not");
}

static void
test_looks_like(void)
{
	const uint32_t key = mw->rkey.value;
	struct explained x;

	x = ask(&all, devs[0], key);
	ok(x.is.state == KEY_LIVE && x.is.kind == KEY_MW && x.is.o == &mw->o &&
		x.is.where,
	    "a live one");
	ok(x.tag.state == KEY_UNKNOWN && x.elsewhere.state == KEY_UNKNOWN &&
		x.swapped.state == KEY_UNKNOWN,
	    "it is nothing else");
	x = ask(&all, devs[0], mr->lkey.value);
	ok(x.is.kind == KEY_LKEY && x.is.o == &mr->o, "an lkey");
	x = ask(&all, devs[0], key ^ 0x80);
	ok(x.is.state == KEY_UNKNOWN && x.tag.state == KEY_LIVE &&
		x.tag.o == &mw->o,
	    "another tag");
	x = ask(&all, devs[1], key);
	ok(x.is.state == KEY_UNKNOWN && x.elsewhere.o == &mw->o &&
		x.elsewhere.dev == devs[0],
	    "another device");
	x = ask(&all, devs[0], __builtin_bswap32(key));
	ok(x.is.state == KEY_UNKNOWN && x.swapped.o == &mw->o,
	    "bytes reversed");
}

/* Whether nothing is told. */
static bool
is_nothing(const struct explained *x)
{
	static const struct explained never;

	return memcmp(x, &never, sizeof(never)) == 0;
}

static void
test_secrets(uint32_t dead, uint32_t gone)
{
	const struct eyes blind = { .nothing = true },
			  one = { .not_of = &mw->o },
			  no_address = { .no_address = true },
			  only = { .owner_only = true };
	const uint32_t keys[] = { mw->rkey.value, mr->rkey.value,
		mr->lkey.value, dead, gone };
	struct explained x;
	size_t i;

	for (i = 0; i < NELEM(keys); i++) {
		x = ask(&blind, devs[0], keys[i]);
		ok(is_nothing(&x), "key %zu: nothing is told", i);
		x = ask(&blind, devs[0], keys[i] ^ 0x80);
		ok(is_nothing(&x), "nor of its index");
		x = ask(&blind, devs[1], keys[i]);
		ok(is_nothing(&x), "nor where it is");
		x = ask(&blind, devs[0], __builtin_bswap32(keys[i]));
		ok(is_nothing(&x), "nor that it is reversed");
	}
	x = ask(&one, devs[0], mw->rkey.value);
	ok(is_nothing(&x), "one object that may not be known");
	x = ask(&one, devs[0], dead);
	ok(is_nothing(&x), "nor its dead keys");
	ok(ask(&one, devs[0], mr->rkey.value).is.state == KEY_LIVE,
	    "the others are");
	ok(!ask(&no_address, devs[0], mw->rkey.value).is.where &&
		!ask(&no_address, devs[0], dead).is.where,
	    "addresses are told apart");
	x = ask(&only, devs[0], gone);
	ok(is_nothing(&x), "what is gone is by its owner");
	ok(ask(&all, devs[0], gone).is.state == KEY_DEAD, "as it was");
}

static void
test_dead(void)
{
	const uint32_t dead = mw->rkey.value, gone = mw2->rkey.value;
	struct explained x;

	core_bind(mw, mr, NULL, 0, 8192, RIGHT_REMOTE_READ);
	x = ask(&all, devs[0], dead);
	ok(x.is.state == KEY_DEAD && x.is.o == &mw->o && x.is.newer,
	    "a new bind");
	is_int(x.is.dead->how, KEY_END_REBIND, "is how it ended");
	is_int(x.is.dead->by, 7, "by whom");
	ok(x.is.dead->length == 1000 && x.is.dead->offset == 4096 &&
		x.is.dead->addr == 0x11000 &&
		x.is.dead->rights == RIGHT_REMOTE_WRITE,
	    "what it opened");
	ok(x.is.dead->since <= x.is.dead->died, "since and when");
	core_do(&mw2->o, mw_destroy);
	x = ask(&all, devs[0], gone);
	ok(x.is.state == KEY_DEAD && x.is.o == NULL && !x.is.newer,
	    "a window that is gone");
	is_int(x.is.dead->how, KEY_END_DESTROYED, "is how it ended");
	is_str(x.is.dead->name, "two", "what it was called");
	is_str(x.is.dead->qp, "q", "over what it was bound");
	is_int(x.is.dead->type, MW_TYPE_2, "its type");
	x = try(ACCESS_WRITE, 0x11000, 8, dead, NULL);
	ok(x.why == WHY_DEAD && x.rule != NULL, "A1 of a dead key");
	test_secrets(dead, gone);
}

int
main(void)
{
	set_up();
	test_reasons();
	test_distance();
	test_taken_for();
	test_breaks();
	test_looks_like();
	test_queue_pair();
	test_dead();
	core_close();
	return done_testing();
}
