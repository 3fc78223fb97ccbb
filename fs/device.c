/* SPDX-License-Identifier: MIT */
/* <dev>/, attr/, port/<n>/ and gid/: what a device is and has. */
#include <errno.h>
#include <string.h>

#include "batch.h"
#include "events.h"
#include "tree.h"

/* Names of what a device may lack, in the order of `status`. */
static const struct name cap_names[] = {
	{ "mw_type_1", CAP_MW_TYPE_1 },
	{ "mw_type_2", CAP_MW_TYPE_2 },
	{ "on_demand", CAP_ON_DEMAND },
	{ "zero_based", CAP_ZERO_BASED_MR },
	{ "flush", CAP_FLUSH },
	{ "atomic", CAP_ATOMIC },
	{ NULL, 0 },
};

static const struct dev_info *
info_of(const struct view *v)
{
	return &dev_of(v->o)->b.info;
}

static void
dev_status(struct obj *o, struct text *t)
{
	const struct dev *d = dev_of(o);
	const struct name *n;
	char sep = '=';

	text_printf(t, "%s kind=%s",
	    d->lost   ? "gone"
	    : d->down ? "down"
		      : "active",
	    d->b.ops->kind);
	for (n = cap_names; n->name != NULL; n++) {
		if (d->b.info.caps & n->value)
			continue;
		text_printf(
		    t, "%s%c%s", sep == '=' ? " lacks" : "", sep, n->name);
		sep = ',';
	}
	if (d->b.info.breaks[0] != '\0')
		text_printf(t, " breaks=%s", d->b.info.breaks);
	text_printf(t, " pd=%zu mr=%u mw=%u qp=%u", d->sets[1].count, d->mrs,
	    d->mws, d->qps);
}

/* The ports are asked first, without the lock. */
static int
get_dev_status(const struct view *v, struct text *t)
{
	dev_refresh(dev_of(v->o));
	world_lock(v->o->world);
	status_line(v->o, t);
	world_unlock(v->o->world);
	return 0;
}

static int
get_node_guid(const struct view *v, struct text *t)
{
	text_guid(t, info_of(v)->node_guid);
	text_puts(t, "\n");
	return 0;
}

static int
get_sys_image_guid(const struct view *v, struct text *t)
{
	text_guid(t, info_of(v)->sys_image_guid);
	text_puts(t, "\n");
	return 0;
}

static int
get_fw_ver(const struct view *v, struct text *t)
{
	text_printf(t, "%s\n", info_of(v)->fw_ver);
	return 0;
}

static int
get_vendor_id(const struct view *v, struct text *t)
{
	text_printf(t, "0x%06x\n", info_of(v)->vendor_id);
	return 0;
}

static int
get_max_mr_size(const struct view *v, struct text *t)
{
	return get_number(t, info_of(v)->max_mr_size);
}

static int
get_page_size_cap(const struct view *v, struct text *t)
{
	text_printf(
	    t, "0x%llx\n", (unsigned long long)info_of(v)->page_size_cap);
	return 0;
}

static int
get_mw_types(const struct view *v, struct text *t)
{
	uint32_t caps = info_of(v)->caps;

	if (!(caps & (CAP_MW_TYPE_1 | CAP_MW_TYPE_2)))
		text_puts(t, "none\n");
	else
		text_printf(t, "%s%s%s\n", caps & CAP_MW_TYPE_1 ? "1" : "",
		    (caps & CAP_MW_TYPE_1) && (caps & CAP_MW_TYPE_2) ? " " : "",
		    caps & CAP_MW_TYPE_2 ? "2" : "");
	return 0;
}

static int
get_odp(const struct view *v, struct text *t)
{
	text_puts(
	    t, info_of(v)->caps & CAP_ON_DEMAND ? "explicit\n" : "none\n");
	return 0;
}

/* A row for each number that dev_info has under its own name. */
#define ATTR(field)                                                  \
	static int get_##field(const struct view *v, struct text *t) \
	{                                                            \
		return get_number(t, info_of(v)->field);             \
	}
ATTR(vendor_part_id)
ATTR(hw_ver)
ATTR(max_mr)
ATTR(max_mw)
ATTR(max_pd)
ATTR(max_qp)
ATTR(max_qp_wr)
ATTR(max_sge)
ATTR(max_cq)
ATTR(max_cqe)

static const struct file attr_files[] = {
	{ "node_guid", .get = get_node_guid, .flags = FILE_FIXED },
	{ "sys_image_guid", .get = get_sys_image_guid, .flags = FILE_FIXED },
	{ "fw_ver", .get = get_fw_ver, .flags = FILE_FIXED },
	{ "vendor_id", .get = get_vendor_id, .flags = FILE_FIXED },
	{ "vendor_part_id", .get = get_vendor_part_id, .flags = FILE_FIXED },
	{ "hw_ver", .get = get_hw_ver, .flags = FILE_FIXED },
	{ "max_mr", .get = get_max_mr, .flags = FILE_FIXED },
	{ "max_mr_size", .get = get_max_mr_size, .flags = FILE_FIXED },
	{ "max_mw", .get = get_max_mw, .flags = FILE_FIXED },
	{ "max_pd", .get = get_max_pd, .flags = FILE_FIXED },
	{ "max_qp", .get = get_max_qp, .flags = FILE_FIXED },
	{ "max_qp_wr", .get = get_max_qp_wr, .flags = FILE_FIXED },
	{ "max_sge", .get = get_max_sge, .flags = FILE_FIXED },
	{ "max_cq", .get = get_max_cq, .flags = FILE_FIXED },
	{ "max_cqe", .get = get_max_cqe, .flags = FILE_FIXED },
	{ "page_size_cap", .get = get_page_size_cap, .flags = FILE_FIXED },
	{ "mw_types", .get = get_mw_types, .flags = FILE_FIXED },
	{ "odp", .get = get_odp, .flags = FILE_FIXED },
	{ NULL },
};

