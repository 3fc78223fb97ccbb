/* SPDX-License-Identifier: MIT */
/* Words to numbers, GIDs and rights, and back. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../../proto/text.h"
#include "../../proto/value.h"
#include "tap.h"

#define NOT_NUMBER "not a number (decimal, 0x hexadecimal, 0 octal)"
#define NOT_SIZE   "not a size (a number, K, M, G or T may stand behind it)"
#define PAST_64    "out of range: at most 18446744073709551615"
#define PAST_32    "out of range: at most 4294967295"

struct number_case {
	const char *s;
	uint64_t want;
	const char *error; /* NULL: it is a number */
};

static void
is_number(int r, uint64_t n, const struct err *e, const struct number_case *c,
    const char *kind)
{
	if (c->error == NULL) {
		ok(r == 0 && n == c->want,
		    "%s '%s' is %" PRIu64 ": %d, %" PRIu64, kind, c->s, c->want,
		    r, n);
		return;
	}
	is_int(r, -EINVAL, "%s '%s' is refused", kind, c->s);
	is_int(e->code, EINVAL, "%s '%s': the errno", kind, c->s);
	is_str(e->text, c->error, "%s '%s': the reason", kind, c->s);
	ok(n == 77, "%s '%s': nothing is stored", kind, c->s);
}

static void
test_numbers(void)
{
	static const struct number_case cases[] = {
		{ "0", 0, NULL },
		{ "1", 1, NULL },
		{ "4095", 4095, NULL },
		{ "4097", 4097, NULL },
		{ "9223372036854775808", 1ull << 63, NULL },
		{ "18446744073709551615", UINT64_MAX, NULL },
		{ "0xffffffffffffffff", UINT64_MAX, NULL },
		{ "01777777777777777777777", UINT64_MAX, NULL },
		{ "0x10", 16, NULL },
		{ "0X1F", 31, NULL },
		{ "0xaBcDeF", 0xabcdef, NULL },
		{ "010", 8, NULL },
		{ "00", 0, NULL },
		{ "0x00000000000000000000001", 1, NULL },
		{ "18446744073709551616", 0, PAST_64 },
		{ "0x10000000000000000", 0, PAST_64 },
		{ "02000000000000000000000", 0, PAST_64 },
		{ "99999999999999999999999999", 0, PAST_64 },
		{ "", 0, NOT_NUMBER },
		{ " 1", 0, NOT_NUMBER },
		{ "1 ", 0, NOT_NUMBER },
		{ "+1", 0, NOT_NUMBER },
		{ "-1", 0, NOT_NUMBER },
		{ "1e3", 0, NOT_NUMBER },
		{ "0x", 0, NOT_NUMBER },
		{ "x", 0, NOT_NUMBER },
		{ "0xg", 0, NOT_NUMBER },
		{ "0x-1", 0, NOT_NUMBER },
		{ "08", 0, NOT_NUMBER },
		{ "018", 0, NOT_NUMBER },
		{ "1.0", 0, NOT_NUMBER },
		{ "1,2", 0, NOT_NUMBER },
		{ "4K", 0, NOT_NUMBER },
		{ "0b1", 0, NOT_NUMBER },
		{ "ff", 0, NOT_NUMBER },
		{ "99999999999999999999x", 0, NOT_NUMBER },
		{ "\xc2\xb2", 0, NOT_NUMBER },
	};

	for (size_t i = 0; i < NELEM(cases); i++) {
		struct err e = { 0 };
		uint64_t n = 77;
		int r = value_number(cases[i].s, UINT64_MAX, &n, &e);

		is_number(r, n, &e, &cases[i], "number");
	}
}

static void
test_maximum(void)
{
	static const struct number_case cases[] = {
		{ "4294967295", UINT32_MAX, NULL },
		{ "0xffffffff", UINT32_MAX, NULL },
		{ "4294967296", 0, PAST_32 },
		{ "0x100000000", 0, PAST_32 },
		{ "18446744073709551616", 0, PAST_32 },
	};
	uint64_t n;

	for (size_t i = 0; i < NELEM(cases); i++) {
		struct err e = { 0 };
		int r;

		n = 77;
		r = value_number(cases[i].s, UINT32_MAX, &n, &e);
		is_number(r, n, &e, &cases[i], "key");
	}
	is_int(value_number("1", 0, &n, NULL), -EINVAL, "nobody wants a text");
	is_int(value_number("0", 0, &n, NULL), 0, "0 of 0");
}

