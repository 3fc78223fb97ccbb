/* SPDX-License-Identifier: MIT */
/* qp/<qp>/mem/<name>/: a peer's memory as a file. */
#include <errno.h>

#include "script.h"
#include "tree.h"

static const struct name state_names[] = {
	{ "unmapped", RMEM_UNMAPPED },
	{ "mapped", RMEM_MAPPED },
	{ "dead", RMEM_DEAD },
	{ NULL, 0 },
};

static const struct rmem *
mapping(const struct view *v)
{
	return rmem_of(v->o);
}

static void
mem_status(struct obj *o, struct text *t)
{
	const struct rmem *m = rmem_of(o);

	text_puts(t, name_of(state_names, m->state));
	if (m->state != RMEM_UNMAPPED)
		text_printf(t, " length=%llu", (unsigned long long)m->length);
}

static int
get_rkey(const struct view *v, struct text *t)
{
	if (mapping(v)->state != RMEM_MAPPED)
		return -ENODATA;
	return get_key(t, mapping(v)->rkey);
}

static int
get_addr(const struct view *v, struct text *t)
{
	if (mapping(v)->state == RMEM_UNMAPPED)
		return -ENODATA;
	return get_address(t, mapping(v)->addr);
}

static int
get_length(const struct view *v, struct text *t)
{
	if (mapping(v)->state == RMEM_UNMAPPED)
		return -ENODATA;
	return get_number(t, mapping(v)->length);
}

static int
get_ctl(const struct view *v, struct text *t)
{
	if (mapping(v)->state != RMEM_UNMAPPED)
		text_printf(t,
		    "# a peer's memory, which cannot be repeated: map ADDR "
		    "%llu RKEY\n",
		    (unsigned long long)mapping(v)->length);
	verbs_help(v->file->verbs, t);
	return 0;
}

static int
run_map(struct call *c)
{
	return rmem_map(&c->op, cmd_num(c->cmd, "addr", 0),
	    cmd_num(c->cmd, "length", 0), (uint32_t)cmd_num(c->cmd, "rkey", 0));
}

static int
run_destroy(struct call *c)
{
	return rmem_destroy(&c->op);
}

static const struct verb mem_verbs[] = {
	{ "map", "addr:addr length:size rkey:key", run_map,
	    "what data shows; nothing is sent yet" },
	{ "destroy", "", run_destroy, "ends the mapping" },
	{ NULL, NULL, NULL, NULL },
};

static const struct file mem_files[] = {
	{ "ctl", .get = get_ctl, .verbs = mem_verbs, .mode = 0600,
	    .flags = FILE_SECRET },
	{ "status", .get = get_status, .waits = WAIT_CHANGE,
	    .flags = FILE_DATED },
	{ "error", .get = get_error, .flags = FILE_ERROR | FILE_SECRET },
	{ "rkey", .get = get_rkey, .mode = 0400, .flags = FILE_SECRET },
	{ "addr", .get = get_addr, .mode = 0400, .flags = FILE_SECRET },
	{ "length", .get = get_length },
	{ "data", .type = FILE_DATA, .mode = 0600, .flags = FILE_SECRET },
	{ NULL },
};

static const struct dirtype mem_dir = {
	.pattern = "/<dev>/pd/<pd>/qp/<qp>/mem/<name>",
	.kind = KIND_MEM,
	.files = mem_files,
	.children = -1,
};

static const struct dirtype *const mem_dirtypes[] = { &mem_dir, NULL };

const struct kindinfo mem_kind = { "mem", mem_dirtypes, mem_status };
