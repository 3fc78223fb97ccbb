/* SPDX-License-Identifier: MIT */
/*
 * verbs_check DEVICE: what core's verbs devices promise in backend.h, tried on
 * a real one (in the guest of boot.sh: rxe0).  Prints TAP.  A peer of its own,
 * a queue pair connected to itself, finds out which keys open memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "verbs.h"
#include "verbs_check.h"
#include "verbs_impl.h"

#define PATIENCE 60 /* seconds */

/* A step that the rest depends on. */
void
must(int r, const struct err *e, const char *what)
{
	if (!ok(r == 0, "%s", what))
		bail_out("%s", e->text);
}

static void
job_done(struct bk_req *req, int r)
{
	struct job *job = (struct job *)req; /* its first member */

	job->r = r;
	(void)sem_post(&job->over);
}

void
job_init(struct job *job)
{
	memset(job, 0, sizeof(*job));
	job->wr.req.done = job_done;
	job->wr.req.e = &job->e;
	(void)sem_init(&job->over, 0, 0);
}

/* r: what posting returned. */
void
job_posted(struct job *job, int r)
{
	if (r != PENDING)
		job_done(&job->wr.req, r);
}

/* What never ends would hold up all tests until the guest dies. */
int
job_wait(struct job *job)
{
	struct timespec end;

	(void)clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += PATIENCE;
	while (sem_timedwait(&job->over, &end) != 0)
		if (errno == ETIMEDOUT)
			bail_out("a request has not ended");
	(void)sem_destroy(&job->over);
	return job->r;
}

static enum ibv_wc_status
peer_post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };
	struct ibv_send_wr *bad;

	if (ibv_post_send(qp, wr, &bad) == 0)
		while (ibv_poll_cq(qp->send_cq, 1, &wc) == 0)
			;
	return wc.status;
}