static void
test_sizes(void)
{
	static const struct number_case cases[] = {
		{ "0", 0, NULL },
		{ "0K", 0, NULL },
		{ "1", 1, NULL },
		{ "4097", 4097, NULL },
		{ "64K", 65536, NULL },
		{ "4M", 4ull << 20, NULL },
		{ "3G", 3ull << 30, NULL },
		{ "2T", 2ull << 40, NULL },
		{ "0x10K", 16384, NULL },
		{ "010K", 8192, NULL },
		{ "16777215T", 16777215ull << 40, NULL },
		{ "18014398509481983K", UINT64_MAX - 1023, NULL },
		{ "18446744073709551615", UINT64_MAX, NULL },
		{ "16777216T", 0, PAST_64 },
		{ "99999999999T", 0, PAST_64 },
		{ "18014398509481984K", 0, PAST_64 },
		{ "18446744073709551616", 0, PAST_64 },
		{ "99999999999999999999999T", 0, PAST_64 },
		{ "64Q", 0, NOT_SIZE },
		{ "64k", 0, NOT_SIZE },
		{ "64KB", 0, NOT_SIZE },
		{ "64KK", 0, NOT_SIZE },
		{ "64 K", 0, NOT_SIZE },
		{ "K", 0, NOT_SIZE },
		{ "0xK", 0, NOT_SIZE },
		{ "08K", 0, NOT_SIZE },
		{ "", 0, NOT_SIZE },
		{ "-1", 0, NOT_SIZE },
		{ "+1K", 0, NOT_SIZE },
		{ "1e3", 0, NOT_SIZE },
		{ "1.5G", 0, NOT_SIZE },
	};

	for (size_t i = 0; i < NELEM(cases); i++) {
		struct err e = { 0 };
		uint64_t n = 77;
		int r = value_size(cases[i].s, &n, &e);

		is_number(r, n, &e, &cases[i], "size");
	}
}

#define NOT_LIMIT                                                           \
	"not a limit: a number (K, M, G or T may stand behind it), max or " \
	"default"
#define NOT_OWNER "not a user's id, nor default"

static void
test_limits(void)
{
	static const struct number_case cases[] = {
		{ "0", 0, NULL },
		{ "1G", 1ull << 30, NULL },
		{ "max", UINT64_MAX, NULL },
		{ "default", 0, NULL },
		{ "", 0, NOT_LIMIT },
		{ "MAX", 0, NOT_LIMIT },
		{ "max ", 0, NOT_LIMIT },
		{ "-1", 0, NOT_LIMIT },
		{ "1GB", 0, NOT_LIMIT },
	};
	static const struct number_case owners[] = {
		{ "0", 0, NULL },
		{ "4294967294", UINT32_MAX - 1, NULL },
		{ "default", UINT64_MAX, NULL },
		{ "4294967295", 0, NOT_OWNER },
		{ "-1", 0, NOT_OWNER },
		{ "root", 0, NOT_OWNER },
		{ "", 0, NOT_OWNER },
		{ "1K", 0, NOT_OWNER },
	};
	struct err e = { 0 };
	uint64_t n;
	size_t i;
	int r;

	for (i = 0; i < NELEM(cases); i++) {
		n = 77;
		r = value_limit(cases[i].s, &n, &e);
		is_number(r, n, &e, &cases[i], "limit");
	}
	for (i = 0; i < NELEM(owners); i++) {
		n = 77;
		r = value_owner(owners[i].s, &n, &e);
		is_number(r, n, &e, &owners[i], "owner");
	}
}

/* What is printed is taken. */
static void
test_number_round_trips(void)
{
	static const uint64_t numbers[] = { 0, 1, 0x1c2f, 0x7fffffff,
		0x80000000, UINT32_MAX };
	static const uint64_t addrs[] = { 0, 4096, 1ull << 32, 1ull << 63,
		0x7f0012345678, UINT64_MAX };
	struct text t = { 0 };
	uint64_t n;

	for (size_t i = 0; i < NELEM(numbers); i++) {
		text_reset(&t);
		text_key(&t, (uint32_t)numbers[i]);
		ok(value_number(t.buf, UINT32_MAX, &n, NULL) == 0 &&
			n == numbers[i],
		    "key %s", t.buf);
	}
	for (size_t i = 0; i < NELEM(addrs); i++) {
		text_reset(&t);
		text_addr(&t, addrs[i]);
		ok(value_number(t.buf, UINT64_MAX, &n, NULL) == 0 &&
			n == addrs[i],
		    "address %s", t.buf);
	}
	text_fini(&t);
}

