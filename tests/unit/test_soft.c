/* SPDX-License-Identifier: MIT */
/* core/soft: the model of memory protection, rule by rule. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "soft.h"
#include "tap.h"

#define R  RIGHT_REMOTE_READ
#define W  RIGHT_REMOTE_WRITE
#define A  RIGHT_REMOTE_ATOMIC
#define Z  RIGHT_ZERO_BASED
#define LW RIGHT_LOCAL_WRITE
#define MB RIGHT_MW_BIND

#define IOVA 0x7000000000u /* of region(): its first byte */
#define SIZE 8192u /* of region(): bytes */

/*
 * One open device with two domains, a queue pair connected to itself, and a
 * piece of memory.
 */
static struct {
	struct backend b;
	struct bk_pd *pd, *other;
	struct bk_qp *qp;
	struct mem mem;
	struct err e;
} dev;

/* Nothing goes wrong on a queue pair here. */
static void
no_change(void *arg, enum qp_state state)
{
	bail_out("a queue pair changed its state");
}

static void
connect_queue_pair(void)
{
	const struct qp_args args = { QP_RC, .gid = -1, .changed = no_change };
	struct qp_addr addr;

	if (backend_qp_create(&dev.b, dev.pd, &args, &dev.qp, &addr, &dev.e) <
		0 ||
	    backend_qp_connect(&dev.b, dev.qp, &addr, 0, &dev.e) < 0)
		bail_out("cannot connect: %s", dev.e.text);
}

static void
open_device(void)
{
	if (backend_open(&dev.b, &soft_ops, "soft0", NULL, NULL, NULL, &dev.e) <
		0 ||
	    backend_pd_alloc(&dev.b, &dev.pd, &dev.e) < 0 ||
	    backend_pd_alloc(&dev.b, &dev.other, &dev.e) < 0 ||
	    mem_new(&dev.mem, SIZE, 0, &dev.e) < 0)
		bail_out("cannot set up: %s", dev.e.text);
	connect_queue_pair();
}

static void
close_device(void)
{
	is_int(backend_qp_destroy(&dev.b, dev.qp, &dev.e), 0, "nothing left");
	is_int(backend_pd_free(&dev.b, dev.other, &dev.e), 0, "nothing left");
	is_int(backend_pd_free(&dev.b, dev.pd, &dev.e), 0, "nothing left");
	is_int(soft_in_use(&dev.b), 0, "no index is left in use");
	backend_close(&dev.b);
	mem_free(&dev.mem);
}

static struct bk_mr *
region_at(
    struct bk_pd *pd, uint64_t iova, uint32_t rights, struct mr_keys *keys)
{
	struct bk_mr *mr;

	if (backend_mr_reg(
		&dev.b, pd, &dev.mem, iova, rights, &mr, keys, &dev.e) < 0)
		bail_out("mr_reg: %s", dev.e.text);
	return mr;
}

static struct bk_mr *
region(struct bk_pd *pd, uint32_t rights, struct mr_keys *keys)
{
	return region_at(pd, IOVA, rights, keys);
}

static int
dereg(struct bk_mr *mr)
{
	return backend_mr_dereg(&dev.b, mr, &dev.e);
}

static struct bk_mw *
window(enum mw_type type)
{
	struct bk_mw *mw;

	if (backend_mw_alloc(&dev.b, dev.pd, type, &mw, &dev.e) < 0)
		bail_out("mw_alloc: %s", dev.e.text);
	return mw;
}

static int
free_window(struct bk_mw *mw)
{
	return backend_mw_free(&dev.b, mw, &dev.e);
}

/* Never called: soft devices complete at once. */
static void
no_done(struct bk_req *req, int r)
{
	bail_out("a soft device completed late");
}

