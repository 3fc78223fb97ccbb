/* SPDX-License-Identifier: MIT */
/* What the files of soft devices (soft*.c) share; others use soft.h. */
#ifndef CORE_SOFTOBJ_H
#define CORE_SOFTOBJ_H

#include <pthread.h>
#include <stddef.h>

#include "backend.h"
#include "pool.h"
#include "softfabric.h"
#include "softkey.h"
#include "softmove.h"

#define SOFT_MAX_MR (1u << 23)
#define SOFT_MAX_MW (1u << 23)
#define SOFT_MAX_PD (1u << 24)

#define SOFT_MAX_QP (1u << 20)
#define SOFT_GIDS   2u

LIST_HEAD(softs, soft);
RB_HEAD(softqp_tree, bk_qp);

/* The lock guards all that follows it, and all of all its devices. */
struct fabric {
	struct pool *pool; /* works off what is queued on queue pairs */
	pthread_mutex_t lock;
	pthread_cond_t moved; /* a mover is through */
	pthread_cond_t unused; /* a queue pair that is to go is not in use */
	struct softs devices;
	struct movers movers; /* in the order of their tickets */
	uint64_t tickets; /* given out */
};

struct soft {
	LIST_ENTRY(soft) link;
	struct fabric *fabric;
	bool lone; /* the fabric is the device's own */
	struct gid gids[SOFT_GIDS];
	struct softkeys keys;
	uint32_t pds, regions, windows, nqps;
	struct softqp_tree qps; /* by number; softqp.h */
	uint32_t next_qpn; /* where to look for a free number */
};

struct bk_pd {
	uint32_t children; /* regions, windows, queue pairs */
};

struct bk_mr {
	struct softkey key;
	uint32_t rights;
	struct mr_keys keys;
	struct bk_pd *pd;
	uint64_t iova;
	uint64_t length;
	uint32_t windows; /* bound to it */
	struct mem mem; /* what it is made of; a copy, core's stays */
};

/* There may be millions of them, so this is small. */
struct bk_mw {
	struct softkey key;
	uint32_t rkey;
	uint8_t rights; /* RIGHT_REMOTE_* and RIGHT_ZERO_BASED */
	uint8_t type; /* enum mw_type */
	struct bk_pd *pd;
	struct bk_mr *mr; /* NULL: not bound */
	struct bk_qp *qp; /* type 2, bound: over this one */
	uint64_t offset; /* from the region's start */
	uint64_t length;
};

static inline struct soft *
soft_lock(struct backend *b)
{
	struct soft *s = b->priv;

	(void)pthread_mutex_lock(&s->fabric->lock);
	return s;
}

static inline void
soft_unlock(struct soft *s)
{
	(void)pthread_mutex_unlock(&s->fabric->lock);
}

/* What more than one file refuses. */
int soft_no_memory(struct err *e);
int soft_no_index(struct err *e);
/* Counts one more of what the device has max of.  Lock held. */
int
soft_count_up(uint32_t *count, uint32_t max, const char *what, struct err *e);

/*
 * Ends a window's binding and key.  Returns the region that it was bound to,
 * or NULL; what still moves by the key is waited for with movers_wait().  Lock
 * held.
 */
struct bk_mr *soft_unbind(struct bk_mw *mw);

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
int soft_qp_create(struct backend *b, struct bk_pd *pd, const struct qp_args *a,
    struct bk_qp **out, struct qp_addr *local, struct err *e);
int soft_qp_destroy(struct backend *b, struct bk_qp *qp, struct err *e);
int soft_qp_connect(struct backend *b, struct bk_qp *qp,
    const struct qp_addr *remote, uint32_t rights, struct err *e);
int soft_qp_rights(
    struct backend *b, struct bk_qp *qp, uint32_t rights, struct err *e);
int soft_qp_state(
    struct backend *b, struct bk_qp *qp, enum qp_state *state, struct err *e);
int soft_qp_post(struct backend *b, struct bk_qp *qp, struct bk_wr *wr);
int soft_qp_recv(struct backend *b, struct bk_qp *qp, struct bk_wr *wr);
void soft_access(struct backend *b, struct bk_pd *pd, struct bk_qp *qp,
    const struct access *a, struct verdict *v);

#endif
