/* SPDX-License-Identifier: MIT */
/* Asking the RDMA netlink interface; see kernel.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>

#include "kernel_impl.h"

/* Bytes of one read: the kernel makes no longer messages. */
#define ANSWER 32768
#define SEQ    1 /* each question has a socket of its own */

/* What is asked; answer is called for each message of the kernel's. */
struct question {
	unsigned command; /* RDMA_NLDEV_CMD_* */
	bool dump;
	bool of_dev; /* of the device with this index */
	uint32_t index;
	mnl_cb_t answer;
	void *arg;
};

static int
question_send(struct mnl_socket *nl, const struct question *q)
{
	char buf[256];
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);

	h->nlmsg_type = (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, q->command);
	h->nlmsg_flags = NLM_F_REQUEST | (q->dump ? NLM_F_DUMP : 0);
	h->nlmsg_seq = SEQ;
	if (q->of_dev)
		mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_DEV_INDEX, q->index);
	return mnl_socket_sendto(nl, h, h->nlmsg_len) < 0 ? -errno : 0;
}

static int
question_answers(
    struct mnl_socket *nl, const struct question *q, char *buf, size_t size)
{
	unsigned port = mnl_socket_get_portid(nl);
	ssize_t n;
	int r;

	do {
		n = mnl_socket_recvfrom(nl, buf, size);
		if (n < 0 && errno == EINTR)
			r = MNL_CB_OK;
		else if (n < 0)
			return -errno;
		else
			r = mnl_cb_run(
			    buf, (size_t)n, SEQ, port, q->answer, q->arg);
	} while (r > MNL_CB_STOP);
	return r < 0 ? -errno : 0;
}

static int
question_ask_on(struct mnl_socket *nl, const struct question *q)
{
	char *buf;
	int r;

	if (mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0)
		return -errno;
	if ((r = question_send(nl, q)) < 0)
		return r;
	if ((buf = malloc(ANSWER)) == NULL)
		return -ENOMEM;
	r = question_answers(nl, q, buf, ANSWER);
	explicit_bzero(buf, ANSWER); /* keys */
	free(buf);
	return r;
}

/* Without a reason.  A kernel that does not know the command says EINVAL. */
static int
question_ask(const struct question *q)
{
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_RDMA, SOCK_CLOEXEC);
	int r;

	if (nl == NULL)
		return -errno;
	r = question_ask_on(nl, q);
	(void)mnl_socket_close(nl);
	return r == -EINVAL ? -EOPNOTSUPP : r;
}

static int
question_fail(int r, const char *what, struct err *e)
{
	if (r == -EOPNOTSUPP)
		return fail(
		    e, EOPNOTSUPP, "this kernel does not tell of %s", what);
	return fail(e, -r, "asking the kernel of %s: %s", what, strerror(-r));
}

struct search {
	const char *name;
	uint32_t index;
	bool found;
};

static int
search_answer(const struct nlmsghdr *h, void *arg)
{
	struct search *s = arg;
	uint32_t index;

	if (kernel_parse_dev(h, s->name, &index)) {
		s->found = true;
		s->index = index;
	}
	return MNL_CB_OK;
}

static bool
is_no_rdma(int r)
{
	return r == -EPROTONOSUPPORT || r == -EAFNOSUPPORT;
}

/* 0, or 1: the kernel has no RDMA. */
static int
dev_index(const char *dev, uint32_t *index, struct err *e)
{
	struct search s = { .name = dev };
	const struct question q = { .command = RDMA_NLDEV_CMD_GET,
		.dump = true,
		.answer = search_answer,
		.arg = &s };
	int r;

	if (is_no_rdma(r = question_ask(&q)))
		return 1;
	if (r < 0)
		return question_fail(r, "its devices", e);
	if (!s.found)
		return fail(e, ENODEV, "the kernel has no device %s", dev);
	*index = s.index;
	return 0;
}

struct dump {
	enum kernel_kind kind;
	int (*each)(void *arg, const struct kernel_obj *o);
	void *arg;
	int r; /* what each said */
};

static int
dump_answer(const struct nlmsghdr *h, void *arg)
{
	struct dump *d = arg;

	d->r = kernel_parse(h, d->kind, d->each, d->arg);
	return d->r == 0 ? MNL_CB_OK : MNL_CB_STOP;
}

int
kernel_dump(const char *dev, enum kernel_kind kind,
    int (*each)(void *arg, const struct kernel_obj *o), void *arg,
    struct err *e)
{
	struct dump d = { .kind = kind, .each = each, .arg = arg };
	struct question q = { .command = kernel_questions[kind].command,
		.dump = true,
		.of_dev = true,
		.answer = dump_answer,
		.arg = &d };
	int r;

	if ((r = dev_index(dev, &q.index, e)) != 0)
		return r < 0 ? r : 0;
	if ((r = question_ask(&q)) < 0)
		return question_fail(r, kernel_questions[kind].name, e);
	return d.r;
}

struct counting {
	enum kernel_kind kind;
	uint64_t count;
};

static int
counting_answer(const struct nlmsghdr *h, void *arg)
{
	struct counting *c = arg;

	c->count = kernel_parse_count(h, c->kind);
	return MNL_CB_STOP;
}

int
kernel_count(
    const char *dev, enum kernel_kind kind, uint64_t *count, struct err *e)
{
	struct counting c = { .kind = kind };
	struct question q = { .command = RDMA_NLDEV_CMD_RES_GET,
		.of_dev = true,
		.answer = counting_answer,
		.arg = &c };
	int r;

	*count = 0;
	if ((r = dev_index(dev, &q.index, e)) != 0)
		return r < 0 ? r : 0;
	if ((r = question_ask(&q)) < 0)
		return question_fail(r, "its objects", e);
	*count = c.count;
	return 0;
}
