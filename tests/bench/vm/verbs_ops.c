/* SPDX-License-Identifier: MIT */
/*
 * What verbs.c times.  "Chained": posted together, and the last alone has a
 * completion.  Type 1 windows have no work requests, so each of a chain of
 * theirs is a call of ibv_bind_mw(3).
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "verbs.h"

#define REMOTE (IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)
#define LOCAL  (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)

/* Rights that differ from those of the one before. */
static unsigned
rights(unsigned i)
{
	return i % 2 == 0 ? IBV_ACCESS_REMOTE_READ : (unsigned)REMOTE;
}

static void
reg(struct bench *b, unsigned count, size_t size)
{
	unsigned i;

	for (i = 0; i < count; i++) {
		must((b->page[i] = aligned_alloc(PAGE, PAGE)) != NULL,
		    "aligned_alloc");
		b->small[i] = ibv_reg_mr(
		    b->pd, b->page[i], PAGE, LOCAL | IBV_ACCESS_REMOTE_READ);
		must(b->small[i] != NULL, "ibv_reg_mr");
	}
}

/*
 * The device has no ibv_rereg_mr(3): the new region is registered on the same
 * memory before the old one goes, as rdmafs does.
 */
static void
reregister(struct bench *b, struct ibv_mr **mr, unsigned access)
{
	struct ibv_mr *old = *mr;

	*mr = ibv_reg_mr(b->pd, old->addr, old->length, (int)access);
	must(*mr != NULL, "ibv_reg_mr");
	must(ibv_dereg_mr(old) == 0, "ibv_dereg_mr");
}

static void
rereg(struct bench *b, unsigned count, size_t size)
{
	unsigned i;

	for (i = 0; i < count; i++)
		reregister(b, &b->small[i], LOCAL | REMOTE);
}

static void
dereg(struct bench *b, unsigned count, size_t size)
{
	unsigned i;

	for (i = 0; i < count; i++) {
		must(ibv_dereg_mr(b->small[i]) == 0, "ibv_dereg_mr");
		free(b->page[i]);
	}
}

/* Without a length it ends the key. */
static void
post_1(struct bench *b, struct ibv_mw *mw, struct ibv_mr *mr, size_t length,
    unsigned access, bool last)
{
	struct ibv_mw_bind bind = {
		.send_flags = last ? IBV_SEND_SIGNALED : 0,
		.bind_info = { .mr = mr,
		    .addr = length != 0 ? (uintptr_t)mr->addr : 0,
		    .length = length,
		    .mw_access_flags = length != 0 ? access : 0 },
	};

	must(ibv_bind_mw(b->qp, mw, &bind) == 0, "ibv_bind_mw");
	if (last)
		bench_wait(b);
}

static void
bind_1(struct bench *b, unsigned count, size_t size)
{
	unsigned i;

	for (i = 0; i < count; i++)
		post_1(b, b->one[i], b->mr, PAGE, REMOTE, true);
}

static void
end_1(struct bench *b, unsigned count, size_t size)
{
	unsigned i;

	for (i = 0; i < count; i++)
		post_1(b, b->one[i], b->mr, 0, 0, true);
}

static void
chain_1(struct bench *b, unsigned count, size_t size)
{
	unsigned i;

	for (i = 0; i < count; i++)
		post_1(b, b->one[i], b->mr, PAGE, REMOTE, i + 1 == count);
}

static void
chain_end_1(struct bench *b, unsigned count, size_t size)
{
	unsigned i;

	for (i = 0; i < count; i++)
		post_1(b, b->one[i], b->mr, 0, 0, i + 1 == count);
}

static void
fill_bind(struct bench *b, unsigned i, struct ibv_send_wr *wr)
{
	b->key[i] = ibv_inc_rkey(b->two[i]->rkey);
	*wr = (struct ibv_send_wr){
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = { .mw = b->two[i],
		    .rkey = b->key[i],
		    .bind_info = { .mr = b->mr,
			.addr = (uintptr_t)b->buf,
			.length = PAGE,
			.mw_access_flags = REMOTE } },
	};
}

static void
fill_end(struct bench *b, unsigned i, struct ibv_send_wr *wr)
{
	*wr = (struct ibv_send_wr){
		.opcode = IBV_WR_LOCAL_INV,
		.invalidate_rkey = b->key[i],
	};
}

/* wr: the first of a chain.  The device does not store the new keys itself. */
static void
post_2(struct bench *b, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad, *last;

	for (last = wr; last->next != NULL; last = last->next)
		;
	last->send_flags |= IBV_SEND_SIGNALED;
	must(ibv_post_send(b->qp, wr, &bad) == 0, "ibv_post_send");
	bench_wait(b);
	for (; wr != NULL; wr = wr->next)
		if (wr->opcode == IBV_WR_BIND_MW)
			wr->bind_mw.mw->rkey = wr->bind_mw.rkey;
}

