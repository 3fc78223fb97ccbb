/* SPDX-License-Identifier: MIT */
/* core/fault: calls that fail or wait when a test says so. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "fault.h"
#include "soft.h"
#include "tap.h"

/* A fault device around soft0 with something of each kind in it. */
static struct {
	struct fault *f;
	struct backend b;
	struct bk_pd *pd;
	struct bk_mr *mr;
	struct bk_mw *mw;
	struct mem mem;
	struct mr_keys keys;
	struct err e;
} dev;

static void
set_up(void)
{
	if ((dev.f = fault_new(&soft_ops)) == NULL ||
	    backend_open(
		&dev.b, fault_ops(dev.f), "soft0", NULL, NULL, NULL, &dev.e) < 0 ||
	    backend_pd_alloc(&dev.b, &dev.pd, &dev.e) < 0 ||
	    mem_new(&dev.mem, 4096, 0, &dev.e) < 0 ||
	    backend_mr_reg(&dev.b, dev.pd, &dev.mem, 0, RIGHT_MW_BIND, &dev.mr,
		&dev.keys, &dev.e) < 0 ||
	    backend_mw_alloc(&dev.b, dev.pd, MW_TYPE_1, &dev.mw, &dev.e) < 0)
		bail_out("set-up: %s", dev.e.text);
	fault_fail(dev.f, NULL, 0, 0, false);
}

static void
tear_down(void)
{
	fault_fail(dev.f, NULL, 0, 0, false);
	is_int(backend_mw_free(&dev.b, dev.mw, &dev.e), 0, "nothing is left");
	is_int(backend_mr_dereg(&dev.b, dev.mr, &dev.e), 0, "nothing is left");
	is_int(backend_pd_free(&dev.b, dev.pd, &dev.e), 0, "nothing is left");
	backend_close(&dev.b);
	fault_free(dev.f);
	mem_free(&dev.mem);
}

/* A bind whose end is waited for. */
struct wish {
	struct bk_req req;
	struct err e;
	pthread_t by; /* who called done */
	int result;
	unsigned done; /* times */
};

static void
wish_done(struct bk_req *req, int r)
{
	struct wish *w =
	    (struct wish *)((char *)req - offsetof(struct wish, req));

	w->by = pthread_self();
	w->result = r;
	w->done++;
}

static int
bind(struct wish *w, uint32_t rights)
{
	struct bind_args a = { 0, 4096, rights };

	*w = (struct wish){ 0 };
	w->req.done = wish_done;
	w->req.e = &w->e;
	return backend_mw_bind(&dev.b, dev.mw, dev.mr, NULL, &a, &w->req);
}

static int
invalidate(struct wish *w)
{
	*w = (struct wish){ 0 };
	w->req.done = wish_done;
	w->req.e = &w->e;
	return backend_mw_invalidate(&dev.b, dev.mw, &w->req);
}

static bool
opens(uint32_t rkey)
{
	struct access a = { ACCESS_READ, rkey, 0, 1 };
	struct verdict v;

	(void)backend_access(&dev.b, dev.pd, NULL, &a, &v);
	return v.allowed;
}

static int
make_pd(struct err *e)
{
	struct bk_pd *pd;
	int r;

	if ((r = backend_pd_alloc(&dev.b, &pd, e)) == 0)
		r = backend_pd_free(&dev.b, pd, e);
	return r;
}

static void
test_transparent(void)
{
	static const struct backend_ops lacking = { .kind = "lacking" };
	struct fault *f;
	struct wish w;

	set_up();
	is_str(dev.b.ops->kind, "soft", "it looks like what it wraps");
	is_str(dev.b.info.name, "soft0", "by name");
	is_str(dev.b.info.fw_ver, "soft", "and in all it says");
	is_int(bind(&w, RIGHT_REMOTE_READ), 0, "calls pass");
	ok(opens(w.req.rkey), "with what they bring");
	is_int(w.done, 0, "what is over at once is over at once");
	tear_down();
	if ((f = fault_new(&lacking)) == NULL)
		bail_out("fault_new");
	ok(fault_ops(f)->mw_bind == NULL && fault_ops(f)->access == NULL,
	    "a NULL operation stays one");
	fault_free(f);
	fault_free(NULL);
}