/* Binds, and gives the new key; 0: refused, the reason in dev.e. */
static uint32_t
bind_over(struct bk_qp *qp, struct bk_mw *mw, struct bk_mr *mr,
    const struct bind_args *a)
{
	struct bk_req req = { .done = no_done, .e = &dev.e };

	return backend_mw_bind(&dev.b, mw, mr, qp, a, &req) == 0 ? req.rkey : 0;
}

static uint32_t
bind(struct bk_mw *mw, struct bk_mr *mr, uint64_t offset, uint64_t length,
    uint32_t rights)
{
	const struct bind_args a = { offset, length, rights };

	return bind_over(NULL, mw, mr, &a);
}

/* Type 2. */
static uint32_t
bind_2(struct bk_mw *mw, struct bk_mr *mr, uint64_t offset, uint64_t length,
    uint32_t rights)
{
	const struct bind_args a = { offset, length, rights };

	return bind_over(dev.qp, mw, mr, &a);
}

static int
invalidate(struct bk_mw *mw)
{
	struct bk_req req = { .done = no_done, .e = &dev.e };

	return backend_mw_invalidate(&dev.b, mw, &req);
}

static struct verdict
try(struct bk_pd *pd, enum access_op op, uint32_t rkey, uint64_t addr,
    uint64_t length)
{
	struct access a = { op, rkey, addr, length };
	struct verdict v;

	(void)backend_access(&dev.b, pd, NULL, &a, &v);
	return v;
}

/* Whether one byte at addr can be read with this key. */
static bool
opens(uint32_t rkey, uint64_t addr)
{
	return try(dev.pd, ACCESS_READ, rkey, addr, 1).allowed;
}

/* What an access must meet.  rule NULL: allowed, at this offset. */
struct expect {
	enum access_op op;
	uint64_t addr, length;
	const char *rule;
	uint64_t offset;
};

static void
check_all(const char *what, uint32_t rkey, struct bk_mr *mr,
    const struct expect *x, size_t n)
{
	struct verdict v;
	size_t i;

	for (i = 0; i < n; i++) {
		v = try(dev.pd, x[i].op, rkey, x[i].addr, x[i].length);
		is_str(v.rule, x[i].rule, "%s, access %zu: the rule", what, i);
		is_int(v.allowed, x[i].rule == NULL, "the verdict agrees");
		if (x[i].rule != NULL)
			ok(v.mr == NULL && v.why != NULL,
			    "A7: a refused access"
			    " has a reason and reaches no memory");
		else if (x[i].length > 0)
			ok(v.mr == mr && v.offset == x[i].offset,
			    "it means the right byte");
		else
			ok(v.mr == NULL, "no byte is meant");
	}
}

static void
test_names(void)
{
	static const struct {
		const char *name;
		int want;
	} cases[] = {
		{ "soft0", 0 },
		{ "soft253", 0 },
		{ "soft254", -ENODEV },
		{ "soft", -ENODEV },
		{ "soft00", -ENODEV },
		{ "soft01", -ENODEV },
		{ "soft-1", -ENODEV },
		{ "soft+1", -ENODEV },
		{ "soft 1", -ENODEV },
		{ "soft1x", -ENODEV },
		{ "soft99999999999999999999", -ENODEV },
		{ "rxe0", -ENODEV },
		{ "", -ENODEV },
	};
	struct backend b;
	struct err e = { 0 };
	size_t i;
	int r;

	for (i = 0; i < NELEM(cases); i++) {
		r = backend_open(
		    &b, &soft_ops, cases[i].name, NULL, NULL, NULL, &e);
		is_int(r, cases[i].want, "open '%s'", cases[i].name);
		if (r < 0)
			continue;
		is_str(b.info.name, cases[i].name, "it has its name");
		backend_close(&b);
	}
}

