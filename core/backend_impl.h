/* SPDX-License-Identifier: MIT */
/* What core/backend*.c share: the ways in and out of every call. */
#ifndef CORE_BACKEND_IMPL_H
#define CORE_BACKEND_IMPL_H

#include "backend.h"

/* A call that has begun. */
struct entry {
	enum bk_call call;
	int64_t since; /* timing_now() */
	void (*done)(struct bk_req *req, int r); /* of a request: its owner's */
	struct err spare;
};

/* The way in.  Returns where a reason goes, emptied: e, or, if nobody wants it,
 * in's own. */
struct err *backend_enter(struct entry *in, enum bk_call call, struct err *e);
/*
 * The way in of a request, instead.  Until it is over its done is the
 * wrapper's, which takes the time and passes it on.
 */
void backend_request(
    struct entry *in, struct backend *b, enum bk_call call, struct bk_req *req);
/* What comes before the way out of a request: posting it returned r, which this
 * returns.  Unless that is PENDING, done is the owner's again. */
int backend_posted(const struct entry *in, struct bk_req *req, int r);
/* The device has no such operation: -EOPNOTSUPP. */
int backend_lacks(const struct backend *b, enum bk_call call, struct err *e);
/*
 * The way out of every call that returned r, which it returns: its time is
 * taken, a failure has a reason, the trace a line.  fmt describes its
 * arguments, each with a blank before it.  After PENDING e may be gone already
 * and is not looked at, and the time is the request's.
 */
int backend_over(struct backend *b, const struct entry *in, int r,
    struct err *e, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same of a call with no arguments worth a word. */
int backend_over_plain(
    struct backend *b, const struct entry *in, int r, struct err *e);

#endif
