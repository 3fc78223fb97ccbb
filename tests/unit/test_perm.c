/* SPDX-License-Identifier: MIT */
/* fs/perm: credentials against owners and modes. */
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"
#include "tree.h"

static gid_t groups[] = { 50, 60 };

static const struct cred root = { .uid = 0 };
static const struct cred user = { .uid = 7, .gid = 70 };
static const struct cred member = { .uid = 7, .gid = 70, 2, groups };

static void
test_may(void)
{
	static const struct {
		const struct cred *c;
		struct owner o;
		int want;
		bool may;
		const char *why;
	} tab[] = {
		{ &root, { 7, 7, 0 }, R_OK | W_OK | X_OK, true, "root may" },
		{ &user, { 7, 0, 0700 }, R_OK | W_OK | X_OK, true, "owner" },
		{ &user, { 7, 70, 0077 }, R_OK, false, "owner's bits decide" },
		{ &user, { 1, 70, 0040 }, R_OK, true, "the first group" },
		{ &user, { 1, 70, 0040 }, W_OK, false, "not more than that" },
		{ &user, { 1, 70, 0707 }, R_OK, false, "group's bits decide" },
		{ &user, { 1, 60, 0060 }, R_OK, false, "no member" },
		{ &member, { 1, 60, 0060 }, R_OK | W_OK, true, "a member" },
		{ &member, { 1, 61, 0060 }, R_OK, false, "of another group" },
		{ &user, { 1, 1, 0004 }, R_OK, true, "the world" },
		{ &user, { 1, 1, 0004 }, R_OK | W_OK, false,
		    "both or nothing" },
		{ &user, { 1, 1, 0 }, 0, true, "nothing is asked" },
	};
	size_t i;

	for (i = 0; i < NELEM(tab); i++)
		is_int(cred_may(tab[i].c, &tab[i].o, tab[i].want), tab[i].may,
		    "%s", tab[i].why);
}

static void
test_take(void)
{
	gid_t mine[256];
	int n = getgroups((int)NELEM(mine), mine);
	struct cred c;

	is_int(cred_take(&c, 0, 0, getpid()), 0, "root's are not read");
	is_int(c.ngroups, 0, "it needs none");
	cred_fini(&c);
	is_int(cred_take(&c, 7, 70, getpid()), 0, "a user's are");
	is_int(c.ngroups, n, "all of them");
	cred_fini(&c);
	is_int(cred_take(&c, 7, 70, 0), 0, "of another pid namespace");
	is_int(c.ngroups, 0, "none");
	cred_fini(&c);
	is_int(cred_take(&c, 7, 70, 0x7ffffff0), 0, "of a process that ended");
	is_int(c.ngroups, 0, "none");
	cred_fini(&c);
}

int
main(void)
{
	test_may();
	test_take();
	return done_testing();
}
