/* SPDX-License-Identifier: MIT */
/* Command lines that are right: what they mean. */
#include <errno.h>
#include <string.h>

#include "sample.h"
#include "tap.h"

static void
test_good(void)
{
	static const struct {
		const char *line, *want, *why;
	} cases[] = {
		{ "", "nothing", "an empty line" },
		{ " \t ", "nothing", "blanks" },
		{ "# bind buf", "nothing", "a comment" },
		{ "  #", "nothing", "a comment behind blanks" },
		{ "# it's", "nothing", "no quotes in a comment" },
		{ "invalidate", "invalidate", "a verb alone" },
		{ "\tinvalidate  ", "invalidate", "blanks around it" },
		{ "bind buf", "bind mr:buf", "no optional argument" },
		{ "bind buf 4K 8K", "bind mr:buf offset:4096 length:8192",
		    "the group" },
		{ "bind buf remote_read", "bind mr:buf {remote_read}",
		    "no group, a right" },
		{ "bind buf 4K 4K remote_read",
		    "bind mr:buf offset:4096 length:4096 {remote_read}",
		    "both" },
		{ "bind buf 0 1 remote_read remote_write,remote_atomic",
		    "bind mr:buf offset:0 length:1 "
		    "{remote_read,remote_write,remote_atomic}",
		    "a list of two words" },
		{ "bind buf +remote_read -remote_write",
		    "bind mr:buf {+remote_read -remote_write}",
		    "a sign is no number" },
		{ "bind tag=1 buf qp=q remote_read",
		    "bind tag:1 mr:buf qp:q {remote_read}",
		    "options anywhere behind the verb" },
		{ "bind remote_read", "bind mr:remote_read",
		    "a region may be called like a right" },
		{ "reg 64K local_write remote_read mw_bind",
		    "reg length:65536 {local_write,remote_read,mw_bind}",
		    "the first row" },
		{ "reg iova=0x7000 0x1000 huge=2M",
		    "reg iova:28672 length:4096 huge:2097152", "its options" },
		{ "reg fd=3", "reg fd:3", "the second row by its option" },
		{ "reg remote_read length=4K fd=3 offset=1",
		    "reg length:4096 fd:3 offset:1 {remote_read}",
		    "the second row, the option last" },
		{ "connect gid=fe80::1 psn=1 qpn=0x11",
		    "connect gid:fe80::1 psn:1 qpn:17",
		    "options in any order" },
		{ "connect gid= psn=1 qpn=2", "connect gid: psn:1 qpn:2",
		    "an empty word" },
		{ "connect gid=a=b psn=1 qpn=2", "connect gid:a=b psn:1 qpn:2",
		    "the first = counts" },
		{ "write buf 0 4K 0xffffffffffffffff 0xffffffff",
		    "write mr:buf offset:0 length:4096 "
		    "addr:18446744073709551615 rkey:4294967295",
		    "the largest numbers" },
		{ "type rc", "type type:rc", "a word" },
		{ "type 'a b'", "type type:a b", "quotes" },
		{ "type a'b c'd", "type type:ab cd", "quotes within a word" },
		{ "type 'it''s'", "type type:it's", "a quote within quotes" },
		{ "type ''''", "type type:'", "nothing but a quote" },
		{ "type ''", "type type:", "an empty word" },
		{ "type a''b", "type type:ab", "quotes with nothing in them" },
		{ "type '#'", "type type:#", "a quoted #" },
		{ "type a#b", "type type:a#b", "a # within" },
		{ "type =", "type type:=", "no option without a name" },
		{ "'type' rc", "type type:rc", "a quoted verb" },
		{ "connect 'gid=a b' psn=1 qpn=2",
		    "connect gid:a b psn:1 qpn:2", "a quoted option" },
		{ "connect gid='a b' psn=1 qpn=2",
		    "connect gid:a b psn:1 qpn:2", "a quoted value" },
		{ "rights none", "rights {none}", "rights of a verb" },
		{ "rights 0xf",
		    "rights "
		    "{local_write,remote_read,remote_write,remote_atomic}",
		    "as a number" },
		{ "rights local_read", "rights {none}", "has no bit (M2)" },
	};
	struct cmd cmd;
	struct err e;

	for (size_t i = 0; i < NELEM(cases); i++) {
		struct text t = { 0 };
		const char *line = cases[i].line;

		is_int(cmd_parse(&cmd, verbs, NULL, line, strlen(line), &e), 0,
		    "%s: '%s'", cases[i].why, line);
		ok(cmd.parsed, "%s: parsed", cases[i].why);
		describe(&cmd, &t);
		is_str(t.buf, cases[i].want, "%s: the meaning", cases[i].why);
		text_fini(&t);
		cmd_fini(&cmd);
	}
}

