/* SPDX-License-Identifier: MIT */
/* What core/backend*.c share: the ways in and out of every call. */
#ifndef CORE_BACKEND_IMPL_H
#define CORE_BACKEND_IMPL_H

#include "backend.h"

/* Where a reason goes, emptied: e, or spare if nobody wants it. */
struct err *backend_reason(struct err *e, struct err *spare);
/* The device has no such operation: -EOPNOTSUPP. */
int backend_lacks(const struct backend *b, const char *op, struct err *e);
/*
 * The way out of every call that returned r, which it returns: a failure has a
 * reason, the trace a line.  fmt describes its arguments, each with a blank
 * before it.  After PENDING e may be gone already and is not looked at.
 */
int backend_over(const struct backend *b, const char *op, int r, struct err *e,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same of a call with no arguments worth a word. */
int backend_over_plain(
    const struct backend *b, const char *op, int r, struct err *e);

#endif