static void
test_info(void)
{
	static const struct gid want[2] = {
		{ { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0,
		    1 } },
		{ { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 2 } },
	};
	struct backend b;
	struct port_info port;
	struct gid gid;
	struct err e = { 0 };
	unsigned i;

	if (backend_open(&b, &soft_ops, "soft1", NULL, NULL, NULL, &e) < 0)
		bail_out("open: %s", e.text);
	is_str(b.info.fw_ver, "soft", "the firmware");
	is_int(b.info.port_count, 1, "one port");
	is_int(b.info.caps & (CAP_ON_DEMAND | CAP_FLUSH), 0, "what it lacks");
	is_int(backend_port_query(&b, 1, &port, &e), 0, "its port");
	is_str(port.state_name, "4: ACTIVE", "is active");
	is_str(port.link_layer, "Ethernet", "has a link layer");
	is_int(port.gid_count, 2, "has two GIDs");
	for (i = 0; i < 2; i++) {
		is_int(backend_gid_query(&b, 1, i, &gid, &e), 0, "GID %u", i);
		ok(memcmp(&gid, &want[i], sizeof(gid)) == 0, "as it should be");
	}
	is_int(backend_gid_query(&b, 1, 2, &gid, &e), -EINVAL, "no third");
	backend_close(&b);
}

static void
test_region_access(void)
{
	static const struct expect cases[] = {
		{ ACCESS_READ, IOVA, 1, NULL, 0 },
		{ ACCESS_READ, IOVA, SIZE, NULL, 0 },
		{ ACCESS_READ, IOVA + SIZE - 1, 1, NULL, SIZE - 1 },
		{ ACCESS_READ, IOVA + 100, SIZE - 100, NULL, 100 },
		{ ACCESS_ATOMIC, IOVA + 8, 8, NULL, 8 },
		{ ACCESS_ATOMIC, IOVA + SIZE - 8, 8, NULL, SIZE - 8 },
		/* A1: one byte outside, and sums that wrap */
		{ ACCESS_READ, IOVA - 1, 1, "A1", 0 },
		{ ACCESS_READ, IOVA - 1, 2, "A1", 0 },
		{ ACCESS_READ, IOVA + SIZE, 1, "A1", 0 },
		{ ACCESS_READ, IOVA + SIZE - 1, 2, "A1", 0 },
		{ ACCESS_READ, IOVA, SIZE + 1, "A1", 0 },
		{ ACCESS_READ, IOVA, UINT64_C(1) << 31, "A1", 0 },
		{ ACCESS_READ, UINT64_MAX, 2, "A1", 0 },
		{ ACCESS_READ, 0, 1, "A1", 0 },
		{ ACCESS_ATOMIC, IOVA + SIZE, 8, "A1", 0 },
		/* A1: a right that the key lacks */
		{ ACCESS_WRITE, IOVA, 1, "A1", 0 },
		/* A3 */
		{ ACCESS_READ, 12345, 0, NULL, 0 },
		{ ACCESS_WRITE, IOVA, 0, NULL, 0 },
		{ ACCESS_READ, IOVA, (UINT64_C(1) << 31) + 1, "A3", 0 },
		{ ACCESS_WRITE, IOVA, UINT64_MAX, "A3", 0 },
		{ ACCESS_ATOMIC, IOVA, 0, "A3", 0 },
		{ ACCESS_ATOMIC, IOVA, 4, "A3", 0 },
		{ ACCESS_ATOMIC, IOVA + 4, 8, "A3", 0 },
	};
	struct mr_keys keys;
	struct bk_mr *mr;

	open_device();
	mr = region(dev.pd, LW | R | A, &keys);
	check_all("a region", keys.rkey, mr, cases, NELEM(cases));
	is_str(try(dev.other, ACCESS_READ, keys.rkey, IOVA, 1).rule, "A1",
	    "A1: a key of another domain");
	is_str(try(dev.pd, ACCESS_READ, keys.rkey ^ 0x100, IOVA, 1).rule, "A1",
	    "A1: an unknown key");
	is_str(try(dev.pd, ACCESS_READ, keys.rkey ^ 1, IOVA, 1).rule, "A1",
	    "A1: a wrong tag");
	is_str(try(dev.pd, ACCESS_READ, keys.lkey, IOVA, 1).rule, "A1",
	    "M9: the lkey is no rkey");
	has_str(try(dev.pd, ACCESS_READ, keys.lkey, IOVA, 1).why, "lkey",
	    "and the reason says so");
	ok(try(dev.other, ACCESS_READ, 0, 0, 0).allowed,
	    "A3: no key is looked at for zero bytes");
	is_int(dereg(mr), 0, "dereg");
	ok(!opens(keys.rkey, IOVA), "A1: a freed key");
	close_device();
}

