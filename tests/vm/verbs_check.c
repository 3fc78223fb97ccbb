/* SPDX-License-Identifier: MIT */
/*
 * verbs_check DEVICE: what core's verbs devices promise in backend.h, tried on
 * a real one (in the guest of boot.sh: rxe0).  Prints TAP.  A peer of its own,
 * a queue pair connected to itself, finds out which keys open memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "verbs.h"
#include "verbs_impl.h"

#define SIZE   (256 * 1024) /* bytes of each region */
#define PIECE  4096 /* bytes of each window */
#define CROWD  600 /* windows at once: more than a queue holds */
#define GUILTY 37 /* each so many-th bind of a crowd is refused */

struct check {
	struct backend dev;
	struct bk_pd *pd;
	struct mem mem;
	struct bk_mr *good, *bad; /* with and without mw_bind */
	struct mr_keys keys; /* of good */
};

/* A request that somebody waits for. */
struct job {
	struct bk_req req;
	struct err e;
	sem_t over;
	int r;
};

static int tests, failures;

static bool __attribute__((format(printf, 2, 3)))
ok(bool good, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++tests);
	va_start(ap, fmt);
	(void)vprintf(fmt, ap);
	va_end(ap);
	(void)putchar('\n');
	(void)fflush(stdout);
	failures += !good;
	return good;
}

/* A step that the rest depends on. */
static void
must(int r, const struct err *e, const char *what)
{
	if (ok(r == 0, "%s", what))
		return;
	printf("Bail out! %s: %s\n", what, e->text);
	exit(1);
}

static void
job_done(struct bk_req *req, int r)
{
	struct job *job = (struct job *)req; /* its first member */

	job->r = r;
	(void)sem_post(&job->over);
}

static void
job_init(struct job *job)
{
	memset(job, 0, sizeof(*job));
	job->req.done = job_done;
	job->req.e = &job->e;
	(void)sem_init(&job->over, 0, 0);
}

static int
job_wait(struct job *job)
{
	while (sem_wait(&job->over) != 0)
		;
	(void)sem_destroy(&job->over);
	return job->r;
}

/* r: what posting returned. */
static void
job_posted(struct job *job, int r)
{
	if (r != PENDING)
		job_done(&job->req, r);
}

static void
bind_start(struct check *c, struct job *job, struct bk_mw *mw, bool good,
    unsigned piece)
{
	const struct bind_args args = {
		.offset = (uint64_t)piece % (SIZE / PIECE) * PIECE,
		.length = PIECE,
		.rights = RIGHT_REMOTE_READ | RIGHT_REMOTE_WRITE,
	};

	job_init(job);
	job_posted(job, backend_mw_bind(&c->dev, mw, good ? c->good : c->bad,
			    &args, &job->req));
}

static int
bind_now(struct check *c, struct bk_mw *mw, bool good, unsigned piece,
    uint32_t *key, struct err *e)
{
	struct job job;
	int r;

	bind_start(c, &job, mw, good, piece);
	r = job_wait(&job);
	*e = job.e;
	*key = job.req.rkey;
	return r;
}

static int
invalidate_now(struct check *c, struct bk_mw *mw)
{
	struct job job;

	job_init(&job);
	job_posted(&job, backend_mw_invalidate(&c->dev, mw, &job.req));
	return job_wait(&job);
}

/* What a peer meets that reads the first byte of piece with key. */
static enum ibv_wc_status
peer_read(struct check *c, uint32_t key, unsigned piece)
{
	struct verbs_dev *d = c->dev.priv;
	char *addr = c->mem.addr;
	struct ibv_cq *cq = ibv_create_cq(d->ctx, 1, NULL, NULL, 0);
	struct ibv_qp_init_attr a = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { 1, 1, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(c->pd->pd, &a);
	struct ibv_qp_attr rights = { .qp_access_flags = RIGHT_REMOTE };
	struct ibv_sge sge = { (uintptr_t)addr, 1, c->keys.lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)addr + piece * PIECE, key },
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };

	if (loop_connect(qp, c->dev.info.port_count, NULL) == 0 &&
	    ibv_modify_qp(qp, &rights, IBV_QP_ACCESS_FLAGS) == 0 &&
	    ibv_post_send(qp, &wr, &bad) == 0)
		while (ibv_poll_cq(cq, 1, &wc) == 0)
			;
	(void)ibv_destroy_qp(qp);
	(void)ibv_destroy_cq(cq);
	return wc.status;
}

static bool
opens(struct check *c, uint32_t key, unsigned piece)
{
	return peer_read(c, key, piece) == IBV_WC_SUCCESS;
}

/* The counts of the kernel's objects, of which some are its own. */
static void
resources(char *line, size_t size)
{
	FILE *p = popen("rdma resource show", "r");

	line[0] = '\0';
	if (p == NULL)
		return;
	line[fread(line, 1, size - 1, p)] = '\0';
	(void)pclose(p);
}

