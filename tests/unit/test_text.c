/* SPDX-License-Identifier: MIT */
/* The growing text and what it prints. */
#include <errno.h>
#include <string.h>

#include "../../proto/text.h"
#include "tap.h"

/* Checks what t is, and empties it. */
static void
is_text(struct text *t, const char *want, const char *why)
{
	ok(!t->nomem, "%s: no addition was lost", why);
	is_str(t->buf, want, "%s", why);
	ok(t->len == strlen(want), "%s: length", why);
	text_reset(t);
}

static void
test_growth(void)
{
	struct text t = { 0 };
	char *buf;
	size_t cap;

	for (unsigned i = 0; i < 100000; i++)
		text_add(&t, i % 2 == 0 ? "a" : "b", 1);
	ok(t.len == 100000 && strlen(t.buf) == t.len, "100000 bytes, a NUL");
	ok(strspn(t.buf, "ab") == t.len, "nothing but what was added");

	buf = t.buf;
	cap = t.cap;
	text_reset(&t);
	ok(t.len == 0 && t.buf == buf && t.cap == cap, "reset keeps memory");
	is_str(t.buf, "", "reset empties");

	text_fini(&t);
	ok(t.buf == NULL && t.len == 0 && t.cap == 0,
	    "fini leaves an empty one");
	text_fini(&t);
	ok(t.buf == NULL, "fini takes an empty one");

	text_add(&t, "", 0);
	is_str(t.buf, "", "adding nothing gives a string, too");
	text_fini(&t);
}

static void
test_printf(void)
{
	struct text t = { 0 };

	/* Around the first allocation, and far past it. */
	for (int n = 250; n < 260; n++) {
		text_printf(&t, "%*d", n, 7);
		ok(t.len == (size_t)n && t.buf[n - 1] == '7' &&
			t.buf[n] == '\0',
		    "printf of %d bytes", n);
		text_fini(&t);
	}
	text_puts(&t, "x");
	text_printf(&t, "%*d|", 5000, 1);
	ok(t.len == 5002 && strcmp(t.buf + 5000, "1|") == 0,
	    "printf that does not fit is printed again");
	text_fini(&t);
}

static void
test_nomem(void)
{
	struct text t = { 0 };

	text_puts(&t, "abc");
	text_add(&t, "", SIZE_MAX - 1);
	ok(t.nomem, "too much is lost");
	is_str(t.buf, "abc", "what was there stays");
	text_puts(&t, "d");
	text_printf(&t, "%d", 1);
	text_vis(&t, "e", 1);
	ok(t.nomem && t.len == 3, "and nothing is added behind a loss");
	text_vis(&t, "e", SIZE_MAX / 2);
	ok(t.nomem && t.len == 3, "vis of too much");
	text_reset(&t);
	ok(!t.nomem, "reset forgets it");
	text_fini(&t);
}

static void
test_vis(void)
{
	static const struct {
		const char *s;
		size_t n;
		const char *want, *why;
	} cases[] = {
		{ "a b", 3, "a b", "blanks stay" },
		{ "a\tb", 3, "a\\tb", "a tab is more than a column" },
		{ "a\nb", 3, "a\\nb", "a newline" },
		{ "\033[2J", 4, "\\^[[2J", "an escape sequence" },
		{ "\r", 1, "\\r", "carriage return" },
		{ "\\", 1, "\\\\", "a backslash is doubled" },
		{ "\303\251", 2, "\\M-C\\M-)", "bytes of UTF-8" },
		{ "\0x", 2, "\\0x", "NUL" },
		{ "", 0, "", "nothing" },
	};
	struct text t = { 0 };

	for (size_t i = 0; i < NELEM(cases); i++) {
		text_vis(&t, cases[i].s, cases[i].n);
		is_text(&t, cases[i].want, cases[i].why);
	}
	for (unsigned c = 0; c < 256; c++)
		text_vis(&t, &(char){ (char)c }, 1);
	ok(strspn(t.buf, " !\"#$%&'()*+,-./0123456789:;<=>?@"
			 "ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
			 "abcdefghijklmnopqrstuvwxyz{|}~") == t.len,
	    "no byte becomes anything but a printable one");
	text_fini(&t);
}

