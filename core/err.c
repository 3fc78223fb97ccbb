/* SPDX-License-Identifier: MIT */
/* Errors with their reason; see err.h. */
#include <stdarg.h>
#include <stdio.h>

#include "err.h"

static void
err_set(struct err *e, const char *arg, int code, const char *fmt, va_list ap)
{
	e->code = code;
	e->arg = arg;
	(void)vsnprintf(e->text, sizeof(e->text), fmt, ap);
}

int
fail(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL)
		return -code;
	va_start(ap, fmt);
	err_set(e, NULL, code, fmt, ap);
	va_end(ap);
	return -code;
}

int
fail_at(struct err *e, const char *arg, int code, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL)
		return -code;
	va_start(ap, fmt);
	err_set(e, arg, code, fmt, ap);
	va_end(ap);
	return -code;
}

void
err_clear(struct err *e)
{
	e->code = 0;
	e->arg = NULL;
	e->text[0] = '\0';
}