/* No sum wraps at the end of the address space. */
static void
test_last_region(void)
{
	const uint64_t start = -(uint64_t)SIZE;
	const struct expect cases[] = {
		{ ACCESS_READ, start, SIZE, NULL, 0 },
		{ ACCESS_READ, start, 1, NULL, 0 },
		{ ACCESS_READ, UINT64_MAX, 1, NULL, SIZE - 1 },
		{ ACCESS_READ, UINT64_MAX, 2, "A1", 0 },
		{ ACCESS_READ, start, SIZE + 1, "A1", 0 },
		{ ACCESS_READ, 0, 1, "A1", 0 },
	};
	struct mr_keys keys;
	struct bk_mr *mr;

	open_device();
	mr = region_at(dev.pd, start, R, &keys);
	check_all("the last region", keys.rkey, mr, cases, NELEM(cases));
	is_int(dereg(mr), 0, "dereg");
	close_device();
}

static void
test_zero_based_region(void)
{
	static const struct expect cases[] = {
		{ ACCESS_READ, 0, SIZE, NULL, 0 },
		{ ACCESS_READ, SIZE - 1, 1, NULL, SIZE - 1 },
		{ ACCESS_READ, SIZE, 1, "A1", 0 },
		{ ACCESS_READ, IOVA, 1, "A1", 0 },
	};
	struct mr_keys keys;
	struct bk_mr *mr;

	open_device();
	mr = region(dev.pd, R | Z, &keys);
	check_all("zero based region", keys.rkey, mr, cases, NELEM(cases));
	is_int(dereg(mr), 0, "dereg");
	close_device();
}

static void
test_window_access(void)
{
	static const struct expect cases[] = {
		{ ACCESS_WRITE, IOVA + 1000, 1, NULL, 1000 },
		{ ACCESS_WRITE, IOVA + 1000, 24, NULL, 1000 },
		{ ACCESS_WRITE, IOVA + 1023, 1, NULL, 1023 },
		{ ACCESS_WRITE, IOVA + 999, 1, "A1", 0 },
		{ ACCESS_WRITE, IOVA + 1024, 1, "A1", 0 },
		{ ACCESS_WRITE, IOVA + 1023, 2, "A1", 0 },
		{ ACCESS_WRITE, IOVA + 1000, 25, "A1", 0 },
		/* the region has it, the window has not */
		{ ACCESS_READ, IOVA + 1000, 1, "A1", 0 },
		{ ACCESS_ATOMIC, IOVA + 1000, 8, "A1", 0 },
	};
	struct mr_keys keys;
	struct bk_mr *mr;
	struct bk_mw *mw;
	uint32_t rkey;

	open_device();
	mr = region(dev.pd, LW | R | MB, &keys);
	mw = window(MW_TYPE_1);
	rkey = bind(mw, mr, 1000, 24, W);
	check_all("a window", rkey, mr, cases, NELEM(cases));
	ok(!try(dev.pd, ACCESS_WRITE, keys.rkey, IOVA, 1).allowed,
	    "A1: the region itself lacks the window's right (W3)");
	is_str(try(dev.other, ACCESS_WRITE, rkey, IOVA + 1000, 1).rule, "A1",
	    "A1: a key of another domain");
	is_int(free_window(mw), 0, "W10: a bound window is freed");
	is_int(dereg(mr), 0, "and that unbinds it");
	ok(!try(dev.pd, ACCESS_WRITE, rkey, IOVA + 1000, 1).allowed,
	    "its key is dead");
	close_device();
}