static void
test_gids(void)
{
	static const struct {
		const char *s;
		uint8_t want[16];
	} cases[] = {
		{ "fe80:0000:0000:0000:0102:0304:0506:07ff",
		    { 0xfe, 0x80, [8] = 1, 2, 3, 4, 5, 6, 7, 0xff } },
		{ "fe80::102:304:506:7FF",
		    { 0xfe, 0x80, [8] = 1, 2, 3, 4, 5, 6, 7, 0xff } },
		{ "::ffff:192.0.2.1", { [10] = 0xff, 0xff, 192, 0, 2, 1 } },
		{ "::", { 0 } },
		{ "::1", { [15] = 1 } },
		{ "1::", { [1] = 1 } },
	};
	static const char *const wrong[] = { "", ":", "1", "192.0.2.1",
		"fe80::1%lo", "fe80::1/64", " ::1", "::1 ", "[::1]", "1::2::3",
		"12345::", "g::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
		"fe800000000000000102030405060708", "::ffff:300.0.2.1" };
	uint8_t raw[16];

	for (size_t i = 0; i < NELEM(cases); i++) {
		memset(raw, 7, sizeof(raw));
		is_int(value_gid(cases[i].s, raw, NULL), 0, "gid '%s'",
		    cases[i].s);
		ok(memcmp(raw, cases[i].want, sizeof(raw)) == 0,
		    "gid '%s': its bytes", cases[i].s);
	}
	for (size_t i = 0; i < NELEM(wrong); i++) {
		struct err e = { 0 };

		memset(raw, 7, sizeof(raw));
		is_int(value_gid(wrong[i], raw, &e), -EINVAL, "no gid '%s'",
		    wrong[i]);
		is_str(e.text,
		    "not a GID: write an IPv6 address, such as fe80::1",
		    "no gid '%s': the reason", wrong[i]);
		ok(raw[0] == 7 && memcmp(raw, raw + 1, 15) == 0,
		    "no gid '%s': nothing is stored", wrong[i]);
	}
	is_int(value_gid("x", raw, NULL), -EINVAL, "nobody wants a text");
}

static void
test_gid_round_trips(void)
{
	struct text t = { 0 };
	uint8_t gid[16], raw[16];
	unsigned bad = 0;

	/* Every byte in every place, among zeros and among others. */
	for (unsigned n = 0; n < 2 * 16 * 256; n++) {
		memset(gid, n % 2 == 0 ? 0 : 0x5a, sizeof(gid));
		gid[n / 2 % 16] = (uint8_t)(n / 32);
		text_reset(&t);
		text_gid(&t, gid);
		bad += value_gid(t.buf, raw, NULL) != 0 ||
		       memcmp(raw, gid, sizeof(raw)) != 0;
	}
	is_int(bad, 0, "gids are read back as they are printed");
	text_fini(&t);
}

/* Reads one word of an address; whether there is such a one. */
static bool
addr_add_word(struct qp_addr *a, const char *word)
{
	uint64_t n = 0;
	const char *value = strchr(word, '=');

	if (value == NULL)
		return false;
	if (strncmp(word, "gid=", 4) == 0)
		return value_gid(value + 1, a->gid.raw, NULL) == 0;
	if (value_number(value + 1, UINT32_MAX, &n, NULL) < 0)
		return false;
	if (strncmp(word, "qpn=", 4) == 0)
		a->qpn = (uint32_t)n;
	else if (strncmp(word, "psn=", 4) == 0)
		a->psn = (uint32_t)n;
	else if (strncmp(word, "lid=", 4) == 0)
		a->lid = (uint32_t)n;
	else if (strncmp(word, "mtu=", 4) == 0)
		a->mtu = (unsigned)n;
	else
		return false;
	return true;
}

