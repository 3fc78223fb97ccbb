/* SPDX-License-Identifier: MIT */
/*
 * The changes that truth.c makes, and what each of them has to show.  In the
 * near domain are a region r and a window w, whose names are of two lengths in
 * turn, a window v (type 2, over q), and a region s without windows; the far
 * domain has the peer of q.
 */
#include <stdio.h>

#include "truth.h"

void
see_window(struct truth *t, const char *name, const char *region)
{
	char target[128];

	see_all(t, WINDOW, "%s/mw/%s", t->near, name);
	see(t, "%s/mw/%s", t->near, name);
	snprintf(target, sizeof(target), "../../mr/%s",
	    region != NULL ? region : "");
	see_link(
	    t, region != NULL ? target : NULL, "%s/mw/%s/mr", t->near, name);
}

void
see_region(struct truth *t, const char *dir, const char *name)
{
	see_all(t, REGION, "%s/mr/%s", dir, name);
	see(t, "%s/mr/%s", dir, name);
}

void
bind_window(struct truth *t, const char *window, const char *how)
{
	char line[200];

	snprintf(line, sizeof(line), "bind %s %s\n", t->region, how);
	put(line, "%s/mw/%s/ctl", t->near, window);
}

static const struct {
	const char *name;
	void (*run)(struct truth *t);
} changes[] = {
	{ "bind", change_bind },
	{ "invalidate", change_invalidate },
	{ "rights of a window", change_window_rights },
	{ "rereg", change_rereg },
	{ "rereg pd=", change_move },
	{ "reg and dereg", change_reg },
	{ "chmod", change_mode },
	{ "chgrp", change_group },
	{ "rename of a window", change_window_name },
	{ "rename of a region", change_region_name },
	{ "mkdir, rmdir and destroy", change_life },
	{ "destroy of a region", change_region_end },
	{ "clone", change_clone },
	{ "invalidation by the peer", change_by_peer },
	{ "a refused command", change_refused },
	{ "queue pair", change_qp },
	{ "invalidate of a domain", change_all_invalid },
	{ "destroy of a domain", change_domain },
};

void
changes_prepare(struct truth *t)
{
	t->window = "w";
	t->region = "r";
	make("%s", t->near);
	make("%s", t->far);
	make("%s", t->other);
	make("%s/mr/r", t->near);
	put("reg 64K local_write mw_bind\n", "%s/mr/r/ctl", t->near);
	make("%s/mr/s", t->near);
	put("reg 4K\n", "%s/mr/s/ctl", t->near);
	make("%s/mr/r", t->far);
	put("reg 4K local_write\n", "%s/mr/r/ctl", t->far);
	make("%s/mw/w", t->near);
	make("%s/mw/v", t->near);
	put("type 2\n", "%s/mw/v/ctl", t->near);
	make("%s/qp/q", t->near);
	make("%s/qp/q", t->far);
	join(t->near, t->far);
	join(t->far, t->near);
}

void
changes_run(struct truth *t)
{
	size_t i;

	t->round++;
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		t->what = changes[i].name;
		t->change = i;
		changes[i].run(t);
	}
}
