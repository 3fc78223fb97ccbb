/* SPDX-License-Identifier: MIT */
/* core/kernel: messages of the RDMA netlink interface, as the kernel makes
 * them, and what cannot be one. */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>

#include "kernel_impl.h"
#include "tap.h"

#define MANY 100

static char buf[65536];
static struct kernel_obj seen[MANY];
static size_t nseen;

static int
see(void *arg, const struct kernel_obj *o)
{
	const int *stop = arg;

	seen[nseen++] = *o;
	return stop != NULL && (int)nseen == *stop ? *stop : 0;
}

/* A message of a dump: the device, and a table to fill. */
static struct nlmsghdr *
message(unsigned command)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);

	h->nlmsg_type = (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command);
	h->nlmsg_flags = NLM_F_MULTI;
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
	mnl_attr_put_strz(h, RDMA_NLDEV_ATTR_DEV_NAME, "rxe0");
	nseen = 0;
	return h;
}

static void
put_qp(struct nlmsghdr *h, uint32_t lqpn, uint8_t type, uint8_t state)
{
	struct nlattr *entry =
	    mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_QP_ENTRY);

	if (type < 2 || state > 0)
		mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_LQPN, lqpn);
	if (type == 2) {
		mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_RQPN, 18);
		mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_RQ_PSN, 7);
	}
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_SQ_PSN, 7);
	mnl_attr_put_u8(h, RDMA_NLDEV_ATTR_RES_TYPE, type);
	mnl_attr_put_u8(h, RDMA_NLDEV_ATTR_RES_STATE, state);
	if (type < 2) {
		mnl_attr_put_strz(h, RDMA_NLDEV_ATTR_RES_KERN_NAME, "ib_core");
	} else {
		mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_PDN, 2);
		mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_PID, 812);
	}
	mnl_attr_nest_end(h, entry);
}

static void
test_qp(void)
{
	struct nlmsghdr *h = message(RDMA_NLDEV_CMD_RES_QP_GET);
	struct nlattr *table = mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_QP);
	const struct kernel_obj *o = seen;

	put_qp(h, 17, 2, QP_RTS);
	put_qp(h, 1, 1, QP_RTS);
	mnl_attr_nest_end(h, table);
	is_int(kernel_parse(h, KERNEL_QP, see, NULL), 0, "a message");
	is_int(nseen, 2, "two queue pairs");
	is_int(o->value[KERNEL_LQPN], 17, "its number");
	is_int(o->value[KERNEL_RQPN], 18, "the peer's");
	is_str(name_of(kernel_qp_types, (uint32_t)o->value[KERNEL_TYPE]), "rc",
	    "its type, of one byte");
	is_str(name_of(qp_state_names, (uint32_t)o->value[KERNEL_STATE]), "rts",
	    "its state");
	is_int(o->value[KERNEL_TASK], 812, "who made it");
	is_str(o->owner, "", "a process");
	ok(!kernel_has(o, KERNEL_LKEY) && !kernel_has(o, KERNEL_CTXN),
	    "what was not told it does not have");
	o++;
	is_str(o->owner, "ib_core", "another is the kernel's own");
	ok(!kernel_has(o, KERNEL_TASK) && !kernel_has(o, KERNEL_RQPN),
	    "of nobody and without a peer");
	ok(kernel_order(KERNEL_QP, o) > kernel_order(KERNEL_QP, seen),
	    "and comes later, as every port has one of this number");
	is_int(kernel_parse(h, KERNEL_MR, see, NULL), 0, "as regions");
	is_int(nseen, 2, "there are none");
}

static void
test_mr(void)
{
	struct nlmsghdr *h = message(RDMA_NLDEV_CMD_RES_MR_GET);
	struct nlattr *table = mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_MR);
	struct nlattr *entry =
	    mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_MR_ENTRY);

	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_RKEY, 0x1c2f);
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_LKEY, 0x1c30);
	mnl_attr_put_u64(
	    h, RDMA_NLDEV_ATTR_RES_MRLEN, UINT64_C(0x123456789abc));
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_MRN, 0);
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_PDN, 0xffffffff);
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_MAX + 100, 1);
	mnl_attr_nest_end(h, entry);
	mnl_attr_nest_end(h, table);
	is_int(kernel_parse(h, KERNEL_MR, see, NULL), 0, "regions");
	is_int(nseen, 1, "one");
	ok(kernel_has(seen, KERNEL_MRN), "of number 0");
	ok(kernel_order(KERNEL_MR, seen) > 0, "which is in the order, too");
	ok(seen->value[KERNEL_LENGTH] == UINT64_C(0x123456789abc),
	    "its length, of eight bytes");
	is_int(seen->value[KERNEL_LKEY], 0x1c30, "its local key");
	is_int(seen->value[KERNEL_RKEY], 0x1c2f, "its remote key");
	is_int(seen->value[KERNEL_PDN], 0xffffffffll, "a number of all bits");
}

