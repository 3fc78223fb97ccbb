/* SPDX-License-Identifier: MIT */
/*
 * A small Test Anything Protocol: each call below is one test and says
 * whether it passed.  For one thread.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

bool ok(bool pass, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool is_int(long long got, long long want, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Either may be NULL. */
bool is_str(const char *got, const char *want, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether text has part in it. */
bool has_str(const char *text, const char *part, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A test that cannot be made here, and why. */
void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The set-up failed: no test can be made. */
_Noreturn void
bail_out(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints the plan.  Returns what main() should. */
int done_testing(void);

#endif