static void
test_nth(void)
{
	set_up();
	fault_fail(dev.f, NULL, 3, ENOMEM, false);
	is_int(make_pd(&dev.e), 0, "calls 1 and 2 pass");
	ok(!fault_struck(dev.f), "not yet");
	is_int(make_pd(&dev.e), -ENOMEM, "call 3 fails");
	has_str(dev.e.text, "pd_alloc", "with a reason");
	ok(fault_struck(dev.f), "it has struck");
	is_int(make_pd(&dev.e), 0, "once");
	is_int(fault_calls(dev.f), 5, "all are counted");

	fault_fail(dev.f, "pd_free", 1, EIO, false);
	is_int(fault_calls(dev.f), 0, "counting starts again");
	is_int(backend_pd_free(&dev.b, dev.pd, &dev.e), -EIO,
	    "one operation alone");
	fault_fail(dev.f, "mr_dereg", 1, EIO, false);
	is_int(make_pd(&dev.e), 0, "others pass");
	is_int(fault_calls(dev.f), 0, "and are not counted");
	tear_down();
}

static void
test_open_fails(void)
{
	struct fault *f = fault_new(&soft_ops);
	struct backend b;
	struct err e = { 0 };

	if (f == NULL)
		bail_out("fault_new");
	fault_fail(f, "open", 1, EIO, false);
	is_int(backend_open(&b, fault_ops(f), "soft0", NULL, NULL, NULL, &e), -EIO,
	    "opening fails on purpose");
	is_int(backend_open(&b, fault_ops(f), "none", NULL, NULL, NULL, &e), -ENODEV,
	    "or because of the inner device");
	has_str(e.text, "soft0 to", "whose reason it is");
	fault_free(f);
}

static void
test_async_failure(void)
{
	struct wish first, w;

	set_up();
	(void)bind(&first, RIGHT_REMOTE_READ);
	fault_fail(dev.f, "mw_bind", 1, EIO, false);
	is_int(bind(&w, 0), -EIO, "a bind fails by its posting");
	is_int(w.done, 0, "and done is not called");
	fault_fail(dev.f, "mw_bind", 1, EIO, true);
	is_int(bind(&w, 0), PENDING, "or by its completion");
	ok(w.done == 1 && w.result == -EIO, "which says so");
	has_str(w.e.text, "mw_bind", "with a reason");
	ok(opens(first.req.rkey), "the inner device was not asked");
	is_int(w.req.rkey, 0, "there is no new key");
	fault_fail(dev.f, "mw_invalidate", 1, EIO, true);
	is_int(invalidate(&w), PENDING, "so does an invalidation");
	ok(w.result == -EIO && opens(first.req.rkey), "which did nothing");
	tear_down();
}

static void
test_async_hold(void)
{
	struct wish first, w, refused;

	set_up();
	(void)bind(&first, RIGHT_REMOTE_READ);
	fault_hold(dev.f, "mw_bind");
	is_int(bind(&w, RIGHT_REMOTE_READ), PENDING, "a bind is held");
	is_int(w.done, 0, "its completion is");
	ok(!opens(first.req.rkey), "but it has been posted");
	fault_fail(dev.f, "mw_bind", 1, EIO, true);
	is_int(bind(&refused, 0), PENDING, "one that fails is held too");
	is_int(fault_held(dev.f), 2, "two wait");
	fault_release(dev.f);
	is_int(fault_held(dev.f), 0, "released");
	ok(w.done == 1 && w.result == 0 && opens(w.req.rkey),
	    "the first has its key");
	ok(pthread_equal(w.by, pthread_self()), "from who released it");
	ok(refused.done == 1 && refused.result == -EIO, "the second failed");
	is_int(bind(&w, RIGHT_REMOTE_READ), 0, "the next one passes");
	tear_down();
}

static void *
pd_thread(void *arg)
{
	int *r = arg;

	*r = make_pd(NULL);
	return NULL;
}

static void
wait_held(unsigned n)
{
	while (fault_held(dev.f) != n)
		(void)sched_yield();
}

static void
test_sync_hold(void)
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];
	int i, r[THREADS];

	set_up();
	fault_hold(dev.f, "pd_alloc");
	fault_fail(dev.f, "pd_alloc", 2, EIO, false);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, pd_thread, &r[i]) != 0)
			bail_out("pthread_create");
	wait_held(THREADS);
	ok(true, "%d calls wait", THREADS);
	fault_release(dev.f);
	for (i = 0; i < THREADS; i++)
		(void)pthread_join(thread[i], NULL);
	is_int(fault_held(dev.f), 0, "and go on");
	is_int(r[0] + r[1] + r[2] + r[3], -EIO, "all but the second well");
	tear_down();
}

int
main(void)
{
	test_transparent();
	test_nth();
	test_open_fails();
	test_async_failure();
	test_async_hold();
	test_sync_hold();
	return done_testing();
}
