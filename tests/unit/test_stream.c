/* SPDX-License-Identifier: MIT */
/* Lines of a stream that is cut anywhere. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../proto/cmd.h"
#include "../../proto/stream.h"
#include "tap.h"

#define TEXT_MAX 20000

/* The lines that come out of text in pieces of at most so many bytes, each with
 * its number and a | behind it; r: what ended it. */
static int
stream_lines(const char *text, size_t n, size_t piece, char *out, struct err *e)
{
	struct stream s = { 0 };
	size_t at, pos, size, len;
	const char *line;
	int r = 0;

	*out = '\0';
	for (at = 0; r == 0 && at < n; at += size) {
		char *copy;

		size = n - at < piece ? n - at : piece;
		copy = malloc(size); /* so that who reads past it is found */
		memcpy(copy, text + at, size);
		pos = 0;
		while (
		    (r = stream_next(&s, copy, size, &pos, &line, &len, e)) > 0)
			out += sprintf(
			    out, "%u:%.*s|", (unsigned)s.line, (int)len, line);
		if (r == 0)
			r = stream_keep(&s, copy, size, pos, e);
		free(copy);
	}
	if (r == 0 && s.len > 0)
		sprintf(out, "rest %zu", s.len);
	if (r < 0)
		sprintf(out, "line %u", (unsigned)s.line);
	stream_fini(&s);
	return r;
}

static void
test_cuts(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "" },
		{ "a\n", "1:a|" },
		{ "a", "rest 1" },
		{ "\n\n", "1:|2:|" },
		{ "one\ntwo words\nthree\n", "1:one|2:two words|3:three|" },
		{ "one\n\n# x\ntw", "1:one|2:|3:# x|rest 2" },
		{ "tab\there\n", "1:tab\there|" },
	};
	char out[256];
	struct err e;

	for (size_t i = 0; i < NELEM(cases); i++)
		for (size_t piece = 1; piece < 24; piece++) {
			int r = stream_lines(cases[i].text,
			    strlen(cases[i].text), piece, out, &e);

			ok(r == 0 && strcmp(out, cases[i].want) == 0,
			    "%zu in pieces of %zu: %s", i, piece, out);
		}
}

static void
test_lengths(void)
{
	static const size_t pieces[] = { 1, 100, 4095, 4096, 4097, 10000 };
	char *text = malloc(TEXT_MAX), *out = malloc(TEXT_MAX);
	struct err e;

	for (size_t i = 0; i < NELEM(pieces); i++) {
		memset(text, 'x', TEXT_MAX);
		text[CMD_LINE] = '\n';
		ok(stream_lines(text, CMD_LINE + 1, pieces[i], out, &e) == 0 &&
			strlen(out) == CMD_LINE + 3,
		    "a line of 4095 bytes in pieces of %zu", pieces[i]);
		text[CMD_LINE] = 'x';
		ok(stream_lines(text, CMD_LINE, pieces[i], out, &e) == 0 &&
			strcmp(out, "rest 4095") == 0,
		    "4095 bytes that may go on, %zu", pieces[i]);
		text[1] = text[CMD_LINE + 3] = '\n';
		ok(stream_lines(text, CMD_LINE + 4, pieces[i], out, &e) ==
			-EMSGSIZE,
		    "a second line of 4097, %zu", pieces[i]);
		is_str(strrchr(out, 'l'), "line 2", "its number");
		ok(stream_lines(text, CMD_LINE + 3, pieces[i], out, &e) ==
			-EMSGSIZE,
		    "4096 bytes without an end, %zu", pieces[i]);
	}
	is_str(e.text, "a line of over 4095 bytes", "the reason");
	free(out);
	free(text);
}

static void
test_unfinished(void)
{
	static const struct {
		const char *text;
		bool unfinished;
	} rows[] = { { "a\n", false }, { "a\nb", true }, { "a\n \t", false },
		{ " # b", false }, { " b #", true } };
	const char *line;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct stream s = { 0 };
		size_t n = strlen(rows[i].text), pos = 0, len;

		while (
		    stream_next(&s, rows[i].text, n, &pos, &line, &len, &e) > 0)
			;
		(void)stream_keep(&s, rows[i].text, n, pos, &e);
		ok(stream_is_unfinished(&s) == rows[i].unfinished,
		    "whether row %zu is unfinished", i);
		stream_fini(&s);
	}
}

static void
test_bytes(void)
{
	static const char nul[] = "a\nb\0c\n", del[] = "a\nbc\177\n";
	char out[64];
	struct err e;

	for (size_t piece = 1; piece < 8; piece++) {
		ok(stream_lines(nul, 6, piece, out, &e) == -EINVAL &&
			strcmp(out, "1:a|line 2") == 0,
		    "a NUL in pieces of %zu: %s", piece, out);
		is_str(e.text, "byte 2 is the control character 0x00", "NUL");
		ok(stream_lines(del, 6, piece, out, &e) == -EINVAL,
		    "DEL in pieces of %zu", piece);
		is_str(e.text, "byte 3 is the control character 0x7f", "DEL");
	}
}

int
main(void)
{
	test_cuts();
	test_lengths();
	test_unfinished();
	test_bytes();
	return done_testing();
}