static void
test_qp_addr_round_trips(void)
{
	static const struct qp_addr addrs[] = {
		{ .qpn = 17, .psn = 0, .mtu = 1024, .gid.raw[15] = 1 },
		{ 0xffffff, 0xffffff, { { 0xfe, 0x80, [15] = 9 } }, 0xbeef,
		    4096 },
		{ .qpn = 8, .lid = 1, .mtu = 256 },
	};
	struct text t = { 0 };
	char *word, *rest;

	for (size_t i = 0; i < NELEM(addrs); i++) {
		struct qp_addr a = { 0 };
		bool good = true;

		text_reset(&t);
		text_qp_addr(&t, &addrs[i]);
		rest = t.buf;
		while ((word = strsep(&rest, " ")) != NULL)
			good &= addr_add_word(&a, word);
		ok(good, "address %zu has words of connect only", i);
		ok(a.qpn == addrs[i].qpn && a.psn == addrs[i].psn &&
			a.lid == addrs[i].lid && a.mtu == addrs[i].mtu &&
			memcmp(a.gid.raw, addrs[i].gid.raw, 16) == 0,
		    "address %zu is read back as it is printed", i);
	}
	text_fini(&t);
}

#define NO_RIGHT                                                           \
	"no such right; there are: local_read local_write remote_read "    \
	"remote_write remote_atomic mw_bind zero_based on_demand hugetlb " \
	"relaxed_ordering flush_global flush_persistent"
#define MIXED  "a list either replaces all rights or changes some with + and -"
#define ALONE  "none or a number stands alone"
#define BOTH   "the same right is both added and taken away"
#define NUMBER "a number stands for all of the rights"

static void
test_right(void)
{
	static const char *const wrong[] = { "", "none", "remote",
		"remote_readx", "REMOTE_READ", "+remote_read", "remote_read,",
		" remote_read", "1" };
	const struct name *r;
	uint32_t bit;
	struct err e;

	for (r = right_names; r->name != NULL; r++)
		ok(value_right(r->name, &bit, &e) == 0 && bit == r->value,
		    "right %s", r->name);
	for (size_t i = 0; i < NELEM(wrong); i++) {
		is_int(value_right(wrong[i], &bit, &e), -EINVAL,
		    "no right '%s'", wrong[i]);
		is_str(e.text, NO_RIGHT, "no right '%s': the reason", wrong[i]);
	}
}

/* Adds the words of list, separated by blanks. */
static int
rights_of(struct rights *r, const char *list, bool number, struct err *e)
{
	char buf[512], *word, *rest = buf;
	int ret = 0;

	*r = (struct rights){ 0 };
	(void)strlcpy(buf, list, sizeof(buf));
	while (ret == 0 && (word = strsep(&rest, " ")) != NULL)
		ret = rights_add_word(r, word, number, e);
	return ret;
}

#define LW  RIGHT_LOCAL_WRITE
#define RR  RIGHT_REMOTE_READ
#define RW  RIGHT_REMOTE_WRITE
#define OLD (RIGHT_LOCAL_WRITE | RIGHT_MW_BIND)

