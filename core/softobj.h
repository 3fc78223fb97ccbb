/* SPDX-License-Identifier: MIT */
/* What the files of soft devices (soft*.c) share; others use soft.h. */
#ifndef CORE_SOFTOBJ_H
#define CORE_SOFTOBJ_H

#include <pthread.h>
#include <stddef.h>

#include "backend.h"
#include "softkey.h"

#define SOFT_MAX_MR (1u << 23)
#define SOFT_MAX_MW (1u << 23)
#define SOFT_MAX_PD (1u << 24)

/* The lock guards all that follows it, and all objects of the device. */
struct soft {
	unsigned number; /* of the device: soft<number> */
	pthread_mutex_t lock;
	struct softkeys keys;
	uint32_t pds, regions, windows;
};

struct bk_pd {
	uint32_t children; /* regions and windows */
};

struct bk_mr {
	struct softkey key;
	uint32_t rights;
	struct mr_keys keys;
	struct bk_pd *pd;
	uint64_t iova;
	uint64_t length;
	uint32_t windows; /* bound to it */
};

/* There may be millions of them, so this is small. */
struct bk_mw {
	struct softkey key;
	uint32_t rkey;
	uint8_t rights; /* RIGHT_REMOTE_* and RIGHT_ZERO_BASED */
	uint8_t type; /* enum mw_type */
	struct bk_pd *pd;
	struct bk_mr *mr; /* NULL: not bound */
	uint64_t offset; /* from the region's start */
	uint64_t length;
};

static inline struct soft *
soft_lock(struct backend *b)
{
	struct soft *s = b->priv;

	(void)pthread_mutex_lock(&s->lock);
	return s;
}

static inline void
soft_unlock(struct soft *s)
{
	(void)pthread_mutex_unlock(&s->lock);
}

/* The object that a key is part of. */
static inline struct bk_mr *
softkey_region(struct softkey *k)
{
	return (struct bk_mr *)((char *)k - offsetof(struct bk_mr, key));
}

static inline struct bk_mw *
softkey_window(struct softkey *k)
{
	return (struct bk_mw *)((char *)k - offsetof(struct bk_mw, key));
}

/* The remote address of a region's first byte. */
static inline uint64_t
soft_region_start(const struct bk_mr *mr)
{
	return mr->rights & RIGHT_ZERO_BASED ? 0 : mr->iova;
}

/* Operations; see backend.h. */
int soft_pd_alloc(struct backend *b, struct bk_pd **out, struct err *e);
int soft_pd_free(struct backend *b, struct bk_pd *pd, struct err *e);
int
soft_mr_reg(struct backend *b, struct bk_pd *pd, struct mem *mem, uint64_t iova,
    uint32_t rights, struct bk_mr **out, struct mr_keys *keys, struct err *e);
int soft_mr_rereg(struct backend *b, struct bk_mr *mr, struct bk_pd *pd,
    uint32_t rights, struct mr_keys *keys, bool *gone, struct err *e);
int soft_mr_dereg(struct backend *b, struct bk_mr *mr, struct err *e);
int soft_mw_alloc(struct backend *b, struct bk_pd *pd, enum mw_type type,
    struct bk_mw **out, struct err *e);
int soft_mw_free(struct backend *b, struct bk_mw *mw, struct err *e);
int soft_mw_bind(struct backend *b, struct bk_mw *mw, struct bk_mr *mr,
    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req);
int soft_mw_invalidate(struct backend *b, struct bk_mw *mw, struct bk_req *req);
void soft_access(struct backend *b, struct bk_pd *pd, struct bk_qp *qp,
    const struct access *a, struct verdict *v);

#endif
