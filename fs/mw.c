/* SPDX-License-Identifier: MIT */
/* mw/<mw>/: memory windows. */
#include <errno.h>

#include "events.h"
#include "script.h"
#include "shown.h"
#include "tree.h"

static const struct mw *
window(const struct view *v)
{
	return mw_of(v->o);
}

static void
mw_status(struct obj *o, struct text *t)
{
	struct mw_shown s;

	mw_show(mw_of(o), &s);
	text_puts(t, s.bound ? "bound" : "unbound");
	mw_shown_words(&s, t);
}

static int
get_rights(const struct view *v, struct text *t)
{
	text_rights(t, window(v)->bound.rights, ' ');
	text_puts(t, "\n");
	return 0;
}

static int
get_rkey(const struct view *v, struct text *t)
{
	return window(v)->mr != NULL ? get_key(t, window(v)->rkey.value)
				     : -ENODATA;
}

static int
get_type(const struct view *v, struct text *t)
{
	return get_number(t, window(v)->type);
}

static int
get_addr(const struct view *v, struct text *t)
{
	if (window(v)->mr == NULL)
		return -ENODATA;
	return get_address(t, mw_addr(window(v)));
}

static int
get_length(const struct view *v, struct text *t)
{
	if (window(v)->mr == NULL)
		return -ENODATA;
	return get_number(t, window(v)->bound.length);
}

static int
get_mr(const struct view *v, struct text *t)
{
	if (window(v)->mr == NULL)
		return -ENODATA;
	text_printf(t, "../../mr/%s", window(v)->mr->o.name);
	return 0;
}

static int
get_ctl(const struct view *v, struct text *t)
{
	const struct mw *mw = window(v);

	if (mw->type != MW_TYPE_1)
		text_printf(t, "type %u\n", mw->type);
	if (mw->mr != NULL) {
		text_puts(t, "bind ");
		text_word(t, mw->mr->o.name);
		text_printf(t, " %llu %llu ",
		    (unsigned long long)mw->bound.offset,
		    (unsigned long long)mw->bound.length);
		text_rights(t, mw->bound.rights, ' ');
		if (mw->qp != NULL) {
			text_puts(t, " qp=");
			text_word(t, mw->qp->o.name);
		}
		text_puts(t, "\n");
	} else if (mw->bound.rights != 0) {
		text_puts(t, "rights ");
		text_rights(t, mw->bound.rights, ' ');
		text_puts(t, "\n");
	}
	verbs_help(v->file->verbs, t);
	return 0;
}

static int
run_type(struct call *c)
{
	uint64_t type = cmd_num(c->cmd, "type", 0);

	if (type != MW_TYPE_1 && type != MW_TYPE_2)
		return fail_at(
		    &c->op.err, "type", EINVAL, "the type is 1 or 2 (W1)");
	return mw_type(&c->op, (enum mw_type)type);
}

/* Without OFFSET and LENGTH the whole region. */
static void
bind_range(const struct call *c, const struct mr *mr, struct bind_args *a)
{
	struct world *w = c->op.obj->world;

	a->offset = cmd_num(c->cmd, "offset", 0);
	if (cmd_has(c->cmd, "length")) {
		a->length = cmd_num(c->cmd, "length", 0);
		return;
	}
	world_lock(w);
	/* Never 0 by accident: that would unbind (W7). */
	a->length = mr->active ? mr->mem.length : 1;
	world_unlock(w);
}

static int
bind_tag(struct call *c, struct bind_args *a)
{
	uint64_t tag = cmd_num(c->cmd, "tag", 0);

	if (!cmd_has(c->cmd, "tag"))
		return 0;
	if (tag > UINT8_MAX)
		return fail_at(&c->op.err, "tag", EINVAL,
		    "a tag is the low 8 bits of the key, 0 to 255 (W8)");
	a->tag = (uint16_t)(TAG_CHOSEN | tag);
	return 0;
}

