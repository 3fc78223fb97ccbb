/* SPDX-License-Identifier: MIT */
/* pd/<pd>/ and its mr/, mw/ and qp/: protection domains. */
#include "batch.h"
#include "events.h"
#include "script.h"
#include "tree.h"

static void
pd_status(struct obj *o, struct text *t)
{
	text_printf(t, "active mr=%zu mw=%zu qp=%zu",
	    obj_set(o, KIND_MR)->count, obj_set(o, KIND_MW)->count,
	    obj_set(o, KIND_QP)->count);
}

static int
get_ctl(const struct view *v, struct text *t)
{
	text_puts(t, "# a protection domain has no settings\n");
	verbs_help(v->file->verbs, t);
	return 0;
}

static int
run_destroy(struct call *c)
{
	return pd_destroy(&c->op, true);
}

static int
run_invalidate(struct call *c)
{
	return pd_invalidate(&c->op);
}

static const struct verb pd_verbs[] = {
	{ "invalidate", "", run_invalidate,
	    "the keys of all windows in it die, the windows stay" },
	{ "destroy", "", run_destroy,
	    "ibv_dealloc_pd, after all that is in it" },
	{ "keep", "", run_keep, "of a clone: stays when its holder closes" },
	{ NULL, NULL, NULL, NULL },
};

static const struct dirtype mrs_dir = {
	.name = "mr",
	.pattern = "/<dev>/pd/<pd>/mr",
	.kind = KIND_PD,
	.number = 1,
	.files = clone_files,
	.children = KIND_MR,
};

static const struct dirtype mws_dir = {
	.name = "mw",
	.pattern = "/<dev>/pd/<pd>/mw",
	.kind = KIND_PD,
	.number = 2,
	.files = clone_files,
	.children = KIND_MW,
};

static const struct dirtype qps_dir = {
	.name = "qp",
	.pattern = "/<dev>/pd/<pd>/qp",
	.kind = KIND_PD,
	.number = 3,
	.files = clone_files,
	.children = KIND_QP,
};

static const struct file pd_files[] = {
	{ "ctl", .get = get_ctl, .verbs = pd_verbs, .mode = 0600,
	    .flags = FILE_SECRET | FILE_FIXED },
	{ "status", .get = get_status, .waits = WAIT_CHANGE,
	    .flags = FILE_DATED },
	{ "error", .get = get_error, .flags = FILE_ERROR | FILE_SECRET },
	EVENTS_FILE,
	{ "list", .more = list_more, .bound = list_bound },
	BATCH_FILE,
	{ NULL },
};

static const struct dirtype *const pd_dirs[] = { &mrs_dir, &mws_dir, &qps_dir,
	NULL };

static const struct dirtype pd_dir = {
	.pattern = "/<dev>/pd/<pd>",
	.kind = KIND_PD,
	.files = pd_files,
	.dirs = pd_dirs,
	.children = -1,
};

static const struct dirtype *const pd_dirtypes[] = { &pd_dir, &mrs_dir,
	&mws_dir, &qps_dir, NULL };

const struct kindinfo pd_kind = { "pd", pd_dirtypes, pd_status };
