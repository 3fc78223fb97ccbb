/* SPDX-License-Identifier: MIT */
/* /rdma itself. */
#include <errno.h>
#include <string.h>

#include "events.h"
#include "fs.h"
#include "script.h"
#include "tree.h"

static void
root_status(struct obj *o, struct text *t)
{
	/* The kernel reads and writes data itself where it keeps files. */
	text_printf(t, "active version=" RDMAFS_VERSION " devices=%zu data=%s",
	    o->sets[0].count,
	    o->world->keeper != NULL ? "passthrough" : "direct");
}

static int
get_version(const struct view *v, struct text *t)
{
	(void)v;
	text_puts(t, "rdmafs " RDMAFS_VERSION "\n");
	return 0;
}

static int
get_errors(const struct view *v, struct text *t)
{
	errlog_print(&v->fs->errlog, v->cred->uid, v->cred->uid == 0, t);
	return 0;
}

static int
run_clear(struct call *c)
{
	const char *what = cmd_str(c->cmd, "what");

	if (strcmp(what, "errors") != 0)
		return fail_at(
		    &c->op.err, "what", EINVAL, "only errors can be cleared");
	errlog_clear(&c->fs->errlog, c->cred->uid);
	return 0;
}

static const struct verb root_verbs[] = {
	{ "clear", "what:word", run_clear,
	    "clear errors: forgets one's own lines of errors" },
	{ NULL, NULL, NULL, NULL },
};

static int
get_ctl(const struct view *v, struct text *t)
{
	verbs_help(v->file->verbs, t);
	return 0;
}

static const struct file root_files[] = {
	{ "ctl", .get = get_ctl, .verbs = root_verbs, .mode = 0666,
	    .flags = FILE_FIXED },
	{ "status", .get = get_status, .waits = WAIT_CHANGE,
	    .flags = FILE_DATED },
	{ "version", .get = get_version, .flags = FILE_FIXED },
	EVENTS_FILE,
	{ "list", .more = list_more, .bound = list_bound },
	{ "error", .get = get_error, .flags = FILE_ERROR },
	{ "errors", .get = get_errors, .flags = FILE_UNLOCKED },
	{ "metrics", .more = metrics_more, .bound = metrics_bound,
	    .tree = metrics_tree },
	{ NULL },
};

static const struct dirtype root_dir = {
	.pattern = "",
	.kind = KIND_ROOT,
	.files = root_files,
	.children = KIND_DEV,
};

static const struct dirtype *const root_dirtypes[] = { &root_dir, NULL };

const struct kindinfo root_kind = { "root", root_dirtypes, root_status };
