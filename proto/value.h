/* SPDX-License-Identifier: MIT */
/*
 * Words to values.  What text.h prints, these take.  Pure functions; the
 * reason in e never repeats the word, because it may be secret: the caller
 * shows where it stands.
 */
#ifndef PROTO_VALUE_H
#define PROTO_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/err.h"
#include "../core/types.h"

/*
 * A whole number: 0x hexadecimal, 0 octal, else decimal.  Junk behind it, a
 * sign, a blank, nothing at all: -EINVAL; over max: -EINVAL with max in the
 * text.  Returns 0 and *out.
 */
int value_number(const char *s, uint64_t max, uint64_t *out, struct err *e);
/*
 * As value_number() up to 2^64 - 1, and K, M, G or T behind it multiplies by
 * 1024, 1024^2 ...; past 2^64 - 1 after that: -EINVAL.
 */
int value_size(const char *s, uint64_t *out, struct err *e);
/* A size, "max" (UINT64_MAX) or "default" (0); -EINVAL. */
int value_limit(const char *s, uint64_t *out, struct err *e);
/* A user's id, or "default" (UINT64_MAX); -EINVAL. */
int value_owner(const char *s, uint64_t *out, struct err *e);
/* A GID: any text form of an IPv6 address that inet_pton(3) takes; -EINVAL. */
int value_gid(const char *s, uint8_t raw[16], struct err *e);
/* The bit of one right; -EINVAL, with the words that there are. */
int value_right(const char *s, uint32_t *out, struct err *e);

/* What a list of rights asks for. */
struct rights {
	bool given; /* there was at least one word */
	bool relative; /* +right -right: add and remove; else value */
	bool alone; /* "none" or a number, which takes no other beside it */
	uint32_t value, add, remove;
};

/*
 * Takes one more word of a list, itself a list with commas, into r (all zero
 * at first): "remote_read,remote_write", "none", "+remote_write", and, if
 * number is true, "0xf", which must be the only word.  A list that mixes
 * replacing and changing, "none" beside others, the same right twice with + and
 * -, -local_read (M2), an unknown word or bit (M3): -EINVAL.
 * local_read among the rights is no bit of value or add.  Commas are as good as
 * blanks: nothing between two of them, or behind the last, is no error.
 */
int
rights_add_word(struct rights *r, const char *word, bool number, struct err *e);
/* The rights that r makes of old; none given: old. */
uint32_t rights_apply(const struct rights *r, uint32_t old);

#endif