static void
test_zero_based_window(void)
{
	static const struct expect cases[] = {
		{ ACCESS_READ, 0, 24, NULL, 1000 },
		{ ACCESS_READ, 23, 1, NULL, 1023 },
		{ ACCESS_READ, 24, 1, "A1", 0 },
		{ ACCESS_READ, IOVA + 1000, 1, "A1", 0 },
		{ ACCESS_READ, UINT64_MAX, 1, "A1", 0 },
	};
	struct mr_keys keys;
	struct bk_mr *mr;
	struct bk_mw *mw;

	open_device();
	mr = region(dev.pd, MB, &keys);
	mw = window(MW_TYPE_2);
	check_all("W5: a zero based window", bind_2(mw, mr, 1000, 24, R | Z),
	    mr, cases, NELEM(cases));
	(void)free_window(mw);
	(void)dereg(mr);
	close_device();
}

static void
test_busy(void)
{
	struct mr_keys keys, again;
	struct bk_mr *mr;
	struct bk_mw *mw;
	bool gone;

	open_device();
	mr = region(dev.pd, R | MB, &keys);
	is_int(backend_pd_free(&dev.b, dev.pd, &dev.e), -EBUSY,
	    "P2: a domain with a region");
	mw = window(MW_TYPE_1);
	(void)bind(mw, mr, 0, 1, R);
	is_int(dereg(mr), -EBUSY, "M10: dereg of a region with a window");
	has_str(dev.e.text, "1 window", "the text has the number");
	is_int(backend_mr_rereg(&dev.b, mr, NULL, 0, &again, &gone, &dev.e),
	    -EBUSY, "M10: rereg");
	ok(!gone && opens(keys.rkey, IOVA), "the region is unharmed");
	is_int(invalidate(mw), 0, "invalidate");
	is_int(dereg(mr), 0, "then dereg");
	is_int(backend_pd_free(&dev.b, dev.pd, &dev.e), -EBUSY,
	    "P2: a domain with a window");
	(void)free_window(mw);
	close_device();
}

static void
test_invalidate(void)
{
	struct mr_keys keys;
	struct bk_mr *mr;
	struct bk_mw *mw;
	uint32_t old, new;

	open_device();
	mr = region(dev.pd, MB, &keys);
	mw = window(MW_TYPE_2);
	is_int(invalidate(mw), -ENODATA, "I4: a window that is not bound");
	old = bind_2(mw, mr, 0, SIZE, R);
	ok(opens(old, IOVA), "W1: a bound window's key opens it");
	is_int(invalidate(mw), 0, "I1: the key ends");
	ok(!opens(old, IOVA), "and is refused");
	is_int(invalidate(mw), -ENODATA, "I4: twice");
	new = bind_2(mw, mr, 0, SIZE, R);
	ok(opens(new, IOVA) && !opens(old, IOVA), "the window lives on");
	is_int(old >> 8, new >> 8, "W9: with its index");
	(void)free_window(mw);
	(void)dereg(mr);
	close_device();
}

