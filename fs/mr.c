/* SPDX-License-Identifier: MIT */
/* mr/<mr>/: memory regions. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "events.h"
#include "peer.h"
#include "script.h"
#include "shown.h"
#include "tree.h"

#define WINDOWS_BATCH 64
#define WINDOWS_LINE  512 /* the longest line of `windows` */
#define PAGES_BATCH   256
#define PAGES_LINE    38 /* of `translation`: two addresses, exactly */

static const struct mr *
region(const struct view *v)
{
	return mr_of(v->o);
}

static void
mr_status(struct obj *o, struct text *t)
{
	struct mr_shown s;

	mr_show(mr_of(o), &s);
	text_puts(t, s.active ? "active" : "unregistered");
	mr_shown_words(&s, t);
}

static int
get_rights(const struct view *v, struct text *t)
{
	text_rights(t, region(v)->rights | RIGHT_LOCAL_READ, ' ');
	text_puts(t, "\n");
	return 0;
}

static int
get_lkey(const struct view *v, struct text *t)
{
	return region(v)->active ? get_key(t, region(v)->keys.lkey) : -ENODATA;
}

/* A device may give no rkey to a region without remote rights: 0 (D9). */
static int
get_rkey(const struct view *v, struct text *t)
{
	const struct mr *mr = region(v);

	if (!mr->active || mr->keys.rkey == 0)
		return -ENODATA;
	return get_key(t, mr->keys.rkey);
}

static int
get_addr(const struct view *v, struct text *t)
{
	return region(v)->active ? get_address(t, region(v)->iova) : -ENODATA;
}

static int
get_length(const struct view *v, struct text *t)
{
	if (!region(v)->active)
		return -ENODATA;
	return get_number(t, region(v)->mem.length);
}

static void
ctl_reg(const struct mr *mr, struct text *t)
{
	if (mr->mem.foreign) {
		text_printf(t,
		    "# registered with a descriptor, which cannot be "
		    "repeated: reg fd=N length=%llu",
		    (unsigned long long)mr->mem.length);
	} else {
		text_printf(t, "reg %llu", (unsigned long long)mr->mem.length);
	}
	text_puts(t, " ");
	text_rights(t, mr->rights, ' ');
	if (mr->with_iova)
		text_printf(t, " iova=0x%llx", (unsigned long long)mr->iova);
	if (!mr->mem.foreign && mr->mem.page > 4096)
		text_printf(t, " huge=%llu", (unsigned long long)mr->mem.page);
	text_puts(t, "\n");
}

static int
get_ctl(const struct view *v, struct text *t)
{
	const struct mr *mr = region(v);

	if (mr->active) {
		ctl_reg(mr, t);
	} else if (mr->rights != 0) {
		text_puts(t, "rights ");
		text_rights(t, mr->rights, ' ');
		text_puts(t, "\n");
	}
	verbs_help(v->file->verbs, t);
	return 0;
}

/*
 * windows: those bound to the region, by id.
 */
static int
windows_more(const struct view *v, struct cursor *c, struct text *t)
{
	struct mr *mr = mr_of(v->o);
	struct world *w = v->o->world;
	struct mw key, *mw;
	unsigned i;

	world_lock(w);
	for (i = 0; i < WINDOWS_BATCH; i++) {
		key.o.id = c->id[0] + 1;
		mw = RB_NFIND(mr_windows, &mr->windows, &key);
		if (mw == NULL)
			break;
		c->id[0] = mw->o.id;
		if (cred_reaches(v->cred, &mw->o))
			list_line(&mw->o, mw->o.parent, t);
	}
	world_unlock(w);
	world_give_way(w);
	return mw != NULL;
}

static uint64_t
windows_bound(const struct view *v)
{
	return region(v)->nwindows * (uint64_t)WINDOWS_LINE;
}

/*
 * translation: a line for each page, remote address and physical address.
 */
static int
translation_more(const struct view *v, struct cursor *c, struct text *t)
{
	struct mr *mr = mr_of(v->o);
	struct world *w = v->o->world;
	struct mem mem;
	uint64_t iova, off, pa;
	unsigned i;
	int r;

	world_lock(w);
	mem = mr->mem;
	iova = mr->iova;
	r = mr->active ? 0 : -ENODATA;
	world_unlock(w);
	for (i = 0; r == 0 && i < PAGES_BATCH; i++) {
		/* The first page may begin before the region does. */
		off = c->id[0] == 0
			  ? 0
			  : c->id[0] * mem.page -
				((uintptr_t)mem.addr & (mem.page - 1));
		if (off >= mem.length)
			return 0;
		if ((r = mem_physical(&mem, off, &pa, NULL)) < 0)
			return r;
		text_addr(t, iova + off);
		text_puts(t, " ");
		text_addr(t, pa);
		text_puts(t, "\n");
		c->id[0]++;
	}
	return r < 0 ? r : 1;
}

static int
has_translation(const struct view *v, struct text *t)
{
	uint64_t pa;

	(void)t;
	if (!region(v)->active)
		return -ENODATA;
	return mem_physical(&region(v)->mem, 0, &pa, NULL);
}

