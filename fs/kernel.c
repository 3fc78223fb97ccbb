/* SPDX-License-Identifier: MIT */
/*
 * <dev>/kernel/: what the kernel knows of all processes' objects on a device,
 * and which of them are the daemon's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_line.h"

/* Objects that are looked at in one go, and so kept in memory. */
#define BATCH 4096
/* One that was told of. */
struct row {
	struct kernel_obj k;
	uint64_t own; /* id of the daemon's object that it is; 0: of none */
};

struct batch {
	struct dev *dev;
	enum kernel_kind kind;
	uint64_t after; /* kernel_order() of the last one before */
	size_t n;
	struct row *rows; /* by kernel_order(), BATCH of them */
};

/* The kernel begins anew each time: those before are passed over. */
static int
batch_add(void *arg, const struct kernel_obj *k)
{
	struct batch *b = arg;

	if (kernel_order(b->kind, k) <= b->after)
		return 0;
	b->rows[b->n++] = (struct row){ .k = *k };
	return b->n == BATCH;
}

static struct obj *
own_qp(const struct keys *ks, const struct kernel_obj *k)
{
	struct key *key;

	key = keys_find(ks, KEY_QPN, (uint32_t)k->value[KERNEL_LQPN]);
	if (key == NULL)
		return NULL;
	return obj_of_key(key);
}

static struct obj *
own_mr(const struct keys *ks, const struct kernel_obj *k)
{
	const uint32_t rkey = (uint32_t)k->value[KERNEL_RKEY];
	const uint32_t lkey = (uint32_t)k->value[KERNEL_LKEY];
	struct key *key;

	/* 0: not told, or it has none (D9). */
	if (rkey != 0 && (key = keys_find(ks, KEY_MR, rkey)) != NULL)
		return obj_of_key(key);
	if (lkey != 0 && (key = keys_find(ks, KEY_LKEY, lkey)) != NULL)
		return obj_of_key(key);
	return NULL;
}

/* The daemon's object that k is, by what no two of a device share; lock
 * held. */
static struct obj *
own_obj(const struct dev *d, enum kernel_kind kind, const struct kernel_obj *k)
{
	if (kind == KERNEL_QP)
		return own_qp(&d->keys, k);
	if (kind == KERNEL_MR)
		return own_mr(&d->keys, k);
	return NULL;
}

static int
row_cmp(const void *a, const void *b)
{
	uint64_t pdn = ((const struct row *)a)->k.value[KERNEL_PDN];
	uint64_t other = ((const struct row *)b)->k.value[KERNEL_PDN];

	return pdn < other ? -1 : pdn > other;
}

/* A domain has nothing that the kernel and the daemon both know, but what is
 * in it has: it is the parent of that. */
static int
batch_domain(struct batch *b, enum kernel_kind kind, const struct kernel_obj *k)
{
	struct row find = { .own = 0 }, *row;
	struct obj *o;

	find.k.value[KERNEL_PDN] = k->value[KERNEL_PDN];
	row = bsearch(&find, b->rows, b->n, sizeof(find), row_cmp);
	if (row == NULL || row->own != 0)
		return 0;
	world_lock(b->dev->o.world);
	if ((o = own_obj(b->dev, kind, k)) != NULL)
		row->own = o->parent->id;
	world_unlock(b->dev->o.world);
	return 0;
}

static int
batch_domain_of_mr(void *arg, const struct kernel_obj *k)
{
	return batch_domain(arg, KERNEL_MR, k);
}

static int
batch_domain_of_qp(void *arg, const struct kernel_obj *k)
{
	return batch_domain(arg, KERNEL_QP, k);
}

static void
batch_find_own(struct batch *b)
{
	const char *name = b->dev->b.info.name;
	struct obj *o;
	size_t i;

	if (b->kind == KERNEL_PD) {
		/* Without an answer their paths are not known. */
		(void)kernel_dump(name, KERNEL_MR, batch_domain_of_mr, b, NULL);
		(void)kernel_dump(name, KERNEL_QP, batch_domain_of_qp, b, NULL);
		return;
	}
	for (i = 0; i < b->n; i++) {
		world_lock(b->dev->o.world);
		o = own_obj(b->dev, b->kind, &b->rows[i].k);
		b->rows[i].own = o != NULL ? o->id : 0;
		world_unlock(b->dev->o.world);
	}
}

static void
batch_print(const struct batch *b, const struct view *v, struct text *t)
{
	struct kernel_task task = { .task = 0 };
	size_t i;

	for (i = 0; i < b->n; i++)
		kernel_line(
		    v, b->kind, &b->rows[i].k, b->rows[i].own, &task, t);
}

static int
kernel_more(const struct view *v, struct cursor *c, struct text *t,
    enum kernel_kind kind)
{
	struct batch b = {
		.dev = dev_of(v->o), .kind = kind, .after = c->id[0]
	};
	int r;

	if (!b.dev->b.info.in_kernel)
		return 0;
	if ((b.rows = calloc(BATCH, sizeof(*b.rows))) == NULL)
		return -ENOMEM;
	r = kernel_dump(b.dev->b.info.name, kind, batch_add, &b, NULL);
	if (r >= 0) {
		batch_find_own(&b);
		batch_print(&b, v, t);
		if (b.n > 0)
			c->id[0] = kernel_order(kind, &b.rows[b.n - 1].k);
	}
	explicit_bzero(b.rows, b.n * sizeof(*b.rows)); /* keys */
	free(b.rows);
	return r == -EOPNOTSUPP ? -ENODATA : r;
}

/* Room for some that come between a stat(2) and a read. */
#define SLACK 8

static uint64_t
kernel_bound(const struct view *v, enum kernel_kind kind)
{
	const struct dev_info *info = &dev_of(v->o)->b.info;
	uint64_t count;

	if (!info->in_kernel ||
	    kernel_count(info->name, kind, &count, NULL) < 0)
		return 0;
	return (count + SLACK) * KERNEL_LINE;
}

#define KIND(name, kind)                                            \
	static int name##_more(                                     \
	    const struct view *v, struct cursor *c, struct text *t) \
	{                                                           \
		return kernel_more(v, c, t, kind);                  \
	}                                                           \
	static uint64_t name##_bound(const struct view *v)          \
	{                                                           \
		return kernel_bound(v, kind);                       \
	}
KIND(pd, KERNEL_PD)
KIND(mr, KERNEL_MR)
KIND(qp, KERNEL_QP)
KIND(cq, KERNEL_CQ)
KIND(ctx, KERNEL_CTX)
KIND(srq, KERNEL_SRQ)

#define ROW(name)                                                  \
	{                                                          \
#name, .more = name##_more, .bound = name##_bound, \
		       .flags = FILE_UNLOCKED                      \
	}
static const struct file kernel_files[] = {
	ROW(pd),
	ROW(mr),
	ROW(qp),
	ROW(cq),
	ROW(ctx),
	ROW(srq),
	{ NULL },
};

const struct dirtype kernel_dir = {
	.name = "kernel",
	.pattern = "/<dev>/kernel",
	.kind = KIND_DEV,
	.number = 4,
	.files = kernel_files,
	.children = -1,
};
