/* SPDX-License-Identifier: MIT */
/* Asynchronous requests that fail or wait when a test says so; see fault.h. */
#include <errno.h>
#include <stdlib.h>

#include "fault_impl.h"
#include "faultops.h"

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
	wait = fault_holds(f, fl->op);
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
	else if (fault_strikes(f, op))
		c = f->fail_async ? COURSE_FAIL_LATE : COURSE_FAIL;
	else if (fault_holds(f, op))
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
	return fault_fails(fl->op, code, fl->wr.req.e);
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
		return fault_fails(c->op, code, c->req->e);
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

void
fault_tell(struct fault *f, const struct bk_qp *qp)
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
	fault_tell(f, qp);
	/* Another thread may be about to tell one that was released. */
	while (f->leaving > 0)
		(void)pthread_cond_wait(&f->released, &f->lock);
	(void)pthread_mutex_unlock(&f->lock);
}