bool
opens(struct check *c, uint32_t key, unsigned i)
{
	struct verbs_dev *d = c->dev.priv;
	uintptr_t addr = (uintptr_t)c->mem.addr;
	struct ibv_cq *cq = ibv_create_cq(d->ctx, 1, NULL, NULL, 0);
	struct ibv_qp_init_attr a = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { 1, 1, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(c->pd->pd, &a);
	struct ibv_qp_attr rights = { .qp_access_flags = RIGHT_REMOTE };
	struct ibv_sge sge = { addr, 1, c->keys.lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { addr + i * PIECE % SIZE, key },
	};
	bool can;

	if (loop_connect(qp, c->dev.info.port_count, NULL) < 0 ||
	    ibv_modify_qp(qp, &rights, IBV_QP_ACCESS_FLAGS) != 0)
		bail_out("no peer");
	can = peer_post(qp, &wr) == IBV_WC_SUCCESS;
	(void)ibv_destroy_qp(qp);
	(void)ibv_destroy_cq(cq);
	return can;
}

/* The counts of the kernel's objects, of which some are its own. */
static void
resources(char *line, size_t size)
{
	FILE *p = popen("rdma resource show", "r");

	if (p == NULL)
		bail_out("no rdma(8)");
	line[fread(line, 1, size - 1, p)] = '\0';
	(void)pclose(p);
}

static bool
fds_close_on_exec(void)
{
	int fd, flags;

	for (fd = 3; fd < 256; fd++)
		if ((flags = fcntl(fd, F_GETFD)) != -1 && !(flags & FD_CLOEXEC))
			return false;
	return true;
}

static void
check_open(struct check *c, const char *name)
{
	char **names;
	size_t i, n, found = 0;
	struct err e;
	int r;

	must(verbs_names(&names, &n, &e), &e, "names");
	for (i = 0; i < n; i++)
		found += strcmp(names[i], name) == 0;
	ok(found == 1, "%s is one of %zu", name, n);
	verbs_names_free(names, n);
	r = backend_open(&c->dev, &verbs_ops, "no_such", NULL, NULL, NULL, &e);
	is_int(r, -ENODEV, "unknown device: %s", e.text);
	r = backend_open(&c->dev, &verbs_ops, name, NULL, NULL, NULL, &e);
	must(r, &e, "open");
	ok(fds_close_on_exec(), "descriptors close on exec");
}

static void
check_info(struct check *c)
{
	const struct dev_info *info = &c->dev.info;
	const struct gid empty = { 0 };
	struct port_info port;
	struct gid gid;
	struct err e;
	unsigned i, used = 0;

	printf("# fw=%s vendor=0x%x caps=0x%x breaks=%s max_mw=%u max_mr=%u\n",
	    info->fw_ver, info->vendor_id, info->caps, info->breaks,
	    info->max_mw, info->max_mr);
	ok(info->caps & CAP_MW_TYPE_1 && info->node_guid != 0, "has windows");
	must(backend_port_query(&c->dev, 1, &port, &e), &e, "port 1");
	is_str(port.state_name, "4: ACTIVE", "%s, mtu %u, lid %u",
	    port.link_layer, port.mtu, port.lid);
	for (i = 0; i < port.gid_count; i++) {
		if (backend_gid_query(&c->dev, 1, i, &gid, &e) < 0)
			break;
		used += memcmp(&gid, &empty, sizeof(gid)) != 0;
	}
	ok(i == port.gid_count && used > 0, "%u of %u GIDs are used", used, i);
	ok(backend_gid_query(&c->dev, 1, 100000, &gid, &e) < 0,
	    "GID out of range: %s", e.text);
}

int
reg(struct check *c, uint64_t iova, uint32_t rights, struct bk_mr **mr,
    struct mr_keys *keys, struct err *e)
{
	return backend_mr_reg(
	    &c->dev, c->pd, &c->mem, iova, rights, mr, keys, e);
}

/* Every combination of the first five rights that is legal (M2). */
static void
check_rights(struct check *c)
{
	const uint32_t writing = RIGHT_REMOTE_WRITE | RIGHT_REMOTE_ATOMIC;
	const uint64_t addr = (uintptr_t)c->mem.addr;
	struct mr_keys keys;
	struct bk_mr *mr;
	struct err e;
	unsigned wrong = 0;
	uint32_t rights;

	for (rights = 0; rights < 32; rights++) {
		if (rights & writing && !(rights & RIGHT_LOCAL_WRITE))
			continue;
		if (reg(c, addr, rights, &mr, &keys, &e) < 0 ||
		    (rights & RIGHT_REMOTE && keys.rkey == 0) ||
		    backend_mr_dereg(&c->dev, mr, &e) < 0)
			wrong++;
	}
	ok(wrong == 0, "all legal rights register");
	is_int(reg(c, addr, RIGHT_REMOTE_WRITE, &mr, &keys, &e), -EINVAL,
	    "remote_write alone: %s", e.text);
}

static void
check_regions(struct check *c)
{
	const uint32_t rights = RIGHT_LOCAL_WRITE | RIGHT_REMOTE_READ;
	const uint64_t addr = (uintptr_t)c->mem.addr;
	struct mr_keys keys;
	struct bk_mr *mr;
	struct err e;
	bool gone;
	int r;

	r = reg(c, addr,
	    rights | RIGHT_REMOTE | RIGHT_MW_BIND | RIGHT_RELAXED_ORDERING,
	    &c->good, &c->keys, &e);
	must(r, &e, "region with mw_bind");
	r = reg(c, addr, rights, &c->bad, &keys, &e);
	must(r, &e, "region without");
	r = reg(c, 0x7000000, rights, &mr, &keys, &e);
	must(r, &e, "region with an iova");
	must(backend_mr_dereg(&c->dev, mr, &e), &e, "deregistered");
	r = reg(c, addr, rights | RIGHT_HUGETLB, &mr, &keys, &e);
	must(r, &e, "region with hugetlb");
	r = backend_mr_rereg(
	    &c->dev, mr, NULL, RIGHT_REMOTE_READ, &keys, &gone, &e);
	ok((r == 0 || r == -EOPNOTSUPP) && !gone, "rereg: %s", e.text);
	ok(opens(c, keys.rkey, 0), "its key works on");
	must(backend_mr_dereg(&c->dev, mr, &e), &e, "deregistered");
	ok(!opens(c, keys.rkey, 0), "its key is dead");
}

static void
check_close(struct check *c)
{
	struct err e;

	must(backend_mr_dereg(&c->dev, c->good, &e), &e, "deregistered");
	must(backend_mr_dereg(&c->dev, c->bad, &e), &e, "deregistered");
	must(backend_pd_free(&c->dev, c->pd, &e), &e, "domain freed");
	backend_close(&c->dev);
	mem_free(&c->mem);
}

int
main(int argc, char **argv)
{
	struct check c = { 0 };
	char before[256], after[256];
	struct err e;

	if (argc != 2)
		bail_out("usage: verbs_check DEVICE");
	resources(before, sizeof(before));
	check_open(&c, argv[1]);
	check_info(&c);
	must(mem_new(&c.mem, SIZE, 0, &e), &e, "memory");
	must(backend_pd_alloc(&c.dev, &c.pd, &e), &e, "domain");
	check_rights(&c);
	check_regions(&c);
	check_type_1(&c);
	check_queue_pairs(&c);
	check_type_2(&c);
	check_chains(&c);
	check_ends(&c);
	check_events(&c);
	check_close(&c);
	resources(after, sizeof(after));
	is_str(after, before, "nothing is left");
	return done_testing();
}
