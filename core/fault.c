/* SPDX-License-Identifier: MIT */
/*
 * Devices that fail or wait when a test says so; see fault.h.  Owns the
 * counting and the waiting; everything else is the inner device's, as
 * faultops.c passes it on.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "fault.h"
#include "faultops.h"

#define OP_NAME 24

/*
 * An asynchronous request on its way back, in place of the caller's.  The inner
 * device gets a copy, because the link and the id of a request are its own, and
 * nothing else of the original would lead back here.  What the copy points to
 * is the caller's, who keeps it until the original is told.
 */
struct flight {
	STAILQ_ENTRY(flight) next; /* in fault.landed */
	struct bk_wr wr; /* what the inner device sees; of a bind only req */
	struct bk_req *outer;
	struct fault *f;
	const struct bk_qp *qp; /* NULL: over none, or it is not known */
	const char *op; /* static */
	int result;
};

STAILQ_HEAD(flights, flight);

struct fault {
	struct backend_ops ops; /* b->ops of each device leads back here */
	const struct backend_ops *inner;

	pthread_mutex_t lock; /* guards all that follows; nothing under it */
	pthread_cond_t released;

	char fail_op[OP_NAME]; /* "" for all */
	unsigned fail_nth; /* 0: none */
	int fail_code;
	bool fail_async;
	unsigned calls;
	bool struck;

	char hold_op[OP_NAME]; /* "" for none */
	unsigned epoch; /* of holding: changes with each release */
	unsigned held;
	struct flights landed; /* completions that wait */
	unsigned leaving; /* taken from there, and not told yet */
};

static struct fault *
fault_of(const struct backend *b)
{
	uintptr_t ops = (uintptr_t)b->ops;

	return (struct fault *)(ops - offsetof(struct fault, ops));
}

const struct backend_ops *
fault_inner(const struct backend *b)
{
	return fault_of(b)->inner;
}

static int
fail_on_purpose(const char *op, int code, struct err *e)
{
	return fail(e, code, "a test made %s fail", op);
}

/* Counts a call, and whether it is the one to fail.  Lock held. */
static bool
strikes(struct fault *f, const char *op)
{
	if (f->fail_op[0] != '\0' && strcmp(f->fail_op, op) != 0)
		return false;
	f->calls++;
	if (f->calls != f->fail_nth)
		return false;
	f->struck = true;
	return true;
}

/* Lock held. */
static bool
holds(const struct fault *f, const char *op)
{
	return strcmp(f->hold_op, op) == 0;
}

/* Waits for the release, if op is held.  Lock held. */
static void
wait_released(struct fault *f, const char *op)
{
	unsigned epoch = f->epoch;

	if (!holds(f, op))
		return;
	f->held++;
	while (f->epoch == epoch)
		(void)pthread_cond_wait(&f->released, &f->lock);
	f->held--;
}

int
fault_gate(const struct backend *b, const char *op, struct err *e)
{
	struct fault *f = fault_of(b);
	bool strike;
	int code;

	(void)pthread_mutex_lock(&f->lock);
	strike = strikes(f, op);
	code = f->fail_code;
	wait_released(f, op);
	(void)pthread_mutex_unlock(&f->lock);
	return strike ? fail_on_purpose(op, code, e) : 0;
}

/* Hands a completion to the caller.  No lock held. */
static void
deliver(struct flight *fl)
{
	struct bk_req *outer = fl->outer;
	int r = fl->result;

	if (r == 0)
		outer->rkey = fl->wr.req.rkey;
	outer->wc = fl->wr.req.wc;
	free(fl);
	outer->done(outer, r);
}

/* The completion is there: it waits if its operation is held. */
static void
land(struct flight *fl, int r)
{
	struct fault *f = fl->f;
	bool wait;

	fl->result = r;
	(void)pthread_mutex_lock(&f->lock);
	wait = holds(f, fl->op);
	if (wait) {
		STAILQ_INSERT_TAIL(&f->landed, fl, next);
		f->held++;
	}
	(void)pthread_mutex_unlock(&f->lock);
	if (!wait)
		deliver(fl);
}

static void
inner_done(struct bk_req *req, int r)
{
	land((struct flight *)((char *)req - offsetof(struct flight, wr.req)),
	    r);
}

static struct flight *
flight_new(struct fault *f, const struct fault_call *c)
{
	struct flight *fl;

	if ((fl = calloc(1, sizeof(*fl))) == NULL)
		return NULL;
	if (c->wr != NULL)
		fl->wr = *c->wr;
	fl->wr.req = (struct bk_req){
		.done = inner_done, .e = c->req->e, .chain = c->req->chain
	};
	fl->f = f;
	fl->qp = c->qp;
	fl->op = c->op;
	fl->outer = c->req;
	return fl;
}

/* What becomes of an asynchronous call before the inner device is asked. */
enum course {
	COURSE_PASS, /* go on as if nobody stood between */
	COURSE_FAIL, /* the posting fails */
	COURSE_FAIL_LATE, /* the completion fails */
	COURSE_HOLD, /* post, and hold the completion */
	COURSE_BEHIND, /* one before it in its chain has failed */
};

/* What is to fail late lets nothing behind it in its chain run. */
static enum course
async_gate(struct fault *f, const char *op, struct bk_chain *chain, int *code)
{
	enum course c = COURSE_PASS;

	(void)pthread_mutex_lock(&f->lock);
	*code = f->fail_code;
	if (chain != NULL && chain->failed)
		c = COURSE_BEHIND;
	else if (strikes(f, op))
		c = f->fail_async ? COURSE_FAIL_LATE : COURSE_FAIL;
	else if (holds(f, op))
		c = COURSE_HOLD;
	if (chain != NULL && c == COURSE_FAIL_LATE)
		chain->failed = true;
	(void)pthread_mutex_unlock(&f->lock);
	return c;
}

