/* SPDX-License-Identifier: MIT */
/* Prints tests as TAP; see tap.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct {
	unsigned run, failed;
} tests;

static bool
result(bool pass, const char *fmt, va_list ap)
{
	tests.run++;
	tests.failed += !pass;
	(void)printf("%s %u - ", pass ? "ok" : "not ok", tests.run);
	(void)vprintf(fmt, ap);
	(void)printf("\n");
	(void)fflush(stdout);
	return pass;
}

bool
ok(bool pass, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)result(pass, fmt, ap);
	va_end(ap);
	return pass;
}

bool
is_int(long long got, long long want, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!result(got == want, fmt, ap))
		(void)printf("# got %lld, want %lld\n", got, want);
	va_end(ap);
	return got == want;
}

static const char *
shown(const char *s)
{
	return s != NULL ? s : "(null)";
}

/* A text of several lines as comments, so that it stays TAP. */
static void
say(const char *what, const char *text)
{
	(void)printf("# %s '", what);
	for (; *text != '\0'; text++) {
		(void)putchar(*text);
		if (*text == '\n')
			(void)printf("# ");
	}
	(void)printf("'\n");
}

bool
is_str(const char *got, const char *want, const char *fmt, ...)
{
	bool pass = strcmp(shown(got), shown(want)) == 0;
	va_list ap;

	va_start(ap, fmt);
	if (!result(pass, fmt, ap)) {
		say("got ", shown(got));
		say("want", shown(want));
	}
	va_end(ap);
	return pass;
}

bool
has_str(const char *text, const char *part, const char *fmt, ...)
{
	bool pass = strstr(shown(text), part) != NULL;
	va_list ap;

	va_start(ap, fmt);
	if (!result(pass, fmt, ap)) {
		say("want", part);
		say("in  ", shown(text));
	}
	va_end(ap);
	return pass;
}

void
skip(const char *fmt, ...)
{
	va_list ap;

	tests.run++;
	(void)printf("ok %u # SKIP ", tests.run);
	va_start(ap, fmt);
	(void)vprintf(fmt, ap);
	va_end(ap);
	(void)printf("\n");
}

void
bail_out(const char *fmt, ...)
{
	va_list ap;

	(void)printf("Bail out! ");
	va_start(ap, fmt);
	(void)vprintf(fmt, ap);
	va_end(ap);
	(void)printf("\n");
	exit(1);
}

int
done_testing(void)
{
	(void)printf("1..%u\n", tests.run);
	return tests.failed == 0 ? 0 : 1;
}