static int
port_query(const struct view *v, struct port_info *info)
{
	return backend_port_query(
	    &dev_of(v->o)->b, port_of(v->o)->number, info, NULL);
}

static int
get_state(const struct view *v, struct text *t)
{
	struct port_info info;
	int r;

	if ((r = port_query(v, &info)) < 0)
		return r;
	text_printf(t, "%s\n", info.state_name);
	return 0;
}

static int
get_link_layer(const struct view *v, struct text *t)
{
	struct port_info info;
	int r;

	if ((r = port_query(v, &info)) < 0)
		return r;
	text_printf(t, "%s\n", info.link_layer);
	return 0;
}

static int
get_lid(const struct view *v, struct text *t)
{
	struct port_info info;
	int r;

	if ((r = port_query(v, &info)) < 0)
		return r;
	text_printf(t, "0x%x\n", info.lid);
	return 0;
}

static int
get_mtu(const struct view *v, struct text *t)
{
	struct port_info info;
	int r;

	return (r = port_query(v, &info)) < 0 ? r : get_number(t, info.mtu);
}

/* An entry of the table that is not in use is all zero, and no file. */
static int
gid_query(struct obj *port, unsigned index, struct gid *gid)
{
	static const struct gid empty;
	int r;

	r = backend_gid_query(
	    &dev_of(port)->b, port_of(port)->number, index, gid, NULL);
	if (r < 0)
		return r;
	return memcmp(gid, &empty, sizeof(empty)) == 0 ? -ENODATA : 0;
}

static int
get_gid(const struct view *v, struct text *t)
{
	struct gid gid;
	int r;

	if ((r = gid_query(v->o, v->index, &gid)) < 0)
		return r;
	text_gid(t, gid.raw);
	text_puts(t, "\n");
	return 0;
}

static bool
gid_there(struct obj *o, unsigned index)
{
	struct gid gid;

	return gid_query(o, index, &gid) == 0;
}

/* No port has near as many; an inode's slot has no room for more. */
#define GIDS_MAX 4000u

static unsigned
gid_count(const struct obj *o)
{
	unsigned n = ((const struct port *)(const void *)o)->gids;

	return n < GIDS_MAX ? n : GIDS_MAX;
}

static const struct file port_files[] = {
	{ "state", .get = get_state, .flags = FILE_UNLOCKED },
	{ "link_layer", .get = get_link_layer, .flags = FILE_UNLOCKED },
	{ "lid", .get = get_lid, .flags = FILE_UNLOCKED },
	{ "mtu", .get = get_mtu, .flags = FILE_UNLOCKED },
	{ NULL },
};

static const struct file gid_file = { "<i>", .get = get_gid,
	.flags = FILE_UNLOCKED };

static const struct dirtype gid_dir = {
	.name = "gid",
	.pattern = "/<dev>/port/<n>/gid",
	.kind = KIND_PORT,
	.number = 1,
	.children = -1,
	.numbered = gid_count,
	.numbered_file = &gid_file,
	.numbered_there = gid_there,
};

static const struct dirtype *const port_dirs[] = { &gid_dir, NULL };

static const struct dirtype port_dir = {
	.pattern = "/<dev>/port/<n>",
	.kind = KIND_PORT,
	.files = port_files,
	.dirs = port_dirs,
	.children = -1,
};

static const struct dirtype *const port_dirtypes[] = { &port_dir, &gid_dir,
	NULL };

const struct kindinfo port_kind = { "port", port_dirtypes, NULL };

static const struct dirtype attr_dir = {
	.name = "attr",
	.pattern = "/<dev>/attr",
	.kind = KIND_DEV,
	.number = 1,
	.files = attr_files,
	.children = -1,
};

static const struct dirtype ports_dir = {
	.name = "port",
	.pattern = "/<dev>/port",
	.kind = KIND_DEV,
	.number = 2,
	.children = KIND_PORT,
};

static const struct dirtype pds_dir = {
	.name = "pd",
	.pattern = "/<dev>/pd",
	.kind = KIND_DEV,
	.number = 3,
	.files = clone_files,
	.children = KIND_PD,
};

static const struct file dev_files[] = {
	{ "status", .get = get_dev_status, .waits = WAIT_CHANGE,
	    .flags = FILE_UNLOCKED | FILE_DATED },
	{ "error", .get = get_error, .flags = FILE_ERROR },
	EVENTS_FILE,
	{ "list", .more = list_more, .bound = list_bound },
	{ "explain", .get = get_explain, .verbs = explain_verbs, .mode = 0666,
	    .flags = FILE_ASKS | FILE_NO_SIZE },
	{ "limits", .get = get_limits, .verbs = limits_verbs,
	    .implied = "limit", .flags = FILE_ROOT },
	{ "usage", .get = get_usage, .flags = FILE_OTHERS },
	BATCH_FILE,
	{ NULL },
};

static const struct dirtype *const dev_dirs[] = { &attr_dir, &ports_dir,
	&pds_dir, &kernel_dir, NULL };

static const struct dirtype dev_dir = {
	.pattern = "/<dev>",
	.kind = KIND_DEV,
	.files = dev_files,
	.dirs = dev_dirs,
	.children = -1,
};

static const struct dirtype *const dev_dirtypes[] = { &dev_dir, &attr_dir,
	&ports_dir, &pds_dir, &kernel_dir, NULL };

const struct kindinfo dev_kind = { "device", dev_dirtypes, dev_status };