static void
single_2(struct bench *b, unsigned count,
    void (*fill)(struct bench *, unsigned, struct ibv_send_wr *))
{
	struct ibv_send_wr wr;
	unsigned i;

	for (i = 0; i < count; i++) {
		fill(b, i, &wr);
		post_2(b, &wr);
	}
}

static void
chained_2(struct bench *b, unsigned count,
    void (*fill)(struct bench *, unsigned, struct ibv_send_wr *))
{
	struct ibv_send_wr wr[OBJECTS];
	unsigned i;

	for (i = 0; i < count; i++) {
		fill(b, i, &wr[i]);
		wr[i].next = i + 1 < count ? &wr[i + 1] : NULL;
	}
	post_2(b, wr);
}

static void
bind_2(struct bench *b, unsigned count, size_t size)
{
	single_2(b, count, fill_bind);
}

static void
end_2(struct bench *b, unsigned count, size_t size)
{
	single_2(b, count, fill_end);
}

static void
chain_2(struct bench *b, unsigned count, size_t size)
{
	chained_2(b, count, fill_bind);
}

static void
chain_end_2(struct bench *b, unsigned count, size_t size)
{
	chained_2(b, count, fill_end);
}

/*
 * As rdmafs must, lest a peer's invalidation of an unbound window be the end of
 * this kernel: the device's window is made for each bind, and freed after.
 */
static void
bind_new(struct bench *b, unsigned count, size_t size)
{
	struct ibv_send_wr wr;
	unsigned i;

	for (i = 0; i < count; i++) {
		b->two[i] = ibv_alloc_mw(b->pd, IBV_MW_TYPE_2);
		must(b->two[i] != NULL, "ibv_alloc_mw");
		fill_bind(b, i, &wr);
		post_2(b, &wr);
	}
}

static void
end_new(struct bench *b, unsigned count, size_t size)
{
	struct ibv_send_wr wr;
	unsigned i;

	for (i = 0; i < count; i++) {
		fill_end(b, i, &wr);
		post_2(b, &wr);
		must(ibv_dealloc_mw(b->two[i]) == 0, "ibv_dealloc_mw");
	}
}

static void
none_yet(struct bench *b, size_t size)
{
	unsigned i;

	for (i = 0; i < OBJECTS; i++)
		must(ibv_dealloc_mw(b->two[i]) == 0, "ibv_dealloc_mw");
}

static void
some_again(struct bench *b)
{
	unsigned i;

	for (i = 0; i < OBJECTS; i++) {
		b->two[i] = ibv_alloc_mw(b->pd, IBV_MW_TYPE_2);
		must(b->two[i] != NULL, "ibv_alloc_mw");
	}
}

static void
write_far(struct bench *b, unsigned count, size_t size)
{
	struct ibv_sge sge = { (uintptr_t)b->buf, (uint32_t)size, b->mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { (uintptr_t)b->buf, b->mr->rkey },
	};

	while (count-- > 0)
		post_2(b, &wr);
}

static void
sized_new(struct bench *b, size_t size)
{
	b->sized = ibv_reg_mr(
	    b->pd, memory_new(size), size, LOCAL | IBV_ACCESS_REMOTE_READ);
	must(b->sized != NULL, "ibv_reg_mr");
	b->over = ibv_alloc_mw(b->pd, IBV_MW_TYPE_1);
	must(b->over != NULL, "ibv_alloc_mw");
}

static void
sized_free(struct bench *b)
{
	void *addr = b->sized->addr;
	size_t size = b->sized->length;

	must(ibv_dealloc_mw(b->over) == 0, "ibv_dealloc_mw");
	must(ibv_dereg_mr(b->sized) == 0, "ibv_dereg_mr");
	(void)munmap(addr, size);
}

/* A type 1 window is bound again while it is bound. */
static void
rights_mw(struct bench *b, unsigned count, size_t size)
{
	while (count-- > 0)
		post_1(b, b->over, b->sized, size, rights(count), true);
}

static void
rights_mr(struct bench *b, unsigned count, size_t size)
{
	while (count-- > 0)
		reregister(b, &b->sized, LOCAL | rights(count));
}

const struct op ops[] = {
	{ "reg", reg },
	{ "rereg", rereg },
	{ "dereg", dereg },
	{ "bind_1", bind_1 },
	{ "end_1", end_1 },
	{ "chain_1", chain_1 },
	{ "chain_end_1", chain_end_1 },
	{ "bind_2", bind_2 },
	{ "end_2", end_2 },
	{ "chain_2", chain_2 },
	{ "chain_end_2", chain_end_2 },
	{ "bind_new", bind_new, none_yet },
	{ "end_new", end_new, NULL, some_again },
	{ "write", write_far },
	{ "rights_mw", rights_mw, sized_new, sized_free },
	{ "rights_mr", rights_mr, sized_new, sized_free },
	{ NULL },
};
