/* SPDX-License-Identifier: MIT */
/*
 * Command lines that are refused, by the parser and by whoever runs them: the
 * reason, the line as it is shown, its caret, and what is masked in it.
 */
#include <errno.h>
#include <string.h>

#include "sample.h"
#include "tap.h"

/* A line that is refused: the reason, and the line with its caret. */
static const struct refusal {
	const char *line, *reason, *shown;
} refusals[] = {
	/* verbs */
	{ "bnd buf", "unknown verb; there are: " VERBS,
	    "bnd buf\n"
	    "^\n" },
	{ "  0x12345678", "unknown verb; there are: " VERBS,
	    "***\n"
	    "^\n" },
	{ "''", "unknown verb; there are: " VERBS,
	    "''\n"
	    "^\n" },

	/* missing */
	{ "reg", "LENGTH is missing: " USAGE_REG,
	    "reg\n"
	    "    ^\n" },
	{ "reg remote_read", "LENGTH: " NOT_SIZE,
	    "reg remote_read\n"
	    "    ^\n" },
	{ "reg iova=0x1000", "LENGTH is missing: " USAGE_REG,
	    "reg iova=***\n"
	    "             ^\n" },
	{ "bind", "MR is missing: " USAGE_BIND,
	    "bind\n"
	    "     ^\n" },
	{ "bind buf 4K", "LENGTH is missing: " USAGE_BIND,
	    "bind buf ***\n"
	    "             ^\n" },
	{ "bind buf 4K remote_read", "LENGTH: " NOT_SIZE,
	    "bind buf *** remote_read\n"
	    "             ^\n" },
	{ "connect qpn=1 gid=fe80::1", "psn=N is missing: " USAGE_CONN,
	    "connect qpn=*** gid=***::***\n"
	    "                             ^\n" },
	{ "connect", "qpn=N is missing: " USAGE_CONN,
	    "connect\n"
	    "        ^\n" },
	{ "rights", "RIGHT... is missing: rights RIGHT...",
	    "rights\n"
	    "       ^\n" },
	{ "rights ,", "RIGHT... is missing: rights RIGHT...",
	    "rights ,\n"
	    "         ^\n" },

	/* superfluous */
	{ "invalidate now", "a word too many: invalidate",
	    "invalidate now\n"
	    "           ^\n" },
	{ "type rc 1 2", "a word too many: type TYPE",
	    "type rc *** ***\n"
	    "        ^\n" },
	{ "write a 0 1 2 3 4", "a word too many: " USAGE_WRITE,
	    "write a *** *** *** *** ***\n"
	    "                        ^\n" },

	/* options */
	{ "bind buf foo=1", "no such option; there are: qp=NAME tag=N",
	    "bind buf foo=***\n"
	    "         ^\n" },
	{ "reg 4K offset=1", "no such option; there are: iova=ADDR huge=SIZE",
	    "reg *** offset=***\n"
	    "        ^\n" },
	{ "reg fd=1 iova=1",
	    "no such option; there are: fd=N offset=SIZE length=SIZE",
	    "reg fd=*** iova=***\n"
	    "           ^\n" },
	{ "invalidate now=1", "no option is taken here: invalidate",
	    "invalidate now=***\n"
	    "           ^\n" },
	{ "bind buf tag=1 tag=1", "tag=N is given twice: " USAGE_BIND,
	    "bind buf tag=*** tag=***\n"
	    "                 ^\n" },
	{ "reg fd=1 fd=1", "fd=N is given twice: " USAGE_FD,
	    "reg fd=*** fd=***\n"
	    "           ^\n" },
	{ "bind buf tag=x", "tag=N: " NOT_NUMBER,
	    "bind buf tag=x\n"
	    "         ^\n" },
	{ "bind buf tag=", "tag=N: " NOT_NUMBER,
	    "bind buf tag=\n"
	    "         ^\n" },
	{ "bind buf qp=", "qp=NAME: " NOT_NAME,
	    "bind buf qp=\n"
	    "         ^\n" },
	{ "bind buf qp=../q", "qp=NAME: " NOT_NAME,
	    "bind buf qp=../q\n"
	    "         ^\n" },

	/* values */
	{ "reg 64Q", "LENGTH: " NOT_SIZE,
	    "reg ***\n"
	    "    ^\n" },
	{ "reg -1", "LENGTH: " NOT_SIZE,
	    "reg ***\n"
	    "    ^\n" },
	{ "reg ''", "LENGTH: " NOT_SIZE,
	    "reg ''\n"
	    "    ^\n" },
	{ "reg 16777216T", "LENGTH: out of range: at most 18446744073709551615",
	    "reg ***\n"
	    "    ^\n" },
	{ "bind buf -1 4K", "OFFSET: " NOT_SIZE,
	    "bind buf *** ***\n"
	    "         ^\n" },
	{ "bind a/b", "MR: " NOT_NAME,
	    "bind a/b\n"
	    "     ^\n" },
	{ "bind 'a b' 4K", "MR: " NOT_NAME,
	    "bind 'a b' ***\n"
	    "     ^\n" },
	{ "bind "
	  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	    "MR: a name has at most 64 characters",
	    "bind "
	    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	    "\n"
	    "     ^\n" },

	/* rights */
	{ "bind buf red", NO_RIGHT,
	    "bind buf red\n"
	    "         ^\n" },
	{ "bind buf remote_read red", NO_RIGHT,
	    "bind buf remote_read red\n"
	    "                     ^\n" },
	{ "bind buf remote_read,12", NO_RIGHT,
	    "bind buf remote_read,***\n"
	    "         ^\n" },
	{ "reg 4K 0xf", NO_RIGHT,
	    "reg *** ***\n"
	    "        ^\n" },
	{ "rights none mw_bind", "none or a number stands alone",
	    "rights none mw_bind\n"
	    "            ^\n" },
	{ "rights +mw_bind\tremote_read",
	    "a list either replaces all rights or changes some with + and -",
	    "rights +mw_bind remote_read\n"
	    "                ^\n" },

	/* quotes */
	{ "type 'abc", "a quote is not closed",
	    "type 'abc\n"
	    "     ^\n" },
	{ "type  a'b 12 c", "a quote is not closed",
	    "type 'ab *** c\n"
	    "     ^\n" },
	{ "'", "a quote is not closed",
	    "'\n"
	    "^\n" },
	{ "type 'it''s", "a quote is not closed",
	    "type 'it's\n"
	    "     ^\n" },
	{ "bind 'it''s' x=1", "MR: " NOT_NAME,
	    "bind 'it''s' x=***\n"
	    "     ^\n" },

	/* what a terminal may take amiss; columns of what is shown */
	{ "bind a\033[2Jb x=1", "MR: " NOT_NAME,
	    "bind a\\^[[*** x=***\n"
	    "     ^\n" },
	{ "bind buf 'a\tb' x=1", NO_RIGHT,
	    "bind buf 'a\\tb' x=***\n"
	    "         ^\n" },
	{ "reg 1 \303\251 x", NO_RIGHT,
	    "reg *** \\M-C\\M-) x\n"
	    "        ^\n" },
	{ "type a\\\001 b", "a word too many: type TYPE",
	    "type a\\\\\\^A b\n"
	    "            ^\n" },

	/* keys, and what may be one */
	{ "write buf 0 4K 0x1000 0x1c2f5a77 x", "a word too many: " USAGE_WRITE,
	    "write buf *** *** *** *** x\n"
	    "                          ^\n" },
	{ "write buf 0 4K 0x1000 secret", "RKEY: " NOT_NUMBER,
	    "write buf *** *** *** ***\n"
	    "                      ^\n" },
	{ "write buf 0 4K 0x1000 0x11c2f5a77",
	    "RKEY: out of range: at most 4294967295",
	    "write buf *** *** *** ***\n"
	    "                      ^\n" },
	{ "write buf 0 4Q 0x1000 secret", "LENGTH: " NOT_SIZE,
	    "write buf *** *** *** ***\n"
	    "              ^\n" },
	{ "write buf 0 4K 1c2f5a77", "ADDR: " NOT_NUMBER,
	    "write buf *** *** ***\n"
	    "                  ^\n" },
	{ "write buf 0 4K beef5a77", "ADDR: " NOT_NUMBER,
	    "write buf *** *** ***\n"
	    "                  ^\n" },
	{ "send buf 0 4K invalidate=secret", "invalidate=RKEY: " NOT_NUMBER,
	    "send buf *** *** invalidate=***\n"
	    "                 ^\n" },
	{ "send buf 0 4K invalidate=1 invalidate=secret",
	    "invalidate=RKEY is given twice: "
	    "send MR OFFSET LENGTH [imm=N] [invalidate=RKEY]",
	    "send buf *** *** invalidate=*** invalidate=***\n"
	    "                                ^\n" },
	{ "send buf '0x1c2f5a77 -12' +12 w-17 w17", "OFFSET: " NOT_SIZE,
	    "send buf '*** ***' *** w-17 w17\n"
	    "         ^\n" },
	{ "x (0x1c2f5a77) rkey:0x1c2f5a77 .0x1c2f5a77 1,beef",
	    "unknown verb; there are: " VERBS,
	    "x (***) rkey:*** *** ***,***\n"
	    "^\n" },
};

