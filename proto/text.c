/* SPDX-License-Identifier: MIT */
/* The growing text and how values are printed into it; see text.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LIBBSD_NETBSD_VIS /* no strnvis(3) here: either will do */
#include <vis.h>

#include "text.h"

#define TEXT_MIN 256 /* bytes of the first allocation */

/* Makes room for n more bytes and the NUL. */
static bool
text_reserve(struct text *t, size_t n)
{
	size_t need, cap = t->cap > 0 ? t->cap : TEXT_MIN;
	char *buf;

	if (t->nomem || __builtin_add_overflow(t->len, n, &need) ||
	    need >= SIZE_MAX / 2)
		goto nomem;
	if (need < t->cap)
		return true;
	while (cap <= need)
		cap *= 2;
	/* What is left behind may be a key: recallocarray(3) wipes it. */
	buf = recallocarray(t->buf, t->cap, cap, 1);
	if (buf == NULL)
		goto nomem;
	t->buf = buf;
	t->cap = cap;
	return true;
nomem:
	t->nomem = true;
	return false;
}

void
text_fini(struct text *t)
{
	freezero(t->buf, t->cap);
	*t = (struct text){ 0 };
}

void
text_reset(struct text *t)
{
	t->len = 0;
	t->nomem = false;
	if (t->buf != NULL)
		t->buf[0] = '\0';
}

void
text_add(struct text *t, const char *s, size_t n)
{
	if (!text_reserve(t, n))
		return;
	if (n > 0)
		memcpy(t->buf + t->len, s, n);
	t->len += n;
	t->buf[t->len] = '\0';
}

void
text_puts(struct text *t, const char *s)
{
	text_add(t, s, strlen(s));
}

void
text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap, again;
	size_t room;
	int n;

	if (!text_reserve(t, 0))
		return;
	room = t->cap - t->len;
	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(t->buf + t->len, room, fmt, ap);
	if (n >= 0 && (size_t)n >= room && text_reserve(t, (size_t)n))
		n = vsnprintf(t->buf + t->len, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	if (n < 0)
		t->nomem = true;
	if (t->nomem)
		t->buf[t->len] = '\0';
	else
		t->len += (size_t)n;
}

void
text_vis(struct text *t, const char *s, size_t n)
{
	/* strvisx(3) of a single byte looks at the one behind it, too. */
	const char one[2] = { (char)(n == 1 ? *s : '\0') };
	size_t room;
	int len;

	if (__builtin_mul_overflow(n, 4, &room) || !text_reserve(t, room)) {
		t->nomem = true;
		return;
	}
	len = strvisx(t->buf + t->len, n == 1 ? one : s, n,
	    VIS_CSTYLE | VIS_TAB | VIS_NL | VIS_NOLOCALE);
	if (len < 0) {
		t->nomem = true;
		len = 0;
	}
	t->len += (size_t)len;
	t->buf[t->len] = '\0';
}

void
text_addr(struct text *t, uint64_t addr)
{
	text_printf(t, "0x%016" PRIx64, addr);
}

void
text_key(struct text *t, uint32_t key)
{
	text_printf(t, "0x%08" PRIx32, key);
}

void
text_rights(struct text *t, uint32_t rights, char sep)
{
	const struct name *r;
	bool any = false;

	for (r = right_names; r->name != NULL; r++) {
		if ((rights & r->value) == 0)
			continue;
		if (any)
			text_add(t, &sep, 1);
		text_puts(t, r->name);
		any = true;
	}
	if (!any)
		text_puts(t, "none");
}

void
text_gid(struct text *t, const uint8_t raw[16])
{
	for (unsigned i = 0; i < 16; i += 2)
		text_printf(
		    t, "%s%02x%02x", i > 0 ? ":" : "", raw[i], raw[i + 1]);
}

void
text_qp_addr(struct text *t, const struct qp_addr *a)
{
	text_printf(t, "qpn=%" PRIu32 " psn=%" PRIu32 " gid=", a->qpn, a->psn);
	text_gid(t, a->gid.raw);
	if (a->lid != 0)
		text_printf(t, " lid=%" PRIu32, a->lid);
	text_printf(t, " mtu=%u", a->mtu);
}

void
text_guid(struct text *t, uint64_t guid)
{
	for (int shift = 48; shift >= 0; shift -= 16)
		text_printf(t, "%04x%s", (unsigned)(guid >> shift) & 0xffff,
		    shift > 0 ? ":" : "");
}

void
text_word(struct text *t, const char *name)
{
	if (name[0] != '\0' && strpbrk(name, " \t'#") == NULL) {
		text_puts(t, name);
		return;
	}
	text_puts(t, "'");
	for (; *name != '\0'; name++)
		text_add(t, *name == '\'' ? "''" : name, *name == '\'' ? 2 : 1);
	text_puts(t, "'");
}

void
text_label(struct text *t, const char *s)
{
	for (; *s != '\0'; s++) {
		if (*s == '\n')
			text_puts(t, "\\n");
		else if (*s == '"' || *s == '\\')
			text_printf(t, "\\%c", *s);
		else
			text_add(t, s, 1);
	}
}

void
text_errno(struct text *t, int code)
{
	const char *name = strerrorname_np(code);

	if (name != NULL)
		text_puts(t, name);
	else
		text_printf(t, "E%d", code);
}