/* Each stops at the third; an entry without a number is none. */
static void
test_many(void)
{
	struct nlmsghdr *h = message(RDMA_NLDEV_CMD_RES_QP_GET);
	struct nlattr *table = mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_QP);
	struct nlattr *entry;
	int stop = 3;
	uint32_t i;

	entry = mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_PID, 1);
	mnl_attr_nest_end(h, entry);
	for (i = 0; i < MANY; i++)
		put_qp(h, 17 + i, 2, QP_RESET);
	mnl_attr_nest_end(h, table);
	is_int(kernel_parse(h, KERNEL_QP, see, NULL), 0, "many");
	is_int(nseen, MANY, "are all seen, and no more");
	for (i = 1; i < MANY; i++)
		if (kernel_order(KERNEL_QP, &seen[i - 1]) >=
		    kernel_order(KERNEL_QP, &seen[i]))
			break;
	is_int(i, MANY, "in their order");
	nseen = 0;
	is_int(kernel_parse(h, KERNEL_QP, see, &stop), 3, "who has enough");
	is_int(nseen, 3, "gets no more");
}

/* Lengths that a number cannot have, a name too long, an empty table. */
static void
test_odd(void)
{
	struct nlmsghdr *h = message(RDMA_NLDEV_CMD_RES_CTX_GET);
	struct nlattr *table = mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_CTX);
	struct nlattr *entry =
	    mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_CTX_ENTRY);
	char name[200];

	memset(name, 'x', sizeof(name));
	mnl_attr_put(h, RDMA_NLDEV_ATTR_RES_CTXN, 3, "abc");
	mnl_attr_put(h, RDMA_NLDEV_ATTR_RES_PID, 0, NULL);
	mnl_attr_put(h, RDMA_NLDEV_ATTR_RES_KERN_NAME, sizeof(name), name);
	mnl_attr_nest_end(h, entry);
	mnl_attr_nest_end(h, table);
	is_int(kernel_parse(h, KERNEL_CTX, see, NULL), 0, "an odd entry");
	is_int(nseen, 1, "is one");
	is_int(seen->value[KERNEL_CTXN], 0, "a number of three bytes is 0");
	is_int(strlen(seen->owner), sizeof(seen->owner) - 1, "a name is cut");
	h = message(RDMA_NLDEV_CMD_RES_SRQ_GET);
	mnl_attr_nest_end(h, mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_SRQ));
	is_int(kernel_parse(h, KERNEL_SRQ, see, NULL), 0, "an empty table");
	is_int(nseen, 0, "has none");
}

static void
put_count(struct nlmsghdr *h, const char *name, uint64_t n)
{
	struct nlattr *entry =
	    mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);

	mnl_attr_put_strz(h, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, name);
	mnl_attr_put_u64(h, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, n);
	mnl_attr_nest_end(h, entry);
}

static void
test_count(void)
{
	struct nlmsghdr *h = message(RDMA_NLDEV_CMD_RES_GET);
	struct nlattr *table =
	    mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_SUMMARY);
	uint32_t index;

	put_count(h, "pd", 3);
	put_count(h, "cq", 4);
	put_count(h, "qp", UINT64_C(5000000000));
	mnl_attr_nest_end(h, table);
	is_int(kernel_parse_count(h, KERNEL_PD), 3, "domains");
	ok(kernel_parse_count(h, KERNEL_QP) == UINT64_C(5000000000), "many");
	is_int(kernel_parse_count(h, KERNEL_CTX), 0, "a kind not told of");
	ok(kernel_parse_dev(h, "rxe0", &index), "a device by its name");
	is_int(index, 3, "its index");
	ok(!kernel_parse_dev(h, "rxe", &index), "not by a part of it");
}

static void
test_task(void)
{
	struct kernel_task t = { .task = (uint32_t)getpid() };
	char name[16]; /* another one under valgrind */

	(void)prctl(PR_GET_NAME, name);
	kernel_task(&t);
	is_int(t.process, getpid(), "this process");
	is_str(t.comm, name, "its name");
	t.task = 0x7fffffff;
	kernel_task(&t);
	is_int(t.process, 0, "one that is not there");
	is_str(t.comm, "", "has no name");
}

/* Whatever this machine has, no such device. */
static void
test_none(void)
{
	uint64_t count = 1;
	struct err e;
	int r;

	err_clear(&e);
	nseen = 0;
	r = kernel_dump("no_such", KERNEL_QP, see, NULL, &e);
	ok(r == 0 || r == -ENODEV, "no such device: %d %s", r, e.text);
	is_int(nseen, 0, "has nothing");
	ok(r == 0 || e.text[0] != '\0', "and a reason");
	is_int(kernel_count("no_such", KERNEL_QP, &count, &e), r,
	    "nor can they be counted");
	is_int(count, 0, "to more than 0");
}

int
main(void)
{
	test_qp();
	test_mr();
	test_many();
	test_odd();
	test_count();
	test_task();
	test_none();
	return done_testing();
}