static void
test_bind_again(void)
{
	struct mr_keys keys;
	struct bk_mr *mr, *mr2;
	struct bk_mw *mw, *mw2;
	uint32_t one, two;

	open_device();
	mr = region(dev.pd, MB, &keys);
	mr2 = region(dev.pd, MB, &keys);
	mw = window(MW_TYPE_1);
	one = bind(mw, mr, 0, 1, R);
	two = bind(mw, mr2, 4096, 1, R);
	ok(!opens(one, IOVA), "W6: a bind kills the old key");
	ok(opens(two, IOVA + 4096), "and makes a new one");
	ok(try(dev.pd, ACCESS_READ, two, IOVA + 4096, 1).mr == mr2,
	    "W7: in another region");
	is_int(dereg(mr), 0, "M10: the first region is free again");

	mw2 = window(MW_TYPE_2);
	one = bind_2(mw2, mr2, 0, 1, R);
	is_int(bind_2(mw2, mr2, 0, 2, R), 0, "W8: type 2 is not bound again");
	is_int(dev.e.code, EBUSY, "but busy");
	ok(opens(one, IOVA), "W6: the old key is at work");
	(void)free_window(mw);
	(void)free_window(mw2);
	is_int(dereg(mr2), 0, "dereg");
	close_device();
}

static void
test_rereg(void)
{
	struct mr_keys old, new;
	struct bk_mr *mr;
	bool gone;

	open_device();
	mr = region(dev.pd, R, &old);
	is_int(backend_mr_rereg(
		   &dev.b, mr, dev.other, LW | W, &new, &gone, &dev.e),
	    0, "M11: rereg of rights and domain");
	ok(!opens(old.rkey, IOVA), "the old key is dead");
	ok(old.lkey != new.lkey &&old.rkey != new.rkey &&new.lkey !=
		old.rkey &&new.rkey != old.lkey &&new.lkey != new.rkey,
	    "both keys are new");
	ok(!try(dev.pd, ACCESS_WRITE, new.rkey, IOVA, 1).allowed,
	    "the old domain is left");
	ok(try(dev.other, ACCESS_WRITE, new.rkey, IOVA, 1).allowed,
	    "the new right, in the new domain");
	ok(!try(dev.other, ACCESS_READ, new.rkey, IOVA, 1).allowed,
	    "the old right is gone");
	is_int(backend_pd_free(&dev.b, dev.other, &dev.e), -EBUSY,
	    "P2: the new domain has it");
	is_int(dereg(mr), 0, "dereg");
	close_device();
}

/* W9: each key of a window is another, and its index changes in time. */
static void
test_many_binds(void)
{
	enum { BINDS = 600 };
	static uint32_t keys[BINDS];
	struct mr_keys mk;
	struct bk_mr *mr;
	struct bk_mw *mw;
	unsigned i, j, twice = 0, alive = 0, moved = 0;

	open_device();
	mr = region(dev.pd, MB, &mk);
	mw = window(MW_TYPE_1);
	for (i = 0; i < BINDS; i++) {
		keys[i] = bind(mw, mr, 0, 1, R);
		for (j = 0; j < i; j++) {
			twice += keys[j] == keys[i];
			alive += opens(keys[j], IOVA);
		}
		moved += i > 0 && keys[i] >> 8 != keys[i - 1] >> 8;
	}
	is_int(twice, 0, "W9: no key comes twice in %d binds", BINDS);
	is_int(alive, 0, "W6: no old key opens again");
	is_int(moved, 2, "W9: a new index after each 256");
	ok(keys[255] >> 8 != keys[256] >> 8, "exactly there");
	is_int(soft_retired(&dev.b), 2, "M8: the used up ones are retired");
	is_int(soft_in_use(&dev.b), 2, "and not held");
	(void)free_window(mw);
	(void)dereg(mr);
	close_device();
}

/* Binds with a tag of our choice, and unbinds; 0: refused. */
static uint32_t
tagged(struct bk_mw *mw, struct bk_mr *mr, unsigned tag)
{
	const struct bind_args a = { 0, 1, R, (uint16_t)(TAG_CHOSEN | tag) };
	uint32_t key = bind_over(dev.qp, mw, mr, &a);

	if (key != 0)
		(void)invalidate(mw);
	return key;
}

