/* SPDX-License-Identifier: MIT */
/* Changes of objects that stay. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "truth.h"

static const char *const window_names[] = { "w", "window-of-a-long-name" };
static const char *const region_names[] = { "r", "region-of-a-longer-name" };

static void
invalidate(struct truth *t)
{
	put("invalidate\n", "%s/mw/%s/ctl", t->near, t->window);
}

void
change_bind(struct truth *t)
{
	bind_window(t, t->window, "0 4096 remote_write");
	see_window(t, t->window, t->region);
	see_region(t, t->near, t->region);
	judge(t);
	bind_window(t, t->window, "4096 16K remote_read remote_write");
	see_window(t, t->window, t->region);
	judge(t);
}

void
change_invalidate(struct truth *t)
{
	bind_window(t, t->window, "remote_read");
	invalidate(t);
	see_window(t, t->window, NULL);
	see_region(t, t->near, t->region);
	judge(t);
	bind_window(t, t->window, "remote_read");
	put("invalidate\n", "%s/mw/%s/rkey", t->near, t->window);
	see_window(t, t->window, NULL);
	judge(t);
}

void
change_window_rights(struct truth *t)
{
	put("none\n", "%s/mw/%s/rights", t->near, t->window);
	see_window(t, t->window, NULL);
	judge(t);
	bind_window(t, t->window, "remote_read");
	put("+remote_write\n", "%s/mw/%s/rights", t->near, t->window);
	see_window(t, t->window, t->region);
	judge(t);
	invalidate(t);
}

void
change_rereg(struct truth *t)
{
	put("rereg remote_read\n", "%s/mr/s/ctl", t->near);
	see_region(t, t->near, "s");
	judge(t);
	put("local_write remote_write mw_bind\n", "%s/mr/s/rights", t->near);
	see_region(t, t->near, "s");
	judge(t);
}

void
change_move(struct truth *t)
{
	char line[200];

	snprintf(
	    line, sizeof(line), "rereg pd=%s\n", strrchr(t->other, '/') + 1);
	put(line, "%s/mr/s/ctl", t->near);
	see_there(t, false, "%s/mr/s", t->near);
	see_there(t, true, "%s/mr/s", t->other);
	see_region(t, t->other, "s");
	see_all(t, PD, "%s", t->near);
	see_all(t, PD, "%s", t->other);
	judge(t);
	snprintf(
	    line, sizeof(line), "rereg pd=%s\n", strrchr(t->near, '/') + 1);
	put(line, "%s/mr/s/ctl", t->other);
	see_there(t, true, "%s/mr/s", t->near);
	see_there(t, false, "%s/mr/s", t->other);
	see_region(t, t->near, "s");
	judge(t);
}

void
change_reg(struct truth *t)
{
	put("dereg\n", "%s/mr/s/ctl", t->near);
	see_region(t, t->near, "s");
	judge(t);
	put(t->round % 2 ? "reg 4K local_write\n" : "reg 64K\n", "%s/mr/s/ctl",
	    t->near);
	see_region(t, t->near, "s");
	judge(t);
}

static void
set_mode(struct truth *t, mode_t mode, const char *file)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/mw/%s%s", t->near, t->window, file);
	if (chmod(path, mode) < 0)
		err(2, "chmod %s", path);
	see_mode(t, mode, "%s", path);
	see(t, "%s/mw/%s", t->near, t->window);
	judge(t);
}

void
change_mode(struct truth *t)
{
	set_mode(t, 0640, "/rkey");
	set_mode(t, 0711, "");
	set_mode(t, 0600, "/rkey");
	set_mode(t, 0755, "");
}

static void
set_group(struct truth *t, gid_t gid)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/mw/%s", t->near, t->window);
	if (chown(path, (uid_t)-1, gid) < 0)
		err(2, "chgrp %s", path);
	see_group(t, gid, "%s", path);
	see_group(t, gid, "%s/rkey", path);
	see_group(t, gid, "%s/status", path);
	see_all(t, WINDOW, "%s", path);
	judge(t);
}

void
change_group(struct truth *t)
{
	if (geteuid() != 0)
		return;
	set_group(t, 12);
	set_group(t, 0);
}

static void
move(const char *dir, const char *from, const char *to)
{
	char old[256], new[256];

	snprintf(old, sizeof(old), "%s/%s", dir, from);
	snprintf(new, sizeof(new), "%s/%s", dir, to);
	if (rename(old, new) < 0)
		err(2, "mv %s %s", old, new);
}

void
change_window_name(struct truth *t)
{
	const char *was = t->window;
	char dir[160];

	bind_window(t, was, "remote_read");
	snprintf(dir, sizeof(dir), "%s/mw", t->near);
	t->window = window_names[strcmp(was, window_names[0]) == 0];
	move(dir, was, t->window);
	see_there(t, false, "%s/%s", dir, was);
	see_there(t, true, "%s/%s", dir, t->window);
	see_window(t, t->window, t->region);
	see_region(t, t->near, t->region);
	see_all(t, PD, "%s", t->near);
	judge(t);
	invalidate(t);
}

void
change_region_name(struct truth *t)
{
	const char *was = t->region;
	char dir[160];

	bind_window(t, t->window, "remote_read");
	snprintf(dir, sizeof(dir), "%s/mr", t->near);
	t->region = region_names[strcmp(was, region_names[0]) == 0];
	move(dir, was, t->region);
	see_there(t, false, "%s/%s", dir, was);
	see_there(t, true, "%s/%s", dir, t->region);
	see_window(t, t->window, t->region);
	see_region(t, t->near, t->region);
	judge(t);
	invalidate(t);
}

void
change_refused(struct truth *t)
{
	refused("bind nosuch\n", "%s/mw/%s/ctl", t->near, t->window);
	see_window(t, t->window, NULL);
	judge(t);
	put("remote_read\n", "%s/mw/%s/rights", t->near, t->window);
	see_window(t, t->window, NULL);
	judge(t);
}
