/* SPDX-License-Identifier: MIT */
/* Messages of the RDMA netlink interface as objects; see kernel.h. */
#include <stdio.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>

#include "kernel_impl.h"

const struct name kernel_qp_types[] = {
	{ "smi", 0 },
	{ "gsi", 1 },
	{ "rc", 2 },
	{ "uc", 3 },
	{ "ud", 4 },
	{ "raw_ipv6", 5 },
	{ "raw_ethertype", 6 },
	{ "raw_packet", 8 },
	{ "xrc_ini", 9 },
	{ "xrc_tgt", 10 },
	{ "driver", 255 },
	{ NULL, 0 },
};

const struct name kernel_srq_types[] = {
	{ "basic", 0 },
	{ "xrc", 1 },
	{ "tm", 2 },
	{ NULL, 0 },
};

const struct kernel_question kernel_questions[] = {
	[KERNEL_PD] = { RDMA_NLDEV_CMD_RES_PD_GET, RDMA_NLDEV_ATTR_RES_PD,
	    RDMA_NLDEV_ATTR_RES_PD_ENTRY, KERNEL_PDN, "pd" },
	[KERNEL_MR] = { RDMA_NLDEV_CMD_RES_MR_GET, RDMA_NLDEV_ATTR_RES_MR,
	    RDMA_NLDEV_ATTR_RES_MR_ENTRY, KERNEL_MRN, "mr" },
	[KERNEL_QP] = { RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_ATTR_RES_QP,
	    RDMA_NLDEV_ATTR_RES_QP_ENTRY, KERNEL_LQPN, "qp" },
	[KERNEL_CQ] = { RDMA_NLDEV_CMD_RES_CQ_GET, RDMA_NLDEV_ATTR_RES_CQ,
	    RDMA_NLDEV_ATTR_RES_CQ_ENTRY, KERNEL_CQN, "cq" },
	[KERNEL_CTX] = { RDMA_NLDEV_CMD_RES_CTX_GET, RDMA_NLDEV_ATTR_RES_CTX,
	    RDMA_NLDEV_ATTR_RES_CTX_ENTRY, KERNEL_CTXN, "ctx" },
	[KERNEL_SRQ] = { RDMA_NLDEV_CMD_RES_SRQ_GET, RDMA_NLDEV_ATTR_RES_SRQ,
	    RDMA_NLDEV_ATTR_RES_SRQ_ENTRY, KERNEL_SRQN, "srq" },
};

static const struct {
	unsigned attr;
	enum kernel_field field;
} numbers[] = {
	{ RDMA_NLDEV_ATTR_RES_PDN, KERNEL_PDN },
	{ RDMA_NLDEV_ATTR_RES_MRN, KERNEL_MRN },
	{ RDMA_NLDEV_ATTR_RES_LQPN, KERNEL_LQPN },
	{ RDMA_NLDEV_ATTR_RES_CQN, KERNEL_CQN },
	{ RDMA_NLDEV_ATTR_RES_CTXN, KERNEL_CTXN },
	{ RDMA_NLDEV_ATTR_RES_SRQN, KERNEL_SRQN },
	{ RDMA_NLDEV_ATTR_PORT_INDEX, KERNEL_PORT },
	{ RDMA_NLDEV_ATTR_RES_TYPE, KERNEL_TYPE },
	{ RDMA_NLDEV_ATTR_RES_STATE, KERNEL_STATE },
	{ RDMA_NLDEV_ATTR_RES_RQPN, KERNEL_RQPN },
	{ RDMA_NLDEV_ATTR_RES_CQE, KERNEL_CQE },
	{ RDMA_NLDEV_ATTR_RES_USECNT, KERNEL_USERS },
	{ RDMA_NLDEV_ATTR_RES_MRLEN, KERNEL_LENGTH },
	{ RDMA_NLDEV_ATTR_RES_PID, KERNEL_TASK },
	{ RDMA_NLDEV_ATTR_RES_LKEY, KERNEL_LKEY },
	{ RDMA_NLDEV_ATTR_RES_RKEY, KERNEL_RKEY },
	{ RDMA_NLDEV_ATTR_RES_IOVA, KERNEL_IOVA },
};

/* A number by the length that it has; 0: it is none. */
static uint64_t
attr_number(const struct nlattr *a)
{
	switch (mnl_attr_get_payload_len(a)) {
	case 1:
		return mnl_attr_get_u8(a);
	case 4:
		return mnl_attr_get_u32(a);
	case 8:
		return mnl_attr_get_u64(a);
	default:
		return 0;
	}
}

