/* SPDX-License-Identifier: MIT */
/* What fault.c and fault_flight.c share. */
#ifndef CORE_FAULT_IMPL_H
#define CORE_FAULT_IMPL_H

#include <pthread.h>
#include <sys/queue.h>

#include "backend.h"

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

struct fault *fault_of(const struct backend *b);
/* -code, for a reason that says that it was on purpose. */
int fault_fails(const char *op, int code, struct err *e);
/* Counts a call, and whether it is the one to fail.  Lock held. */
bool fault_strikes(struct fault *f, const char *op);
/* Lock held. */
bool fault_holds(const struct fault *f, const char *op);
/*
 * Tells the completions that wait, of qp or, with NULL, all, in the order in
 * which they came.  Lock held, but not while one is told.
 */
void fault_tell(struct fault *f, const struct bk_qp *qp);

#endif
