/* SPDX-License-Identifier: MIT */
/*
 * Words to numbers, GIDs and rights; see value.h.  Numbers are read by hand
 * because strtoull(3) takes blanks, signs and the locale's idea of a number.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "value.h"

static unsigned
digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a' + 10);
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A' + 10);
	return 16;
}

/*
 * Reads digits as far as they go.  Returns the first character behind them,
 * or NULL where there are none; *over: past 2^64 - 1.
 */
static const char *
number_scan(const char *s, uint64_t *out, bool *over)
{
	unsigned base = 10, d;
	const char *first;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	} else if (s[0] == '0' && digit_of(s[1]) < 10) {
		base = 8;
	}
	*out = 0;
	*over = false;
	for (first = s; (d = digit_of(*s)) < base; s++) {
		*over |= __builtin_mul_overflow(*out, base, out);
		*over |= __builtin_add_overflow(*out, d, out);
	}
	return s > first ? s : NULL;
}

static int
fail_range(struct err *e, uint64_t max)
{
	return fail(e, EINVAL, "out of range: at most %" PRIu64, max);
}

int
value_number(const char *s, uint64_t max, uint64_t *out, struct err *e)
{
	const char *end;
	uint64_t n;
	bool over;

	end = number_scan(s, &n, &over);
	if (end == NULL || *end != '\0')
		return fail(e, EINVAL,
		    "not a number (decimal, 0x hexadecimal, 0 octal)");
	if (over || n > max)
		return fail_range(e, max);
	*out = n;
	return 0;
}

/* Bits to shift by for a suffix, *s behind it; 0 where there is none. */
static unsigned
suffix_scan(const char **s)
{
	static const char units[4] = { 'K', 'M', 'G', 'T' };
	const char *unit = memchr(units, **s, sizeof(units));

	if (unit == NULL)
		return 0;
	++*s;
	return 10 * (unsigned)(unit - units + 1);
}

int
value_size(const char *s, uint64_t *out, struct err *e)
{
	unsigned shift = 0;
	const char *end;
	uint64_t n;
	bool over;

	end = number_scan(s, &n, &over);
	if (end != NULL)
		shift = suffix_scan(&end);
	if (end == NULL || *end != '\0')
		return fail(e, EINVAL,
		    "not a size (a number, K, M, G or T may stand behind it)");
	if (over || n > UINT64_MAX >> shift)
		return fail_range(e, UINT64_MAX);
	*out = n << shift;
	return 0;
}

int
value_limit(const char *s, uint64_t *out, struct err *e)
{
	if (strcmp(s, "default") == 0)
		*out = 0;
	else if (strcmp(s, "max") == 0)
		*out = UINT64_MAX;
	else if (value_size(s, out, NULL) < 0)
		return fail(e, EINVAL,
		    "not a limit: a number (K, M, G or T may stand behind "
		    "it), max or default");
	return 0;
}

/* (uid_t)-1 is nobody's. */
int
value_owner(const char *s, uint64_t *out, struct err *e)
{
	if (strcmp(s, "default") == 0)
		*out = UINT64_MAX;
	else if (value_number(s, UINT32_MAX - 1, out, NULL) < 0)
		return fail(e, EINVAL, "not a user's id, nor default");
	return 0;
}

int
value_gid(const char *s, uint8_t raw[16], struct err *e)
{
	struct in6_addr addr;

	if (inet_pton(AF_INET6, s, &addr) != 1)
		return fail(e, EINVAL,
		    "not a GID: write an IPv6 address, such as fe80::1");
	memcpy(raw, addr.s6_addr, sizeof(addr.s6_addr));
	return 0;
}

static int
fail_right(struct err *e)
{
	const struct name *r;
	char there[ERR_TEXT] = "";

	for (r = right_names; r->name != NULL; r++) {
		(void)strlcat(there, " ", sizeof(there));
		(void)strlcat(there, r->name, sizeof(there));
	}
	return fail(e, EINVAL, "no such right; there are:%s", there);
}

/* The right whose name is the n characters at s. */
static int
right_scan(const char *s, size_t n, uint32_t *out, struct err *e)
{
	const struct name *r;

	for (r = right_names; r->name != NULL; r++) {
		if (strncmp(r->name, s, n) == 0 && r->name[n] == '\0') {
			*out = r->value;
			return 0;
		}
	}
	return fail_right(e);
}

int
value_right(const char *s, uint32_t *out, struct err *e)
{
	return right_scan(s, strlen(s), out, e);
}

/* A number for all of the rights at once. */
static int
rights_set_number(struct rights *r, const char *word, struct err *e)
{
	uint64_t n = 0;
	int ret;

	if (r->given)
		return fail(e, EINVAL, "a number stands for all of the rights");
	if ((ret = value_number(word, UINT32_MAX, &n, e)) < 0)
		return ret;
	if ((n & ~(uint64_t)RIGHT_KNOWN) != 0)
		return fail(
		    e, EINVAL, "the number has a bit that is no right (M3)");
	r->value = (uint32_t)n;
	r->given = r->alone = true;
	return 0;
}

static int
rights_set_none(struct rights *r, struct err *e)
{
	if (r->given)
		return fail(e, EINVAL, "none stands alone");
	r->given = r->alone = true;
	return 0;
}

static int
rights_change(struct rights *r, char sign, uint32_t right, struct err *e)
{
	uint32_t *here = sign == '+' ? &r->add : &r->remove;
	uint32_t there = sign == '+' ? r->remove : r->add;

	if (right == RIGHT_LOCAL_READ && sign == '-')
		return fail(e, EINVAL, "local_read is always granted (M2)");
	if ((there & right) != 0)
		return fail(
		    e, EINVAL, "the same right is both added and taken away");
	*here |= right & ~RIGHT_LOCAL_READ;
	return 0;
}

/* One right of n characters, its sign among them. */
static int
rights_add_one(struct rights *r, const char *s, size_t n, struct err *e)
{
	bool relative = *s == '+' || *s == '-';
	uint32_t right = 0;
	int ret;

	if (n == 4 && memcmp(s, "none", 4) == 0)
		return rights_set_none(r, e);
	if ((ret = right_scan(s + relative, n - relative, &right, e)) < 0)
		return ret;
	if (r->alone)
		return fail(e, EINVAL, "none or a number stands alone");
	if (r->given && r->relative != relative)
		return fail(e, EINVAL,
		    "a list either replaces all rights or changes some with "
		    "+ and -");
	r->given = true;
	r->relative = relative;
	if (relative)
		return rights_change(r, *s, right, e);
	r->value |= right & ~RIGHT_LOCAL_READ;
	return 0;
}

int
rights_add_word(struct rights *r, const char *word, bool number, struct err *e)
{
	const char *end;
	int ret;

	if (*word == '\0')
		return fail_right(e);
	if (number && isdigit((unsigned char)*word))
		return rights_set_number(r, word, e);
	for (;; word = end + 1) {
		end = strchrnul(word, ',');
		if (end > word) {
			ret = rights_add_one(r, word, (size_t)(end - word), e);
			if (ret < 0)
				return ret;
		}
		if (*end == '\0')
			return 0;
	}
}

uint32_t
rights_apply(const struct rights *r, uint32_t old)
{
	if (!r->given)
		return old;
	if (r->relative)
		return (old | r->add) & ~r->remove;
	return r->value;
}