/* W8, W9: the low byte is the caller's choice, once for each index. */
static void
test_tags(void)
{
	struct mr_keys mk;
	struct bk_mr *mr;
	struct bk_mw *mw;
	uint32_t key, index, last;

	open_device();
	mr = region(dev.pd, MB, &mk);
	mw = window(MW_TYPE_2);
	key = bind_2(mw, mr, 0, 1, R);
	index = key >> 8;
	is_int(tagged(mw, mr, 0), 0, "W8: bound once");
	is_int(dev.e.code, EBUSY, "busy goes before the tag");
	(void)invalidate(mw);
	is_int(tagged(mw, mr, key & 0xff), 0, "W9: the tag of the first key");
	is_int(dev.e.code, EINVAL, "is refused");
	is_str(dev.e.arg, "tag", "the tag is to blame");
	has_str(dev.e.text, "(W9)", "by its rule");
	last = (key + 7) & 0xff;
	is_int(tagged(mw, mr, last), index << 8 | last, "W8: a new tag");
	is_int(tagged(mw, mr, last), 0, "W9: not twice");
	(void)free_window(mw);
	is_int(soft_retired(&dev.b), 1, "M8: its index is retired");
	soft_force_index(&dev.b, index, 1);
	mw = window(MW_TYPE_2);
	ok(bind_2(mw, mr, 0, 1, R) >> 8 != index, "and not used again");
	(void)free_window(mw);
	(void)dereg(mr);
	close_device();
}

/* W9: chosen and not, all tags of an index come once. */
static void
test_all_tags(void)
{
	static bool had[256];
	struct mr_keys mk;
	struct bk_mr *mr;
	struct bk_mw *mw;
	unsigned i, twice = 0, elsewhere = 0;
	uint32_t key, index = 0;

	open_device();
	mr = region(dev.pd, MB, &mk);
	mw = window(MW_TYPE_2);
	for (i = 0; i < 256; i++) {
		key = i % 3 == 1 && !had[i] ? tagged(mw, mr, i)
					    : bind_2(mw, mr, 0, 1, R);
		(void)invalidate(mw);
		twice += had[key & 0xff];
		had[key & 0xff] = true;
		index = i == 0 ? key >> 8 : index;
		elsewhere += key == 0 || key >> 8 != index;
	}
	is_int(twice, 0, "W9: no tag comes twice");
	is_int(elsewhere, 0, "all 256 of an index are used");
	is_int(soft_retired(&dev.b), 0, "which is held");
	key = tagged(mw, mr, 5);
	ok(key != 0 && key >> 8 != index, "W9: then the window gets another");
	is_int(key & 0xff, 5, "on which all tags are new");
	is_int(soft_retired(&dev.b), 1, "M8: the old one is retired");
	(void)free_window(mw);
	is_int(soft_retired(&dev.b), 2, "and so is this, its tags were chosen");
	(void)dereg(mr);
	close_device();
}

/* M8: an index in use again does not bring an old key back. */
static void
test_index_reuse(void)
{
	enum { ROUNDS = 128, INDEX = 0x123456 }; /* two keys a round */
	static uint32_t dead[2 * ROUNDS];
	struct mr_keys keys;
	struct bk_mr *mr;
	unsigned i, j, elsewhere = 0, alive = 0;

	open_device();
	for (i = 0; i < ROUNDS; i++) {
		soft_force_index(&dev.b, INDEX, 1);
		mr = region(dev.pd, R, &keys);
		elsewhere += keys.rkey >> 8 != INDEX;
		for (j = 0; j < 2 * i; j++)
			alive += opens(dead[j], IOVA) || dead[j] == keys.lkey ||
				 dead[j] == keys.rkey;
		dead[2 * i] = keys.lkey;
		dead[2 * i + 1] = keys.rkey;
		(void)dereg(mr);
	}
	is_int(elsewhere, 0, "one index served %d regions", ROUNDS);
	is_int(alive, 0, "M8: no dead key came back");
	is_int(soft_retired(&dev.b), 1, "then it is retired");
	soft_force_index(&dev.b, INDEX, 1);
	mr = region(dev.pd, R, &keys);
	ok(keys.rkey >> 8 != INDEX, "and never chosen again");

	soft_force_index(&dev.b, keys.rkey >> 8, 1);
	(void)dereg(region(dev.pd, R, &keys));
	is_int(soft_in_use(&dev.b), 1, "M8: nor is one in use");
	(void)dereg(mr);
	close_device();
}