static void
test_values(void)
{
	static const uint8_t gid[16] = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3,
		4, 5, 6, 7, 0xff };
	struct text t = { 0 };

	text_addr(&t, 0x1000);
	is_text(&t, "0x0000000000001000", "an address has 16 digits");
	text_addr(&t, UINT64_MAX);
	is_text(&t, "0xffffffffffffffff", "the last address");
	text_key(&t, 0x1c2f);
	is_text(&t, "0x00001c2f", "a key has 8 digits");
	text_gid(&t, gid);
	is_text(&t, "fe80:0000:0000:0000:0102:0304:0506:07ff", "a gid");
	text_guid(&t, 0x0102030405060708);
	is_text(&t, "0102:0304:0506:0708", "a guid");
	text_errno(&t, EBUSY);
	is_text(&t, "EBUSY", "an errno");
	text_errno(&t, 4000);
	is_text(&t, "E4000", "an errno without a name");
	text_fini(&t);
}

static void
test_qp_addr(void)
{
	struct qp_addr a = {
		.qpn = 17,
		.psn = 1234567,
		.gid.raw = { 0xfe, 0x80, [15] = 1 },
		.mtu = 1024,
	};
	struct text t = { 0 };

	text_qp_addr(&t, &a);
	is_text(&t,
	    "qpn=17 psn=1234567 gid=fe80:0000:0000:0000:0000:0000:0000:0001 "
	    "mtu=1024",
	    "the address of a queue pair");
	a.qpn = a.psn = 0xffffff;
	a.lid = 0xbfff;
	memset(&a.gid, 0, sizeof(a.gid));
	text_qp_addr(&t, &a);
	is_text(&t,
	    "qpn=16777215 psn=16777215 "
	    "gid=0000:0000:0000:0000:0000:0000:0000:0000 lid=49151 mtu=1024",
	    "one with a lid and no gid");
	text_fini(&t);
}

static void
test_rights(void)
{
	struct text t = { 0 };

	text_rights(&t, 0, ' ');
	is_text(&t, "none", "no rights");
	text_rights(&t, RIGHT_LOCAL_READ, ' ');
	is_text(&t, "local_read", "local_read where the caller adds it");
	text_rights(&t,
	    RIGHT_MW_BIND | RIGHT_REMOTE_READ | RIGHT_LOCAL_READ |
		RIGHT_LOCAL_WRITE,
	    ' ');
	is_text(&t, "local_read local_write remote_read mw_bind",
	    "in the table's order");
	text_rights(&t, RIGHT_REMOTE_READ | RIGHT_REMOTE_WRITE, ',');
	is_text(&t, "remote_read,remote_write", "with commas");
	text_rights(&t, 1u << 21, ' ');
	is_text(&t, "none", "an optional bit without a name (M3)");
	text_fini(&t);
}

static void
test_words(void)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{ "buf", "buf" },
		{ "", "''" },
		{ "a b", "'a b'" },
		{ "a\tb", "'a\tb'" },
		{ "it's", "'it''s'" },
		{ "'", "''''" },
		{ "#x", "'#x'" },
		{ "a=b", "a=b" },
	};
	struct text t = { 0 };

	for (size_t i = 0; i < NELEM(cases); i++) {
		text_word(&t, cases[i].name);
		is_text(&t, cases[i].want, "a word");
	}
	text_fini(&t);
}

/* As Prometheus' text format has it, and nothing else is changed. */
static void
test_labels(void)
{
	static const struct {
		const char *s, *want;
	} cases[] = {
		{ "rxe0", "rxe0" },
		{ "a\"b", "a\\\"b" },
		{ "a\\b", "a\\\\b" },
		{ "a\nb", "a\\nb" },
		{ "{a=\"b\",} 1\n", "{a=\\\"b\\\",} 1\\n" },
		{ "\\n", "\\\\n" },
		{ "\303\244 \t", "\303\244 \t" },
	};
	struct text t = { 0 };

	for (size_t i = 0; i < NELEM(cases); i++) {
		text_label(&t, cases[i].s);
		is_text(&t, cases[i].want, "a label");
	}
	text_fini(&t);
}

int
main(void)
{
	test_growth();
	test_printf();
	test_nomem();
	test_vis();
	test_values();
	test_qp_addr();
	test_rights();
	test_words();
	test_labels();
	return done_testing();
}
