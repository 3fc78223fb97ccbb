/* SPDX-License-Identifier: MIT */
/*
 * verbs DEVICE: what the verbs cost a program in C, the floor of compare.py.
 * Reads lines "OPERATION COUNT [SIZE]" and answers each with the nanoseconds
 * that all of them took.  A queue pair is connected to itself and completions
 * are polled for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "verbs.h"

#define DEPTH (2 * OBJECTS)
#define PORT  1

void
must(bool well, const char *what)
{
	if (well)
		return;
	(void)fprintf(stderr, "verbs: %s: %s\n", what, strerror(errno));
	exit(1);
}

void *
memory_new(size_t length)
{
	void *p = mmap(NULL, length, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	must(p != MAP_FAILED, "mmap");
	return p;
}

void
bench_wait(struct bench *b)
{
	struct ibv_wc wc;
	int n;

	while ((n = ibv_poll_cq(b->cq, 1, &wc)) == 0)
		;
	must(n == 1, "ibv_poll_cq");
	must(wc.status == IBV_WC_SUCCESS, ibv_wc_status_str(wc.status));
}

static struct ibv_context *
device_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	must(list != NULL, "ibv_get_device_list");
	for (i = 0; list[i] != NULL; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	must(ctx != NULL, name);
	return ctx;
}

/* The first that is an IPv4 address. */
static int
gid_find(struct ibv_context *ctx, union ibv_gid *gid)
{
	static const unsigned char mapped[12] = { [10] = 0xff, 0xff };
	int i;

	for (i = 0; ibv_query_gid(ctx, PORT, i, gid) == 0; i++)
		if (memcmp(gid->raw, mapped, sizeof(mapped)) == 0)
			return i;
	must(false, "no IPv4 GID");
	return -1;
}

static void
connect_to_itself(struct bench *b)
{
	union ibv_gid gid;
	int index = gid_find(b->ctx, &gid);
	struct ibv_port_attr port;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND,
		.max_dest_rd_atomic = 1,
		.max_rd_atomic = 1,
		.min_rnr_timer = 12,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.dest_qp_num = b->qp->qp_num,
		.ah_attr = { .is_global = 1, .port_num = PORT },
	};

	must(ibv_query_port(b->ctx, PORT, &port) == 0, "ibv_query_port");
	a.path_mtu = port.active_mtu;
	a.ah_attr.grh.dgid = gid;
	a.ah_attr.grh.sgid_index = (uint8_t)index;
	a.ah_attr.grh.hop_limit = 64;
	must(ibv_modify_qp(b->qp, &a,
		 IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		     IBV_QP_ACCESS_FLAGS) == 0,
	    "to INIT");
	a.qp_state = IBV_QPS_RTR;
	must(ibv_modify_qp(b->qp, &a,
		 IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
		     IBV_QP_MIN_RNR_TIMER) == 0,
	    "to RTR");
	a.qp_state = IBV_QPS_RTS;
	must(ibv_modify_qp(b->qp, &a,
		 IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
		     IBV_QP_MAX_QP_RD_ATOMIC) == 0,
	    "to RTS");
}

void
bench_open(struct bench *b, const char *device)
{
	struct ibv_qp_init_attr a = {
		.cap = { .max_send_wr = DEPTH,
		    .max_recv_wr = 1,
		    .max_send_sge = 1,
		    .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	int i;

	b->ctx = device_open(device);
	must((b->pd = ibv_alloc_pd(b->ctx)) != NULL, "ibv_alloc_pd");
	b->cq = ibv_create_cq(b->ctx, DEPTH, NULL, NULL, 0);
	must(b->cq != NULL, "ibv_create_cq");
	a.send_cq = a.recv_cq = b->cq;
	must((b->qp = ibv_create_qp(b->pd, &a)) != NULL, "ibv_create_qp");
	connect_to_itself(b);
	b->buf = memory_new(BUFFER);
	b->mr = ibv_reg_mr(b->pd, b->buf, BUFFER,
	    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND);
	must(b->mr != NULL, "ibv_reg_mr");
	/* Behind the queue pair: soft-RoCE frees the newest first. */
	for (i = 0; i < OBJECTS; i++) {
		b->one[i] = ibv_alloc_mw(b->pd, IBV_MW_TYPE_1);
		b->two[i] = ibv_alloc_mw(b->pd, IBV_MW_TYPE_2);
		must(b->one[i] != NULL && b->two[i] != NULL, "ibv_alloc_mw");
	}
}

static uint64_t
now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t
timed(struct bench *b, const struct op *op, unsigned count, size_t size)
{
	uint64_t begin, end;

	if (op->before != NULL)
		op->before(b, size);
	begin = now();
	op->run(b, count, size);
	end = now();
	if (op->after != NULL)
		op->after(b);
	return end - begin;
}

static void
answer(struct bench *b, const char *line)
{
	const struct op *op;
	size_t size = PAGE;
	char name[32];
	unsigned count;

	if (sscanf(line, "%31s %u %zu", name, &count, &size) < 2)
		must(false, line);
	for (op = ops; op->name != NULL && strcmp(op->name, name) != 0; op++)
		;
	errno = EINVAL;
	must(op->name != NULL && count <= OBJECTS, line);
	(void)printf("%llu\n", (unsigned long long)timed(b, op, count, size));
	(void)fflush(stdout);
}

int
main(int argc, char **argv)
{
	struct bench *b = calloc(1, sizeof(*b));
	char line[128];

	must(b != NULL, "calloc");
	bench_open(b, argc > 1 ? argv[1] : "rxe0");
	while (fgets(line, sizeof(line), stdin) != NULL)
		answer(b, line);
	free(b);
	return 0;
}