static uint64_t
translation_bound(const struct view *v)
{
	const struct mr *mr = region(v);

	return mr->active ? mr->mem.map_size / mr->mem.page * PAGES_LINE : 0;
}

/*
 * Verbs.
 */
static int
run_reg(struct call *c)
{
	const struct cmd *cmd = c->cmd;
	struct mr_reg_args a = {
		.fd = -1,
		.offset = cmd_num(cmd, "offset", 0),
		.length = cmd_num(cmd, "length", 0),
		.page = cmd_num(cmd, "huge", 0),
		.iova = cmd_num(cmd, "iova", 0),
		.with_iova = cmd_has(cmd, "iova"),
	};
	int r;

	if ((r = call_rights(c, mr_of(c->op.obj)->rights, &a.rights)) < 0)
		return r;
	if (cmd_has(cmd, "huge") && a.page == 0)
		return fail_at(
		    &c->op.err, "huge", EINVAL, "a page of zero bytes");
	if (cmd_num(cmd, "fd", 0) > INT_MAX)
		return fail_at(&c->op.err, "fd", EINVAL,
		    "out of range: a descriptor is at most %d", INT_MAX);
	if (cmd_has(cmd, "fd")) {
		if (cmd_has(cmd, "length") && a.length == 0)
			return fail_at(&c->op.err, "length", EINVAL,
			    "length is zero (M5)");
		r = peer_fd(c->pid, (int)cmd_num(cmd, "fd", 0), c->cred->uid,
		    c->cred->gid, &c->op.err);
		if (r < 0)
			return r;
		a.fd = r;
	}
	return mr_reg(&c->op, &a);
}

static int
run_rereg(struct call *c)
{
	uint32_t rights =
	    rights_apply(&c->cmd->rights, mr_of(c->op.obj)->rights);
	struct pd *pd = NULL;
	int r;

	if (cmd_has(c->cmd, "pd") &&
	    (pd = call_domain(c, cmd_str(c->cmd, "pd"))) == NULL)
		return -c->op.err.code;
	r = mr_rereg(&c->op, rights, pd);
	if (pd != NULL)
		obj_unref(&pd->o);
	return r;
}

static int
run_rights(struct call *c)
{
	return mr_rights(
	    &c->op, rights_apply(&c->cmd->rights, mr_of(c->op.obj)->rights));
}

static int
run_dereg(struct call *c)
{
	return mr_dereg(&c->op);
}

static int
run_destroy(struct call *c)
{
	return mr_destroy(&c->op, true);
}

static const struct verb mr_verbs[] = {
	{ "reg", "length:size [rights...] [iova=addr] [huge=size]", run_reg,
	    "ibv_reg_mr: memory of the daemon's own, zeroed" },
	{ "reg", "fd=num [offset=size] [length=size] [rights...] [iova=addr]",
	    run_reg, "ibv_reg_mr: memory of the writer's own, descriptor N" },
	{ "rereg", "[rights+num...] [pd=name]", run_rereg,
	    "ibv_rereg_mr: new rights, another domain" },
	{ "rights", "rights+num...", run_rights,
	    "kept for reg, or ibv_rereg_mr when registered" },
	{ "dereg", "", run_dereg, "ibv_dereg_mr: keys and memory are gone" },
	{ "destroy", "", run_destroy,
	    "ends it; windows bound to it are unbound and stay" },
	{ "keep", "", run_keep, "of a clone: stays when its holder closes" },
	{ NULL, NULL, NULL, NULL },
};

static const struct verb rights_verbs[] = {
	{ "rights", "rights+num...", run_rights, "as the verb rights of ctl" },
	{ NULL, NULL, NULL, NULL },
};

static const struct file mr_files[] = {
	{ "ctl", .get = get_ctl, .verbs = mr_verbs, .mode = 0600,
	    .flags = FILE_SECRET },
	{ "status", .get = get_status, .waits = WAIT_CHANGE,
	    .flags = FILE_DATED },
	{ "error", .get = get_error, .flags = FILE_ERROR | FILE_SECRET },
	EVENTS_FILE,
	{ "rights", .get = get_rights, .verbs = rights_verbs,
	    .implied = "rights" },
	{ "lkey", .get = get_lkey, .mode = 0400, .flags = FILE_SECRET },
	{ "rkey", .get = get_rkey, .mode = 0400, .flags = FILE_SECRET },
	{ "addr", .get = get_addr, .mode = 0400, .flags = FILE_SECRET },
	{ "length", .get = get_length },
	{ "data", .type = FILE_DATA, .mode = 0600, .flags = FILE_SECRET },
	{ "windows", .more = windows_more, .bound = windows_bound },
	{ "translation", .get = has_translation, .more = translation_more,
	    .bound = translation_bound, .mode = 0400,
	    .flags = FILE_ROOT | FILE_SECRET },
	{ NULL },
};

static const struct dirtype mr_dir = {
	.pattern = "/<dev>/pd/<pd>/mr/<mr>",
	.kind = KIND_MR,
	.files = mr_files,
	.children = -1,
};

static const struct dirtype *const mr_dirtypes[] = { &mr_dir, NULL };

const struct kindinfo mr_kind = { "mr", mr_dirtypes, mr_status };
