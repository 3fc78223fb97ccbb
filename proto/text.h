/* SPDX-License-Identifier: MIT */
/*
 * A text that grows: what a file shows, before it is sent.  Knows nothing of
 * files.
 */
#ifndef PROTO_TEXT_H
#define PROTO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../core/types.h"

struct text {
	char *buf; /* NUL terminated once anything was added; NULL before */
	size_t len, cap;
	bool nomem; /* an addition was lost; the text is not to be used */
};

/* An empty text is all zero.  Wipes and releases; the text is empty again. */
void text_fini(struct text *t);
/* Empties it and keeps the memory. */
void text_reset(struct text *t);
/* They add to the end, or set nomem. */
void text_add(struct text *t, const char *s, size_t n);
void text_puts(struct text *t, const char *s);
void text_printf(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Adds s of n bytes so that no terminal is harmed and every byte added is one
 * column: vis(3) with VIS_CSTYLE | VIS_TAB | VIS_NL | VIS_NOLOCALE, blanks as
 * they are.
 */
void text_vis(struct text *t, const char *s, size_t n);

/*
 * Values as the files print them: an address 0x%016x, a key 0x%08x, rights as
 * words separated by sep; none of them: "none".  Optional bits that have no
 * name are not shown (M3).
 */
void text_addr(struct text *t, uint64_t addr);
void text_key(struct text *t, uint32_t key);
void text_rights(struct text *t, uint32_t rights, char sep);
/* A gid as eight groups of four hex digits, as sysfs prints it. */
void text_gid(struct text *t, const uint8_t raw[16]);
/* Where a queue pair is found, as the words that connect takes; no newline. */
void text_qp_addr(struct text *t, const struct qp_addr *a);
/* A guid as four groups of four hex digits, as sysfs prints it. */
void text_guid(struct text *t, uint64_t guid);
/*
 * name as one word that cmd_parse() reads back: as it is, or quoted as in rc
 * when it has blanks, quotes or a # or is empty.
 */
void text_word(struct text *t, const char *name);
/* s as the value of a Prometheus label, between its quotes. */
void text_label(struct text *t, const char *s);
/*
 * A word for an errno, "EBUSY" (strerrorname_np(3)); "E<number>" when the
 * system has none.
 */
void text_errno(struct text *t, int code);

#endif
