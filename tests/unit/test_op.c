/* SPDX-License-Identifier: MIT */
/* core/op and core/pool: turns on an object, in order, and who gives up. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "dev.h"
#include "mr.h"
#include "pd.h"
#include "soft.h"
#include "tap.h"

static struct world w;
static struct obj *pd, *region; /* referenced */

/* An op whose turn, or end, is noted. */
struct note {
	struct op op;
	atomic_bool turned, over;
	atomic_int r;
	atomic_uint place; /* among all turns, from 1 */
};

static atomic_uint places;

static void
note_turn(struct op *op, int r)
{
	struct note *n = (struct note *)(void *)op;

	atomic_store(&n->r, r);
	atomic_store(&n->place, atomic_fetch_add(&places, 1) + 1);
	atomic_store(&n->turned, true);
}

static void
note_done(struct op *op, int r)
{
	struct note *n = (struct note *)(void *)op;

	atomic_store(&n->r, r);
	atomic_store(&n->over, true);
}

static int
begin(struct note *n, struct obj *o, bool patient)
{
	memset(n, 0, sizeof(*n));
	op_init(&n->op, o, "test", note_turn, note_done);
	return op_begin(&n->op, patient);
}

static void
settle(void)
{
	pool_drain(w.pin);
	pool_drain(w.slow);
	pool_drain(w.runner);
}

static void
set_up(void)
{
	const struct owner owner = { 0, 0, 0755 };
	struct note n;
	struct err e;

	if (world_init(&w, 0, 0, &e) < 0 ||
	    dev_add(&w, &soft_ops, "soft0", NULL, NULL, &e) < 0)
		bail_out("set-up: %s", e.text);
	memset(&n, 0, sizeof(n));
	op_init(&n.op, obj_by_name(&w.devs, "soft0"), "mkdir", note_turn,
	    note_done);
	if (pd_new(&n.op, "lab", &owner, &pd) != PENDING)
		bail_out("pd_new: %s", n.op.err.text);
	settle();
	obj_unref(n.op.obj);
	if (mr_new(pd_of(pd), "a", &owner, &region, &e) < 0)
		bail_out("mr_new: %s", e.text);
}

static void
tear_down(void)
{
	obj_unref(region);
	obj_unref(pd);
	dev_remove_all(&w);
	world_fini(&w);
}

static void
test_order(void)
{
	struct note n[4];
	unsigned i, first;

	set_up();
	is_int(begin(&n[0], region, true), 0, "the first has its turn at once");
	world_lock(&w);
	is_str(obj_busy(region), "test", "the object is busy");
	world_unlock(&w);
	for (i = 1; i < NELEM(n); i++)
		is_int(begin(&n[i], region, true), PENDING, "%u waits", i);
	settle();
	ok(!n[1].turned && !n[2].turned && !n[3].turned, "none goes before");
	first = atomic_load(&places);
	for (i = 1; i < NELEM(n); i++) {
		op_end(&n[i - 1].op);
		settle();
		ok(n[i].turned && n[i].r == 0, "then %u has its turn", i);
		is_int(n[i].place, first + i, "in its order");
	}
	op_end(&n[3].op);
	world_lock(&w);
	is_str(obj_busy(region), NULL, "then nobody");
	world_unlock(&w);
	tear_down();
}

static void
test_cancel(void)
{
	struct note n[3];

	set_up();
	(void)begin(&n[0], region, true);
	(void)begin(&n[1], region, true);
	(void)begin(&n[2], region, true);
	ok(!op_cancel(&n[0].op), "who has the turn cannot give it up");
	ok(op_cancel(&n[1].op), "who waits can");
	settle();
	ok(n[1].turned && n[1].r == -EINTR, "its turn is EINTR");
	has_str(n[1].op.err.text, "interrupted", "with a reason");
	ok(!n[2].turned, "nobody else is moved");
	op_end(&n[0].op);
	settle();
	ok(n[2].turned && n[2].r == 0, "the next one comes as ever");
	ok(!op_cancel(&n[2].op), "and cannot give up any more");
	op_end(&n[2].op);
	tear_down();
}

static void
test_gone(void)
{
	struct note n[3];

	set_up();
	(void)begin(&n[0], region, true);
	(void)begin(&n[1], region, true);
	(void)begin(&n[2], region, true);
	is_int(mr_destroy(&n[0].op, true), 0, "the first destroys the object");
	op_end(&n[0].op);
	settle();
	ok(n[1].turned && n[1].r == -ENODEV, "who waited gets ENODEV");
	ok(n[2].turned && n[2].r == -ENODEV, "and who waited behind");
	is_int(begin(&n[0], region, true), -ENODEV, "so does who comes later");
	has_str(n[0].op.err.text, "gone", "with a reason");
	tear_down();
}

static void
test_impatient(void)
{
	struct note n[2];

	set_up();
	(void)begin(&n[0], region, true);
	is_int(begin(&n[1], region, false), PENDING,
	    "rmdir waits for a command that is quick");
	op_end(&n[0].op);
	settle();
	op_end(&n[1].op);
	(void)begin(&n[0], region, true);
	world_lock(&w);
	n[0].op.slow = true;
	world_unlock(&w);
	is_int(begin(&n[1], region, false), -EBUSY, "not for a registration");
	has_str(n[1].op.err.text, "test is under way", "and says what it is");
	is_int(begin(&n[1], region, true), PENDING, "a command does wait");
	op_end(&n[0].op);
	settle();
	op_end(&n[1].op);
	tear_down();
}

/* Work that waits until it is let go. */
struct block {
	struct work work;
	atomic_bool *go;
	atomic_uint *begun;
};

static void
block_fn(struct work *work)
{
	struct block *b = (struct block *)(void *)work;

	atomic_fetch_add(b->begun, 1);
	while (!atomic_load(b->go))
		sched_yield();
}

static void
test_pool(void)
{
	atomic_bool go = false;
	atomic_uint begun = 0;
	struct block b[6];
	struct pool *p = pool_new(4);
	unsigned i;

	for (i = 0; i < NELEM(b); i++) {
		b[i].work.fn = block_fn;
		b[i].go = &go;
		b[i].begun = &begun;
		pool_submit(p, &b[i].work);
	}
	while (atomic_load(&begun) < 4)
		sched_yield();
	ok(true, "a pool grows while work waits");
	is_int(atomic_load(&begun), 4, "to its maximum");
	atomic_store(&go, true);
	pool_drain(p);
	is_int(atomic_load(&begun), 6, "draining waits for all of it");
	pool_free(p);
}

int
main(void)
{
	test_order();
	test_cancel();
	test_gone();
	test_impatient();
	test_pool();
	return done_testing();
}
