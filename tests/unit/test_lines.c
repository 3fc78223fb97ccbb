/* SPDX-License-Identifier: MIT */
/* What a write may bring: lines, bytes, names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../proto/cmd.h"
#include "tap.h"

#define NOT_NAME                                                        \
	"a name is letters, digits and . _ - and begins with a letter " \
	"or a digit"

/* A write of n bytes, lines of 64 with their newline, then tail. */
static char *
make_write(size_t n, const char *tail)
{
	char *buf = malloc(n);

	for (size_t i = 0; i < n; i++)
		buf[i] = i % 64 == 63 ? '\n' : 'x';
	memcpy(buf + n - strlen(tail), tail, strlen(tail));
	return buf;
}

static void
test_write_sizes(void)
{
	static const struct {
		size_t n, max;
		const char *tail;
		int want;
		const char *reason;
	} cases[] = {
		{ 1, 65536, "x", 0, NULL },
		{ 1, 65536, "\n", 0, NULL },
		{ 4095, 65536, "x", 0, NULL },
		{ 4096, 65536, "\n", 0, NULL },
		{ 4096, 65536, "x", -EMSGSIZE,
		    "a write of 4096 bytes, 4096 or more, without a newline "
		    "at its end: it may be cut in the middle of a line" },
		{ 65536, 65536, "\n", 0, NULL },
		{ 65536, 65536, "x", -EMSGSIZE,
		    "a write of 65536 bytes, 4096 or more, without a newline "
		    "at its end: it may be cut in the middle of a line" },
		{ 65537, 65536, "\n", -EMSGSIZE,
		    "a write of 65537 bytes; at most 65536 at once" },
	};

	for (size_t i = 0; i < NELEM(cases); i++) {
		char *buf = make_write(cases[i].n, cases[i].tail);
		struct err e;

		is_int(lines_check(buf, cases[i].n, cases[i].max, &e),
		    cases[i].want, "%zu bytes, at most %zu", cases[i].n,
		    cases[i].max);
		if (cases[i].want < 0)
			is_str(e.text, cases[i].reason, "the reason");
		free(buf);
	}
}

static void
test_line_lengths(void)
{
	char buf[4200];
	struct err e;

	memset(buf, 'x', sizeof(buf));
	buf[4095] = '\n';
	is_int(lines_check(buf, 4096, 65536, &e), 0, "a line of 4095");
	buf[4095] = 'x';
	buf[4096] = '\n';
	is_int(lines_check(buf, 4097, 65536, &e), -EMSGSIZE, "of 4096");
	is_str(e.text, "line 1 has 4096 bytes; at most 4095", "the reason");
	buf[1] = '\n';
	is_int(lines_check(buf, 4097, 65536, &e), 0, "two lines");
	is_int(lines_check(buf, 4098, 65536, &e), -EMSGSIZE, "cut behind");
	is_int(lines_check(buf, 0, 65536, &e), 0, "nothing");
}

static void
test_control_bytes(void)
{
	char buf[4] = "ab\n";
	struct err e;
	int r;

	for (int c = 0; c < 256; c++) {
		buf[1] = (char)c;
		r = lines_check(buf, 3, 65536, &e);
		is_int(r,
		    c == '\t' || c == '\n' || (c >= ' ' && c != 0x7f) ? 0
								      : -EINVAL,
		    "byte 0x%02x", (unsigned)c);
	}
	is_int(lines_check("a\n\nb\r\n", 6, 65536, &e), -EINVAL, "CR");
	is_str(e.text, "line 3: byte 2 is the control character 0x0d",
	    "the reason");
}

/* Eight bytes are looked at together: each byte in each place of them. */
static void
test_line_sound(void)
{
	char line[24];
	unsigned wrong = 0;
	size_t at;
	int c;

	for (at = 0; at < sizeof(line); at++) {
		for (c = 0; c < 256; c++) {
			bool bad = (c < ' ' && c != '\t') || c == 0x7f;

			memset(line, c % 2 ? '\xff' : '~', sizeof(line));
			line[(at + 5) % sizeof(line)] = '\t';
			line[at] = (char)c;
			wrong += line_sound(line, sizeof(line)) !=
				 (bad ? at : sizeof(line));
		}
	}
	is_int(wrong, 0, "what stands before the first forbidden byte");
	is_int(line_sound("\n", 0), 0, "an empty line");
}

static void
test_lines_next(void)
{
	static const char buf[] = "one\n\n  two\nthree";
	static const char *const want[] = { "one", "", "  two", "three" };
	size_t pos = 0, len, n = 0;
	const char *line;

	while (lines_next(buf, strlen(buf), &pos, &line, &len) &&
	       n < NELEM(want)) {
		ok(len == strlen(want[n]) && memcmp(line, want[n], len) == 0,
		    "line %zu", n + 1);
		n++;
	}
	is_int((long)n, (long)NELEM(want), "all lines");
	pos = 0;
	ok(lines_next("a\n", 2, &pos, &line, &len) &&
		!lines_next("a\n", 2, &pos, &line, &len),
	    "no line behind the last newline");
	pos = 0;
	ok(!lines_next("", 0, &pos, &line, &len), "no line in nothing");
}

static void
test_names(void)
{
	static const char *const good[] = { "a", "0", "buf", "Buf-1", "a.b_c-",
		"17" };
	static const char *const bad[] = { "", ".", "..", ".a", "-a", "_a",
		"a b", "a/b", "a\n", "\303\251", "a=b", "a,b", "a'b", "a#" };
	char name[66] = "";
	struct err e;

	for (size_t i = 0; i < NELEM(good); i++)
		is_int(name_check(good[i], &e), 0, "name '%s'", good[i]);
	for (size_t i = 0; i < NELEM(bad); i++) {
		is_int(name_check(bad[i], &e), -EINVAL, "no name");
		is_str(e.text, NOT_NAME, "no name: the reason");
	}
	memset(name, 'x', 65);
	is_int(name_check(name, &e), -ENAMETOOLONG, "65 characters");
	is_str(e.text, "a name has at most 64 characters", "the reason");
	name[64] = '\0';
	is_int(name_check(name, &e), 0, "64 characters");
}

int
main(void)
{
	test_write_sizes();
	test_line_lengths();
	test_control_bytes();
	test_line_sound();
	test_lines_next();
	test_names();
	return done_testing();
}