static void
test_refusals(void)
{
	const struct refusal *c;

	for (c = refusals; c < refusals + NELEM(refusals); c++) {
		struct cmd cmd;
		struct err e = { .arg = "stale" };
		struct text t = { 0 }, name = { 0 };

		text_vis(&name, c->line, strlen(c->line));
		is_int(
		    cmd_parse(&cmd, verbs, NULL, c->line, strlen(c->line), &e),
		    -EINVAL, "'%s'", name.buf);
		ok(!cmd.parsed && e.code == EINVAL && e.arg == NULL,
		    "'%s': not parsed, the errno, no argument", name.buf);
		is_str(e.text, c->reason, "'%s': the reason", name.buf);
		cmd_blame(&cmd, &e, &t);
		is_str(t.buf, c->shown, "'%s': the caret", name.buf);
		text_fini(&t);
		cmd_fini(&cmd);
		is_int(cmd_parse(
			   &cmd, verbs, NULL, c->line, strlen(c->line), NULL),
		    -EINVAL, "'%s': nobody wants the reason", name.buf);
		cmd_fini(&cmd);
		text_fini(&name);
	}
}

/* The rights file: all words are arguments. */
static void
test_implied(void)
{
	static const struct {
		const char *line, *want, *shown;
	} cases[] = {
		{ "remote_read remote_write",
		    "rights {remote_read,remote_write}", NULL },
		{ " +mw_bind", "rights {+mw_bind -none}", NULL },
		{ "0x3", "rights {local_write,remote_write}", NULL },
		{ "", "nothing", NULL },
		{ "# remote_read", "nothing", NULL },
		{ "rights remote_read", NO_RIGHT,
		    "rights remote_read\n"
		    "^\n" },
		{ "remote_read red", NO_RIGHT,
		    "remote_read red\n"
		    "            ^\n" },
		{ "remote_read 0x3", "a number stands for all of the rights",
		    "remote_read ***\n"
		    "            ^\n" },
		{ "a=1", "no option is taken here: rights RIGHT...",
		    "a=***\n"
		    "^\n" },
		{ ",", "RIGHT... is missing: rights RIGHT...",
		    ",\n"
		    "  ^\n" },
	};

	for (size_t i = 0; i < NELEM(cases); i++) {
		const char *line = cases[i].line;
		struct text t = { 0 };
		struct cmd cmd;
		struct err e;
		int r =
		    cmd_parse(&cmd, verbs, "rights", line, strlen(line), &e);

		is_int(r, cases[i].shown != NULL ? -EINVAL : 0, "'%s'", line);
		ok(cmd.implied, "'%s': implied", line);
		if (r == 0)
			describe(&cmd, &t);
		else
			cmd_blame(&cmd, &e, &t);
		is_str(t.buf, r == 0 ? cases[i].want : cases[i].shown,
		    "'%s': meaning or caret", line);
		if (r < 0)
			is_str(e.text, cases[i].want, "'%s': reason", line);
		text_fini(&t);
		cmd_fini(&cmd);
	}
}