static int
run_bind(struct call *c)
{
	struct mw *mw = mw_of(c->op.obj);
	struct bind_args a = { .tag = 0 };
	struct qp *qp = NULL;
	struct mr *mr;
	int r;

	if ((r = call_rights(c, mw->bound.rights, &a.rights)) < 0 ||
	    (r = bind_tag(c, &a)) < 0)
		return r;
	if (cmd_has(c->cmd, "qp") &&
	    (qp = call_qp(c, cmd_str(c->cmd, "qp"))) == NULL)
		return -c->op.err.code;
	mr = call_region(c, cmd_str(c->cmd, "mr"), rights_want(a.rights));
	r = -c->op.err.code;
	if (mr != NULL) {
		bind_range(c, mr, &a);
		r = mw_bind(&c->op, mr, qp, &a);
		obj_unref(&mr->o);
	}
	if (qp != NULL)
		obj_unref(&qp->o);
	return r;
}

static int
run_rights(struct call *c)
{
	struct mw *mw = mw_of(c->op.obj);
	uint32_t rights = rights_apply(&c->cmd->rights, mw->bound.rights);
	int r;

	/* A bound window's new rights are a new bind: the same authority. */
	if (mw->mr != NULL &&
	    (r = call_may_use(c, mw->mr, rights_want(rights))) < 0)
		return r;
	return mw_rights(&c->op, rights);
}

static int
run_invalidate(struct call *c)
{
	return mw_invalidate(&c->op);
}

static int
run_destroy(struct call *c)
{
	return mw_destroy(&c->op);
}

static const struct verb mw_verbs[] = {
	{ "type", "type:num", run_type, "1 or 2, before the first bind" },
	{ "bind",
	    "mr:name [offset:size length:size] [rights...] [qp=name] [tag=num]",
	    run_bind, "ibv_bind_mw: opens part of a region with a new key",
	    true },
	{ "rights", "rights+num...", run_rights,
	    "kept for bind, or a new bind when bound" },
	{ "invalidate", "", run_invalidate, "the key dies, the window stays",
	    true },
	{ "destroy", "", run_destroy, "ibv_dealloc_mw" },
	{ "keep", "", run_keep, "of a clone: stays when its holder closes" },
	{ NULL, NULL, NULL, NULL },
};

static const struct verb rights_verbs[] = {
	{ "rights", "rights+num...", run_rights, "as the verb rights of ctl" },
	{ NULL, NULL, NULL, NULL },
};

static const struct verb rkey_verbs[] = {
	{ "invalidate", "", run_invalidate, "as the verb of ctl" },
	{ NULL, NULL, NULL, NULL },
};

static const struct file mw_files[] = {
	{ "ctl", .get = get_ctl, .verbs = mw_verbs, .mode = 0600,
	    .flags = FILE_SECRET },
	{ "status", .get = get_status, .waits = WAIT_CHANGE,
	    .flags = FILE_DATED },
	{ "error", .get = get_error, .flags = FILE_ERROR | FILE_SECRET },
	EVENTS_FILE,
	{ "rights", .get = get_rights, .verbs = rights_verbs,
	    .implied = "rights" },
	{ "rkey", .get = get_rkey, .verbs = rkey_verbs, .mode = 0600,
	    .flags = FILE_SECRET },
	{ "type", .get = get_type, .flags = FILE_FIXED },
	{ "addr", .get = get_addr, .mode = 0400, .flags = FILE_SECRET },
	{ "length", .get = get_length },
	{ "mr", .get = get_mr, .type = FILE_LINK, .mode = 0777 },
	{ NULL },
};

static const struct dirtype mw_dir = {
	.pattern = "/<dev>/pd/<pd>/mw/<mw>",
	.kind = KIND_MW,
	.files = mw_files,
	.children = -1,
};

static const struct dirtype *const mw_dirtypes[] = { &mw_dir, NULL };

const struct kindinfo mw_kind = { "mw", mw_dirtypes, mw_status };