static void
test_lists(void)
{
	static const struct {
		const char *list;
		uint32_t want; /* of OLD */
		const char *error;
	} cases[] = {
		{ "remote_read", RR, NULL },
		{ "remote_read remote_write", RR | RW, NULL },
		{ "remote_read,remote_write", RR | RW, NULL },
		{ "remote_read, remote_write", RR | RW, NULL },
		{ "remote_read,,remote_write,", RR | RW, NULL },
		{ "remote_read , remote_write", RR | RW, NULL },
		{ "remote_read remote_read", RR, NULL },
		{ ",", OLD, NULL },
		{ "none", 0, NULL },
		{ "none,", 0, NULL },
		{ "local_read", 0, NULL },
		{ "local_read local_write", LW, NULL },
		{ "+remote_read", OLD | RR, NULL },
		{ "+remote_read,-mw_bind", LW | RR, NULL },
		{ "-mw_bind +remote_read -local_write", RR, NULL },
		{ "-remote_read", OLD, NULL },
		{ "+local_read", OLD, NULL },
		{ "0", 0, NULL },
		{ "0xf", 0xf, NULL },
		{ "5", LW | RR, NULL },
		{ "0x300", RIGHT_FLUSH_GLOBAL | RIGHT_FLUSH_PERSISTENT, NULL },
		{ "0x200000", 1u << 21, NULL }, /* optional, no name (M3) */
		{ "", 0, NO_RIGHT },
		{ "read", 0, NO_RIGHT },
		{ "remote_read,read", 0, NO_RIGHT },
		{ "+", 0, NO_RIGHT },
		{ "+none", 0, NO_RIGHT },
		{ "++remote_read", 0, NO_RIGHT },
		{ "remote_read+remote_write", 0, NO_RIGHT },
		{ "-0xf", 0, NO_RIGHT },
		{ "-local_read", 0, "local_read is always granted (M2)" },
		{ "+remote_read -remote_read", 0, BOTH },
		{ "-remote_read,+remote_read", 0, BOTH },
		{ "remote_read +remote_write", 0, MIXED },
		{ "+remote_read remote_write", 0, MIXED },
		{ "local_read -mw_bind", 0, MIXED },
		{ "none remote_read", 0, ALONE },
		{ "none +remote_read", 0, ALONE },
		{ "0xf remote_read", 0, ALONE },
		{ "remote_read none", 0, "none stands alone" },
		{ "local_read none", 0, "none stands alone" },
		{ "none none", 0, "none stands alone" },
		{ "+remote_read,none", 0, "none stands alone" },
		{ "remote_read 0xf", 0, NUMBER },
		{ "0xf 0xf", 0, NUMBER },
		{ "none 0", 0, NUMBER },
		{ "0xf,remote_read", 0, NOT_NUMBER },
		{ "12x", 0, NOT_NUMBER },
		{ "0x400", 0, "the number has a bit that is no right (M3)" },
		{ "0x80000000", 0,
		    "the number has a bit that is no right (M3)" },
		{ "0x100000000", 0, PAST_32 },
	};
	struct rights r;

	for (size_t i = 0; i < NELEM(cases); i++) {
		struct err e = { 0 };
		int ret = rights_of(&r, cases[i].list, true, &e);

		if (cases[i].error == NULL) {
			is_int(ret, 0, "rights '%s'", cases[i].list);
			is_int(rights_apply(&r, OLD), cases[i].want,
			    "rights '%s': the bits", cases[i].list);
			continue;
		}
		is_int(ret, -EINVAL, "rights '%s' refused", cases[i].list);
		is_str(e.text, cases[i].error, "rights '%s': the reason",
		    cases[i].list);
	}
	is_int(rights_of(&r, "0xf", false, NULL), -EINVAL,
	    "a number where only words are taken");
	r = (struct rights){ 0 };
	is_int(rights_apply(&r, OLD), OLD, "none given: those kept");
}

/* A set of rights made of the low bits of n, one for each that is named. */
static uint32_t
rights_number(unsigned n)
{
	const struct name *r;
	uint32_t rights = 0;

	for (r = right_names; r->name != NULL; r++) {
		if (r->value == RIGHT_LOCAL_READ)
			continue;
		if ((n & 1) != 0)
			rights |= r->value;
		n >>= 1;
	}
	return rights;
}

static bool
prints_and_parses(uint32_t rights, uint32_t shown, char sep)
{
	struct text t = { 0 };
	struct rights r;
	bool same;

	text_rights(&t, rights | shown, sep);
	same = rights_of(&r, t.buf, true, NULL) == 0 && r.given &&
	       rights_apply(&r, OLD) == rights;
	text_fini(&t);
	return same;
}

static void
test_rights_round_trips(void)
{
	unsigned bad = 0, n;

	for (n = 0; n < 1u << 11; n++) {
		uint32_t rights = rights_number(n);

		bad += !prints_and_parses(rights, 0, ' ');
		bad += !prints_and_parses(rights, 0, ',');
		bad += !prints_and_parses(rights, RIGHT_LOCAL_READ, ' ');
		bad += !prints_and_parses(rights, RIGHT_LOCAL_READ, ',');
	}
	is_int(bad, 0, "all sets of rights are read back as they are printed");
	is_int(rights_number(n - 1),
	    RIGHT_KNOWN & (0x3ff | RIGHT_RELAXED_ORDERING),
	    "and those are all");
}

int
main(void)
{
	test_numbers();
	test_maximum();
	test_sizes();
	test_limits();
	test_number_round_trips();
	test_gids();
	test_gid_round_trips();
	test_qp_addr_round_trips();
	test_right();
	test_lists();
	test_rights_round_trips();
	return done_testing();
}