static void
check_open(struct check *c, const char *name)
{
	char **names;
	size_t i, n;
	bool found = false;
	struct err e;
	int fd, flags;

	must(verbs_names(&names, &n, &e), &e, "names");
	for (i = 0; i < n; i++)
		found |= strcmp(names[i], name) == 0;
	ok(found, "%s is among %zu names", name, n);
	verbs_names_free(names, n);
	ok(backend_open(&c->dev, &verbs_ops, "no_such", NULL, NULL, &e) ==
		    -ENODEV &&
		strstr(e.text, "no_such") != NULL,
	    "unknown device: %s", e.text);
	must(backend_open(&c->dev, &verbs_ops, name, NULL, NULL, &e), &e,
	    "open");
	for (fd = 3, found = true; fd < 256; fd++)
		if ((flags = fcntl(fd, F_GETFD)) != -1)
			found &= (flags & FD_CLOEXEC) != 0;
	ok(found, "descriptors close on exec");
}

static void
check_info(struct check *c)
{
	const struct dev_info *info = &c->dev.info;
	struct port_info port;
	struct gid gid;
	struct err e;
	unsigned i, used = 0;

	printf("# fw=%s vendor=0x%x caps=0x%x breaks=%s max_mw=%u max_mr=%u\n",
	    info->fw_ver, info->vendor_id, info->caps, info->breaks,
	    info->max_mw, info->max_mr);
	ok(info->caps & CAP_MW_TYPE_1 && info->node_guid != 0, "has windows");
	must(backend_port_query(&c->dev, 1, &port, &e), &e, "port 1");
	printf("# %s %s mtu=%u lid=%u\n", port.state_name, port.link_layer,
	    port.mtu, port.lid);
	ok(strcmp(port.state_name, "4: ACTIVE") == 0, "port is active");
	for (i = 0; i < port.gid_count; i++) {
		if (backend_gid_query(&c->dev, 1, i, &gid, &e) < 0)
			break;
		used += memcmp(&gid, &(struct gid){ 0 }, sizeof(gid)) != 0;
	}
	ok(i == port.gid_count && used > 0, "%u of %u GIDs are used", used, i);
	ok(backend_gid_query(&c->dev, 1, 100000, &gid, &e) < 0,
	    "GID out of range: %s", e.text);
}

