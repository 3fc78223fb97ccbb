/* SPDX-License-Identifier: MIT */
/*
 * Devices that fail or wait when a test says so; see fault.h.  Owns the
 * counting and the waiting; everything else is the inner device's, as
 * faultops.c passes it on.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "fault_impl.h"
#include "faultops.h"

struct fault *
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

int
fault_fails(const char *op, int code, struct err *e)
{
	return fail(e, code, "a test made %s fail", op);
}

bool
fault_strikes(struct fault *f, const char *op)
{
	if (f->fail_op[0] != '\0' && strcmp(f->fail_op, op) != 0)
		return false;
	f->calls++;
	if (f->calls != f->fail_nth)
		return false;
	f->struck = true;
	return true;
}

bool
fault_holds(const struct fault *f, const char *op)
{
	return strcmp(f->hold_op, op) == 0;
}

/* Waits for the release, if op is held.  Lock held. */
static void
wait_released(struct fault *f, const char *op)
{
	unsigned epoch = f->epoch;

	if (!fault_holds(f, op))
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
	strike = fault_strikes(f, op);
	code = f->fail_code;
	wait_released(f, op);
	(void)pthread_mutex_unlock(&f->lock);
	return strike ? fault_fails(op, code, e) : 0;
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
	fault_tell(f, NULL);
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