static void
attr_string(const struct nlattr *a, char *out, size_t size)
{
	(void)snprintf(out, size, "%.*s", (int)mnl_attr_get_payload_len(a),
	    (const char *)mnl_attr_get_payload(a));
}

static void
obj_attr(struct kernel_obj *o, const struct nlattr *a)
{
	unsigned type = mnl_attr_get_type(a);
	size_t i;

	if (type == RDMA_NLDEV_ATTR_RES_KERN_NAME)
		attr_string(a, o->owner, sizeof(o->owner));
	for (i = 0; i < MNL_ARRAY_SIZE(numbers); i++)
		if (numbers[i].attr == type) {
			o->value[numbers[i].field] = attr_number(a);
			o->has |= 1u << numbers[i].field;
		}
}

static void
obj_parse(const struct nlattr *entry, struct kernel_obj *o)
{
	const struct nlattr *a;

	*o = (struct kernel_obj){ .has = 0 };
	mnl_attr_for_each_nested (a, entry)
		obj_attr(o, a);
}

/* Those of a table's entries that have a number: it is the first word of all
 * that is said of one. */
static int
table_parse(const struct nlattr *table, enum kernel_kind kind,
    int (*each)(void *arg, const struct kernel_obj *o), void *arg)
{
	const struct nlattr *entry;
	struct kernel_obj o;
	int r;

	mnl_attr_for_each_nested (entry, table) {
		if (mnl_attr_get_type(entry) != kernel_questions[kind].entry)
			continue;
		obj_parse(entry, &o);
		if (kernel_has(&o, kernel_questions[kind].id) &&
		    (r = each(arg, &o)) != 0)
			return r;
	}
	return 0;
}

int
kernel_parse(const struct nlmsghdr *h, enum kernel_kind kind,
    int (*each)(void *arg, const struct kernel_obj *o), void *arg)
{
	const struct nlattr *a;
	int r;

	mnl_attr_for_each (a, h, 0) {
		if (mnl_attr_get_type(a) == kernel_questions[kind].table &&
		    (r = table_parse(a, kind, each, arg)) != 0)
			return r;
	}
	return 0;
}

static uint64_t
summary_entry(const struct nlattr *entry, const char *name)
{
	const struct nlattr *a;
	uint64_t count = 0;
	char found[32] = "";

	mnl_attr_for_each_nested (a, entry) {
		if (mnl_attr_get_type(a) ==
		    RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME)
			attr_string(a, found, sizeof(found));
		if (mnl_attr_get_type(a) ==
		    RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR)
			count = attr_number(a);
	}
	return strcmp(found, name) == 0 ? count : 0;
}

uint64_t
kernel_parse_count(const struct nlmsghdr *h, enum kernel_kind kind)
{
	const struct nlattr *a, *entry;
	uint64_t count = 0;

	mnl_attr_for_each (a, h, 0) {
		if (mnl_attr_get_type(a) != RDMA_NLDEV_ATTR_RES_SUMMARY)
			continue;
		mnl_attr_for_each_nested (entry, a)
			count +=
			    summary_entry(entry, kernel_questions[kind].name);
	}
	return count;
}

bool
kernel_parse_dev(const struct nlmsghdr *h, const char *name, uint32_t *index)
{
	const struct nlattr *a;
	char found[64] = "";

	*index = 0;
	mnl_attr_for_each (a, h, 0) {
		if (mnl_attr_get_type(a) == RDMA_NLDEV_ATTR_DEV_INDEX)
			*index = (uint32_t)attr_number(a);
		if (mnl_attr_get_type(a) == RDMA_NLDEV_ATTR_DEV_NAME)
			attr_string(a, found, sizeof(found));
	}
	return strcmp(found, name) == 0;
}

/*
 * The kernel keeps them by their numbers, to which it adds the port for the
 * queue pairs 0 and 1, for each port has these.
 */
uint64_t
kernel_order(enum kernel_kind kind, const struct kernel_obj *o)
{
	uint64_t order = o->value[kernel_questions[kind].id] + 1;

	if (kind == KERNEL_QP && o->value[KERNEL_LQPN] <= 1)
		order += o->value[KERNEL_PORT] << 24;
	return order;
}