/* Every combination of the first five rights that is legal (M2). */
static void
check_rights(struct check *c)
{
	const uint32_t writing = RIGHT_REMOTE_WRITE | RIGHT_REMOTE_ATOMIC;
	struct mr_keys keys;
	struct bk_mr *mr;
	struct err e;
	unsigned wrong = 0;
	uint32_t rights;

	for (rights = 0; rights < 32; rights++) {
		if (rights & writing && !(rights & RIGHT_LOCAL_WRITE))
			continue;
		if (backend_mr_reg(&c->dev, c->pd, &c->mem,
			(uintptr_t)c->mem.addr, rights, &mr, &keys, &e) == 0 &&
		    (!(rights & RIGHT_REMOTE) || keys.rkey != 0) &&
		    backend_mr_dereg(&c->dev, mr, &e) == 0)
			continue;
		printf("# rights 0x%x: %s\n", rights, e.text);
		wrong++;
	}
	ok(wrong == 0, "all legal rights register");
	ok(backend_mr_reg(&c->dev, c->pd, &c->mem, (uintptr_t)c->mem.addr,
	       RIGHT_REMOTE_WRITE, &mr, &keys, &e) == -EINVAL,
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

	must(backend_mr_reg(&c->dev, c->pd, &c->mem, addr,
		 rights | RIGHT_MW_BIND | RIGHT_RELAXED_ORDERING, &c->good,
		 &c->keys, &e),
	    &e, "region with mw_bind");
	must(backend_mr_reg(
		 &c->dev, c->pd, &c->mem, addr, rights, &c->bad, &keys, &e),
	    &e, "region without");
	must(backend_mr_reg(
		 &c->dev, c->pd, &c->mem, 0x7000000, rights, &mr, &keys, &e),
	    &e, "region with an iova");
	must(backend_mr_dereg(&c->dev, mr, &e), &e, "deregistered");
	must(backend_mr_reg(&c->dev, c->pd, &c->mem, addr,
		 rights | RIGHT_HUGETLB, &mr, &keys, &e),
	    &e, "region with hugetlb");
	r = backend_mr_rereg(
	    &c->dev, mr, NULL, RIGHT_REMOTE_READ, &keys, &gone, &e);
	ok((r == 0 || r == -EOPNOTSUPP) && !gone, "rereg: %s",
	    r == 0 ? "done" : e.text);
	ok(opens(c, keys.rkey, 0), "its key works on");
	must(backend_mr_dereg(&c->dev, mr, &e), &e, "deregistered");
	ok(!opens(c, keys.rkey, 0), "its key is dead");
}

/* One window through its life; what its keys open says who is right. */
static void
check_window(struct check *c)
{
	struct bk_mw *mw, *two;
	uint32_t first, second, none;
	struct err e;

	must(
	    backend_mw_alloc(&c->dev, c->pd, MW_TYPE_1, &mw, &e), &e, "window");
	must(bind_now(c, mw, true, 1, &first, &e), &e, "bound");
	ok(opens(c, first, 1), "its key opens it");
	ok(bind_now(c, mw, false, 1, &none, &e) == -EIO && e.text[0] != '\0',
	    "refused: %s", e.text);
	ok(opens(c, first, 1), "the old key still does (W6)");
	must(bind_now(c, mw, true, 2, &second, &e), &e, "bound anew");
	ok(second >> 8 == first >> 8 && second != first, "same index (W9)");
	ok(opens(c, second, 2) && !opens(c, first, 2), "only the new key");
	must(invalidate_now(c, mw), &e, "invalidated");
	ok(!opens(c, second, 2), "no key");
	must(bind_now(c, mw, true, 3, &first, &e), &e, "bound again");
	must(backend_mw_free(&c->dev, mw, &e), &e, "freed while bound");
	ok(!opens(c, first, 3), "no key");

	must(backend_mw_alloc(&c->dev, c->pd, MW_TYPE_2, &two, &e), &e,
	    "type 2 window");
	ok(bind_now(c, two, true, 0, &none, &e) == -EOPNOTSUPP, "%s", e.text);
	must(backend_mw_free(&c->dev, two, &e), &e, "freed");
}

/* One thread: rounds of binds of its own windows, then invalidations. */
static void *
bind_some(void *arg)
{
	struct check *c = arg;
	struct bk_mw *mw[4];
	struct job jobs[4];
	struct err e;
	uint32_t key;
	intptr_t wrong = 0;
	unsigned i, round;

	for (i = 0; i < 4; i++)
		if (backend_mw_alloc(&c->dev, c->pd, MW_TYPE_1, &mw[i], &e) < 0)
			return (void *)1;
	for (round = 0; round < 125; round++) {
		for (i = 0; i < 4; i++)
			bind_start(c, &jobs[i], mw[i], true, i);
		for (i = 0; i < 4; i++)
			wrong += job_wait(&jobs[i]) != 0;
		wrong += invalidate_now(c, mw[round % 4]) != 0;
		wrong += bind_now(c, mw[round % 4], false, 0, &key, &e) != -EIO;
	}
	for (i = 0; i < 4; i++)
		wrong += backend_mw_free(&c->dev, mw[i], &e) != 0;
	return (void *)wrong;
}

static void
check_threads(struct check *c)
{
	pthread_t threads[4];
	intptr_t wrong = 0;
	void *one;
	int i;

	for (i = 0; i < 4; i++)
		(void)pthread_create(&threads[i], NULL, bind_some, c);
	for (i = 0; i < 4; i++) {
		(void)pthread_join(threads[i], &one);
		wrong += (intptr_t)one;
	}
	ok(wrong == 0,
	    "2000 binds, 500 invalidations and 500 refused binds of 4 threads "
	    "(%jd wrong)",
	    (intmax_t)wrong);
}

/*
 * More than a queue holds at once, and refused ones among them (D5).  Those
 * right behind a refused one must be bound in truth.
 */
static void
check_crowd(struct check *c)
{
	static struct bk_mw *mw[CROWD];
	static struct job jobs[CROWD];
	struct err e;
	unsigned i, blamed = 0, spared = 0, dead = 0;

	for (i = 0; i < CROWD; i++)
		if (backend_mw_alloc(&c->dev, c->pd, MW_TYPE_1, &mw[i], &e) < 0)
			must(-1, &e, "windows of a crowd");
	for (i = 0; i < CROWD; i++)
		bind_start(c, &jobs[i], mw[i], i % GUILTY != 0, i);
	for (i = 0; i < CROWD; i++)
		if (i % GUILTY == 0)
			spared += job_wait(&jobs[i]) != -EIO;
		else
			blamed += job_wait(&jobs[i]) != 0;
	for (i = 1; i < CROWD; i += GUILTY)
		dead += !opens(c, jobs[i].req.rkey, i % (SIZE / PIECE));
	ok(blamed == 0, "%u good binds of %d were blamed", blamed, CROWD);
	ok(spared == 0, "%u bad ones were not refused", spared);
	ok(dead == 0, "%u keys behind a refused one are dead", dead);
	for (i = 0; i < CROWD; i++)
		(void)backend_mw_free(&c->dev, mw[i], &e);
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
	int i;

	if (argc != 2) {
		(void)fprintf(stderr, "usage: verbs_check DEVICE\n");
		return 2;
	}
	resources(before, sizeof(before));
	check_open(&c, argv[1]);
	check_info(&c);
	must(mem_new(&c.mem, SIZE, 0, &e), &e, "memory");
	must(backend_pd_alloc(&c.dev, &c.pd, &e), &e, "domain");
	check_rights(&c);
	check_regions(&c);
	check_window(&c);
	check_threads(&c);
	for (i = 0; i < 4; i++)
		check_crowd(&c);
	check_close(&c);
	resources(after, sizeof(after));
	ok(before[0] != '\0' && strcmp(before, after) == 0,
	    "nothing is left: %s", after);
	printf("1..%d\n", tests);
	return failures != 0;
}
