/* SPDX-License-Identifier: MIT */
/*
 * What verbs*.c share among themselves: the handles behind the backend's
 * opaque types, and the one place for the mixed error conventions of the
 * verbs.  Nobody else includes this.
 *
 * Lock order: bk_pd.lock, verbs_dev.lock.  No verb that may sleep is called
 * under the latter, for posting and the listener need it.
 */
#ifndef CORE_VERBS_IMPL_H
#define CORE_VERBS_IMPL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <infiniband/verbs.h>

#include "backend.h"

/* soft-RoCE's; no maker of devices has it. */
#define RXE_VENDOR_ID 0xffffff

LIST_HEAD(bindq_list, bindq);
TAILQ_HEAD(mw_list, bk_mw);

struct verbs_dev {
	struct ibv_context *ctx;
	struct ibv_comp_channel *channel; /* of every completion queue */
	int stop; /* eventfd: readable when the listener is to end */
	pthread_t listener;
	bool listening; /* there is a listener to join */
	/* Guards the queues with all that is in them. */
	pthread_mutex_t lock;
	struct bindq_list queues;
};

struct bk_pd {
	struct ibv_pd *pd;
	pthread_mutex_t lock;
	struct bindq *binds; /* lock; NULL until a type 1 window is made */
};

struct bk_mr {
	struct ibv_mr *mr;
	uint64_t iova; /* remote address of the first byte */
};

struct bk_mw {
	struct ibv_mw *mw;
	struct bindq *binds; /* its domain's; NULL for type 2 */
	struct bk_mr *mr; /* bound to; NULL: unbound */

	/* The bind that is under way, if any; guarded by verbs_dev.lock. */
	struct bk_req *req;
	struct ibv_mw_bind bind;
	struct bk_mr *target; /* mr after success */
	uint32_t old_rkey; /* the key that works until then (D3) */
	int result; /* for req->done */
	TAILQ_ENTRY(bk_mw) link;
};

/* verbs_err.c: every convention of the verbs becomes -errno and a text. */

/*
 * verb failed with code: its return value if it returns errnos, errno if it
 * returns NULL or -1.
 */
int verbs_fail(struct err *e, int code, const char *verb);
/* As verbs_fail(), for a verb that makes one of at most max things. */
int verbs_alloc_fail(
    struct err *e, int code, const char *verb, const char *limit, uint32_t max);
/*
 * ibv_rereg_mr() returned ret and left code in errno.  *gone: the old region
 * is no more.
 */
int verbs_rereg_fail(struct err *e, int ret, int code, bool *gone);
/* What was asked for completed with status. */
int verbs_wc_fail(struct err *e, enum ibv_wc_status status, const char *what);

/* verbs_info.c: what a device is. */

int
verbs_describe(struct ibv_context *ctx, struct dev_info *info, struct err *e);
int verbs_port_query(
    struct backend *b, unsigned port, struct port_info *out, struct err *e);
int verbs_gid_query(struct backend *b, unsigned port, unsigned index,
    struct gid *out, struct err *e);

/* verbs_listen.c: the thread that waits for a device's completions. */

int listener_start(struct verbs_dev *d, struct err *e);
/* Takes a device whose listener failed to start, too. */
void listener_stop(struct verbs_dev *d);

/* verbs_loop.c: queue pairs that are connected to themselves. */

/* Brings a new qp, on a device with so many ports, to RTS.  Sleeps. */
int loop_connect(struct ibv_qp *qp, unsigned ports, struct err *e);

/* verbs_bindq.c: the queue pair over which a domain binds type 1 windows. */

/* Both sleep.  Nothing is under way in a queue that is freed. */
int bindq_new(
    struct backend *b, struct ibv_pd *pd, struct bindq **out, struct err *e);
int bindq_free(struct bindq *q, struct err *e);
/* Posts mw->bind, or keeps it until there is room.  PENDING or -errno. */
int bindq_post(struct bindq *q, struct bk_mw *mw);
/*
 * For the listener: asks for the next event and handles what has completed.
 * Calls done; sleeps if the queue pair has to be replaced.  Returns 0, or
 * -errno: there will be no event.
 */
int bindq_drain(struct verbs_dev *d, struct bindq *q);
/* For the listener: the device is gone, so is all that is under way. */
void bindq_abort(struct verbs_dev *d);

/* verbs_mr.c, verbs_mw.c: the operations of backend.h. */

int verbs_mr_reg(struct backend *b, struct bk_pd *pd, struct mem *mem,
    uint64_t iova, uint32_t rights, struct bk_mr **out, struct mr_keys *keys,
    struct err *e);
int verbs_mr_rereg(struct backend *b, struct bk_mr *mr, struct bk_pd *pd,
    uint32_t rights, struct mr_keys *keys, bool *gone, struct err *e);
int verbs_mr_dereg(struct backend *b, struct bk_mr *mr, struct err *e);

int verbs_mw_alloc(struct backend *b, struct bk_pd *pd, enum mw_type type,
    struct bk_mw **out, struct err *e);
int verbs_mw_free(struct backend *b, struct bk_mw *mw, struct err *e);
int verbs_mw_bind(struct backend *b, struct bk_mw *mw, struct bk_mr *mr,
    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req);
int
verbs_mw_invalidate(struct backend *b, struct bk_mw *mw, struct bk_req *req);

#endif