/*
 * A completion that fails.  Over a queue pair it looks like one of a device;
 * else, and of an invalidation, like that of a request that was never posted.
 */
static int
fail_late(struct flight *fl, int code)
{
	if (fl->qp != NULL)
		fl->wr.req.wc = (struct bk_wc){
			.status = WC_GENERAL_ERR,
			.why = "a test made it fail",
		};
	return fail_on_purpose(fl->op, code, fl->wr.req.e);
}

int
fault_async(struct backend *b, const struct fault_call *c)
{
	struct fault *f = fault_of(b);
	struct flight *fl;
	enum course course;
	int r, code;

	course = async_gate(f, c->op, c->req->chain, &code);
	if (course == COURSE_PASS)
		return c->post(b->priv, c, c->req);
	if (course == COURSE_BEHIND)
		return chain_broken(c->req->e);
	if (course == COURSE_FAIL)
		return fail_on_purpose(c->op, code, c->req->e);
	if ((fl = flight_new(f, c)) == NULL)
		return fail(c->req->e, ENOMEM, "the daemon is out of memory");
	if (course == COURSE_FAIL_LATE)
		r = fail_late(fl, code);
	else
		r = c->post(b->priv, c, &fl->wr.req);
	if (r == PENDING)
		return PENDING;
	if (course == COURSE_HOLD && c->refused_at_once) {
		free(fl);
		return r;
	}
	land(fl, r);
	return PENDING;
}

/* Takes those that wait, of qp or, with NULL, all.  Lock held. */
static void
board(struct fault *f, const struct bk_qp *qp, struct flights *out)
{
	struct flights stay = STAILQ_HEAD_INITIALIZER(stay);
	struct flight *fl;

	while ((fl = STAILQ_FIRST(&f->landed)) != NULL) {
		STAILQ_REMOVE_HEAD(&f->landed, next);
		if (qp != NULL && fl->qp != qp) {
			STAILQ_INSERT_TAIL(&stay, fl, next);
			continue;
		}
		STAILQ_INSERT_TAIL(out, fl, next);
		f->held--;
		f->leaving++;
	}
	STAILQ_CONCAT(&f->landed, &stay);
}

/*
 * Tells them, in the order in which they came.  Lock held, but not while one is
 * told.
 */
static void
tell(struct fault *f, const struct bk_qp *qp)
{
	struct flights list = STAILQ_HEAD_INITIALIZER(list);
	struct flight *fl;

	board(f, qp, &list);
	while ((fl = STAILQ_FIRST(&list)) != NULL) {
		STAILQ_REMOVE_HEAD(&list, next);
		(void)pthread_mutex_unlock(&f->lock);
		deliver(fl);
		(void)pthread_mutex_lock(&f->lock);
		if (--f->leaving == 0)
			(void)pthread_cond_broadcast(&f->released);
	}
}

void
fault_qp_gone(const struct backend *b, const struct bk_qp *qp)
{
	struct fault *f = fault_of(b);

	(void)pthread_mutex_lock(&f->lock);
	tell(f, qp);
	/* Another thread may be about to tell one that was released. */
	while (f->leaving > 0)
		(void)pthread_cond_wait(&f->released, &f->lock);
	(void)pthread_mutex_unlock(&f->lock);
}

struct fault *
fault_new(const struct backend_ops *inner)
{
	struct fault *f;

	if ((f = calloc(1, sizeof(*f))) == NULL)
		return NULL;
	f->inner = inner;
	fault_wrap(&f->ops, inner);
	(void)pthread_mutex_init(&f->lock, NULL);
	(void)pthread_cond_init(&f->released, NULL);
	STAILQ_INIT(&f->landed);
	return f;
}

void
fault_free(struct fault *f)
{
	if (f == NULL)
		return;
	assert(f->held == 0 && f->leaving == 0);
	(void)pthread_cond_destroy(&f->released);
	(void)pthread_mutex_destroy(&f->lock);
	free(f);
}

const struct backend_ops *
fault_ops(struct fault *f)
{
	return &f->ops;
}

void
fault_fail(struct fault *f, const char *op, unsigned n, int code, bool async)
{
	(void)pthread_mutex_lock(&f->lock);
	(void)strlcpy(f->fail_op, op != NULL ? op : "", sizeof(f->fail_op));
	f->fail_nth = n;
	f->fail_code = code;
	f->fail_async = async;
	f->calls = 0;
	f->struck = false;
	(void)pthread_mutex_unlock(&f->lock);
}

unsigned
fault_calls(struct fault *f)
{
	unsigned n;

	(void)pthread_mutex_lock(&f->lock);
	n = f->calls;
	(void)pthread_mutex_unlock(&f->lock);
	return n;
}

bool
fault_struck(struct fault *f)
{
	bool struck;

	(void)pthread_mutex_lock(&f->lock);
	struck = f->struck;
	(void)pthread_mutex_unlock(&f->lock);
	return struck;
}

void
fault_hold(struct fault *f, const char *op)
{
	(void)pthread_mutex_lock(&f->lock);
	(void)strlcpy(f->hold_op, op, sizeof(f->hold_op));
	(void)pthread_mutex_unlock(&f->lock);
}

void
fault_release(struct fault *f)
{
	(void)pthread_mutex_lock(&f->lock);
	f->hold_op[0] = '\0';
	f->epoch++;
	(void)pthread_cond_broadcast(&f->released);
	tell(f, NULL);
	(void)pthread_mutex_unlock(&f->lock);
}

unsigned
fault_held(struct fault *f)
{
	unsigned n;

	(void)pthread_mutex_lock(&f->lock);
	n = f->held;
	(void)pthread_mutex_unlock(&f->lock);
	return n;
}