/* An index with a single tag left serves a window, but no region. */
static void
test_last_tag(void)
{
	enum { INDEX = 0x777777 };
	struct mr_keys keys;
	struct bk_mr *mr;
	struct bk_mw *mw;
	unsigned i;

	open_device();
	mr = region(dev.pd, MB, &keys);
	soft_force_index(&dev.b, INDEX, 1);
	mw = window(MW_TYPE_1);
	for (i = 0; i < 255; i++)
		(void)bind(mw, mr, 0, 1, R);
	(void)free_window(mw);
	is_int(soft_retired(&dev.b), 0, "one tag is left");
	soft_force_index(&dev.b, INDEX, 1);
	(void)dereg(region(dev.pd, R, &keys));
	ok(keys.rkey >> 8 != INDEX, "too little for a region's two keys");
	soft_force_index(&dev.b, INDEX, 1);
	mw = window(MW_TYPE_1);
	is_int(bind(mw, mr, 0, 1, R) >> 8, INDEX, "enough for a window");
	(void)free_window(mw);
	is_int(soft_retired(&dev.b), 1, "then it is retired");
	(void)dereg(mr);
	close_device();
}

static int
compare_keys(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
test_unpredictable(void)
{
	enum { N = 1000 };
	static struct bk_mr *mr[N];
	static struct mr_keys keys[N];
	static uint32_t index[N];
	unsigned i, equal = 0, split = 0, near = 0, same = 0, low = 0;

	open_device();
	for (i = 0; i < N; i++) {
		mr[i] = region(dev.pd, R, &keys[i]);
		index[i] = keys[i].rkey >> 8;
		equal += keys[i].lkey == keys[i].rkey;
		split += keys[i].lkey >> 8 != index[i];
		low += index[i] < 1u << 23;
		if (i > 0)
			near += index[i] - index[i - 1] + 16 <= 32;
	}
	is_int(equal, 0, "M9: lkey and rkey differ");
	is_int(split, 0, "in their tags, not their index");
	ok(near <= 3, "M8: an index does not tell the next (%u near)", near);
	ok(low > 350 && low < 650, "they are all over (%u low)", low);
	qsort(index, N, sizeof(index[0]), compare_keys);
	for (i = 1; i < N; i++)
		same += index[i] == index[i - 1];
	is_int(same, 0, "M8: no two live objects share one");
	for (i = 0, near = 0; i < N; i++)
		near += (uint8_t)(keys[i].rkey - keys[i].lkey) == 1;
	ok(near < 40, "nor does a tag tell the next (%u of %d)", near, N);
	for (i = 0; i < N; i++)
		(void)dereg(mr[i]);
	close_device();
}

static void
test_lock(void)
{
	struct mr_keys keys;
	struct bk_mr *mr;

	open_device();
	ok(!dev.mem.locked, "memory is not locked");
	mr = region(dev.pd, R, &keys);
	ok(dev.mem.locked, "M1: a region's is");
	(void)dereg(mr);
	close_device();
}

int
main(void)
{
	test_names();
	test_info();
	test_region_access();
	test_last_region();
	test_zero_based_region();
	test_window_access();
	test_zero_based_window();
	test_busy();
	test_invalidate();
	test_bind_again();
	test_rereg();
	test_many_binds();
	test_tags();
	test_all_tags();
	test_index_reuse();
	test_last_tag();
	test_unpredictable();
	test_lock();
	return done_testing();
}