/* A line that parses, and is refused by somebody who blames arg. */
static void
test_blame(void)
{
	static const struct {
		const char *line, *arg;
		bool implied;
		const char *shown;
	} cases[] = {
		{ "bind buf 4K 8K remote_read", "length", false,
		    "bind buf 4K 8K remote_read\n"
		    "            ^\n" },
		{ " bind  buf\t4K 8K", "offset", false,
		    "bind buf 4K 8K\n"
		    "         ^\n" },
		{ "bind buf remote_read tag=3", "tag", false,
		    "bind buf remote_read tag=3\n"
		    "                     ^\n" },
		{ "bind buf", "length", false,
		    "bind buf\n"
		    "^\n" },
		{ "bind buf", NULL, false,
		    "bind buf\n"
		    "^\n" },
		{ "bind buf mw_bind,remote_read remote_write", "remote_write",
		    false,
		    "bind buf mw_bind,remote_read remote_write\n"
		    "                             ^\n" },
		{ "bind buf mw_bind,remote_read remote_write", "remote_read",
		    false,
		    "bind buf mw_bind,remote_read remote_write\n"
		    "         ^\n" },
		{ "bind mw_bind mw_bind", "mw_bind", false,
		    "bind mw_bind mw_bind\n"
		    "             ^\n" },
		{ "rights -mw_bind +remote_read", "remote_read", false,
		    "rights -mw_bind +remote_read\n"
		    "                ^\n" },
		{ "mw_bind remote_read", "remote_read", true,
		    "mw_bind remote_read\n"
		    "        ^\n" },
		{ "mw_bind remote_read", NULL, true,
		    "mw_bind remote_read\n"
		    "^\n" },
		{ "rights mw_bind", "remote_read", false,
		    "rights mw_bind\n"
		    "       ^\n" },
		{ "rights 0x10", "mw_bind", false,
		    "rights 0x10\n"
		    "       ^\n" },
		{ "write buf 0 4K 0x1000 0x1c2f", "addr", false,
		    "write buf 0 4K 0x1000 ***\n"
		    "               ^\n" },
		{ "write buf 0 4K 0x1000 7215", "rkey", false,
		    "write buf 0 4K 0x1000 ***\n"
		    "                      ^\n" },
		{ "send invalidate=0x1c2f buf 0 4K imm=7", "imm", false,
		    "send invalidate=*** buf 0 4K imm=7\n"
		    "                             ^\n" },
		{ "type 'a  b'", "type", false,
		    "type 'a  b'\n"
		    "     ^\n" },
		{ "type 'it''s'", NULL, false,
		    "type 'it''s'\n"
		    "^\n" },
		{ "connect gid='a b' qpn=1 psn=2", "qpn", false,
		    "connect 'gid=a b' qpn=1 psn=2\n"
		    "                  ^\n" },
	};

	for (size_t i = 0; i < NELEM(cases); i++) {
		const char *line = cases[i].line;
		struct text t = { 0 };
		struct cmd cmd;
		struct err e = { 0 };

		is_int(
		    cmd_parse(&cmd, verbs, cases[i].implied ? "rights" : NULL,
			line, strlen(line), &e),
		    0, "'%s'", line);
		(void)fail_at(&e, cases[i].arg, EINVAL, "no");
		cmd_blame(&cmd, &e, &t);
		is_str(t.buf, cases[i].shown, "'%s': the caret", line);
		text_fini(&t);
		cmd_fini(&cmd);
	}
}

int
main(void)
{
	test_refusals();
	test_implied();
	test_blame();
	return done_testing();
}
