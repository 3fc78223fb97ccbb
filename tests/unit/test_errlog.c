/* SPDX-License-Identifier: MIT */
/* fs/errlog: the last refusals of each user, and who sees them. */
#include <stdio.h>
#include <string.h>

#include "errlog.h"
#include "tap.h"

static struct errlog l;

static unsigned
lines(uid_t uid, bool all, const char *part, const char * not, const char *why)
{
	struct text t = { 0 };
	unsigned n = 0;
	const char *s;

	errlog_print(&l, uid, all, &t);
	for (s = t.buf; s != NULL && (s = strchr(s, '\n')) != NULL; s++)
		n++;
	if (part != NULL)
		has_str(t.buf, part, "%s: its text", why);
	if (not != NULL)
		ok(t.buf == NULL || strstr(t.buf, not ) == NULL, "%s: only",
		    why);
	text_fini(&t);
	return n;
}

static void
test_whose(void)
{
	errlog_init(&l);
	is_int(lines(7, false, NULL, NULL, ""), 0, "nothing at first");
	errlog_add(&l, 7, 70, "soft0/pd/a/ctl", "EINVAL: of seven");
	errlog_add(&l, 8, 80, "soft0/pd/b/ctl", "EBUSY: of eight");
	is_int(lines(7, false, "uid=7 pid=70 soft0/pd/a/ctl EINVAL: of seven\n",
		   "eight", "seven's"),
	    1, "one's own");
	is_int(lines(8, false, "of eight", "seven", "eight's"), 1, "another's");
	is_int(lines(0, true, "of seven", NULL, "all"), 2, "all");
	is_int(lines(9, false, NULL, NULL, ""), 0, "of one without any");
	errlog_clear(&l, 7);
	is_int(lines(7, false, NULL, NULL, ""), 0, "cleared");
	is_int(lines(0, true, "of eight", "seven", "the rest"), 1, "one left");
	errlog_clear(&l, 7);
	errlog_fini(&l);
}

static void
test_ring(void)
{
	char text[32];
	unsigned i;

	errlog_init(&l);
	for (i = 1; i <= ERRLOG_KEPT + 6; i++) {
		(void)snprintf(text, sizeof(text), "EIO: number %u.", i);
		errlog_add(&l, 1, 1, "p", text);
	}
	is_int(lines(1, false, "number 70.", "number 6.", "the newest"),
	    ERRLOG_KEPT, "no more than are kept");
	is_int(lines(1, false, "number 7.", NULL, "the oldest"), ERRLOG_KEPT,
	    "no fewer");
	errlog_fini(&l);
}

static void
test_safe(void)
{
	errlog_init(&l);
	errlog_add(&l, 1, 1, "a\nb", "EIO: \033[2J");
	is_int(lines(1, false, "a\\nb EIO: \\^[[2J", "\033", "encoded"), 1,
	    "one line, no harm to a terminal");
	errlog_fini(&l);
}

int
main(void)
{
	test_whose();
	test_ring();
	test_safe();
	return done_testing();
}