/* The most words, the longest word, and one more. */
static void
test_bounds(void)
{
	char line[CMD_LINE];
	struct text t = { 0 }, want = { 0 };
	struct cmd cmd;
	struct err e;

	text_puts(&t, "rights");
	for (unsigned i = 1; i < CMD_WORDS; i++)
		text_puts(&t, " mw_bind");
	is_int(cmd_parse(&cmd, verbs, NULL, t.buf, t.len, &e), 0, "64 words");
	cmd_fini(&cmd);
	text_add(&want, t.buf, t.len);
	text_printf(&want, " ...\n%*s^\n", (int)t.len + 1, "");
	text_puts(&t, " 12");
	is_int(cmd_parse(&cmd, verbs, NULL, t.buf, t.len, &e), -EINVAL,
	    "65 words");
	is_str(e.text, "over 64 words", "65 words: the reason");
	text_reset(&t);
	cmd_blame(&cmd, &e, &t);
	is_str(t.buf, want.buf, "65 words: the caret");
	cmd_fini(&cmd);

	memset(line, 'x', sizeof(line));
	memcpy(line, "type ", 5);
	is_int(cmd_parse(&cmd, verbs, NULL, line, sizeof(line), &e), 0,
	    "a word of 4090 bytes");
	is_int((long)strlen(cmd_str(&cmd, "type")), CMD_LINE - 5,
	    "and nothing of it is lost");
	cmd_fini(&cmd);

	for (size_t i = 0; i < sizeof(line); i++)
		line[i] = i % 2 == 0 ? 'x' : ' ';
	is_int(cmd_parse(&cmd, verbs, NULL, line, sizeof(line), &e), -EINVAL,
	    "2048 words");
	cmd_fini(&cmd);
	text_fini(&want);
	text_fini(&t);
}

static void
test_values(void)
{
	static const char line[] = "bind buf 4K 8K tag=7 qp=q";
	static const char key[] = "write buf 0 4K 0x1000 0x1c2f5a77";
	struct cmd cmd;
	struct err e;

	is_int(cmd_parse(&cmd, verbs, NULL, line, strlen(line), &e), 0, "bind");
	ok(cmd_has(&cmd, "mr") && cmd_has(&cmd, "tag"), "given");
	ok(!cmd_has(&cmd, "m") && !cmd_has(&cmd, "mrs"), "whole names only");
	is_int((long)cmd_num(&cmd, "length", 1), 8192, "a size");
	is_int((long)cmd_num(&cmd, "lid", 5), 5, "otherwise");
	is_str(cmd_str(&cmd, "qp"), "q", "a name");
	ok(cmd_str(&cmd, "gid") == NULL, "no name");
	cmd_fini(&cmd);
	ok(!cmd_has(&cmd, "mr"), "nothing is left");

	is_int(cmd_parse(&cmd, verbs, NULL, key, strlen(key), &e), 0, "write");
	is_int((long)cmd_num(&cmd, "rkey", 0), 0x1c2f5a77, "a key");
	cmd_fini(&cmd);
	ok(memmem(cmd.buf, strlen(key), "1c2f", 4) == NULL, "wiped: its word");
	ok(cmd.args[4].num == 0, "wiped: its value");
}

static void
test_help(void)
{
	struct text t = { 0 };

	verb_usage(&verbs[0], &t);
	is_str(t.buf, USAGE_REG, "usage");
	text_reset(&t);
	verbs_help(verbs, &t);
	is_str(t.buf,
	    "# " USAGE_REG "\n"
	    "# " USAGE_FD "\n"
	    "# " USAGE_BIND "\n"
	    "# " USAGE_CONN "\n"
	    "# " USAGE_WRITE "\n"
	    "# send MR OFFSET LENGTH [imm=N] [invalidate=RKEY]\n"
	    "# type TYPE\n"
	    "# rights RIGHT...\n"
	    "# invalidate\n",
	    "help has a line for each row");
	text_fini(&t);
}

int
main(void)
{
	test_good();
	test_bounds();
	test_values();
	test_help();
	return done_testing();
}
