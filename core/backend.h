/* SPDX-License-Identifier: MIT */
/*
 * What a device must be able to do, and the one wrapper around all devices.
 * A device kind is a const table of operations.  Callers use the backend_*()
 * functions below, which check the contract, trace, call and check again; a
 * NULL operation is answered with EOPNOTSUPP there, never by a stub.
 *
 * The rules of RDMA memory (rdmafs(5), RULES) have been checked by the
 * callers in core before any of this is called.  Operations may sleep unless
 * they say otherwise, so none is called under the world's lock.  They may be
 * called by several threads at once, but never two at once for one handle.
 */
#ifndef CORE_BACKEND_H
#define CORE_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "err.h"
#include "mem.h"
#include "timing.h"
#include "types.h"

/* Handles of a device's objects; only the device kind knows what they are. */
struct bk_pd;
struct bk_mr;
struct bk_mw;
struct bk_qp;

struct backend;
struct fabric; /* softfabric.h */

/* An operation goes on; its done function will be called, once. */
#define PENDING 1

/* The operations, for the trace and for their times. */
enum bk_call {
	BK_OPEN,
	BK_CLOSE,
	BK_PORT_QUERY,
	BK_GID_QUERY,
	BK_PD_ALLOC,
	BK_PD_FREE,
	BK_MR_REG,
	BK_MR_REREG,
	BK_MR_DEREG,
	BK_MW_ALLOC,
	BK_MW_FREE,
	BK_MW_BIND,
	BK_MW_INVALIDATE,
	BK_QP_CREATE,
	BK_QP_DESTROY,
	BK_QP_CONNECT,
	BK_QP_RIGHTS,
	BK_QP_STATE,
	BK_QP_POST,
	BK_QP_RECV,
	BK_ACCESS,
	BK_CALLS
};
extern const struct name bk_call_names[];

/* How a request over a queue pair of the caller's ended. */
struct bk_wc {
	enum wc_status status;
	uint32_t bytes; /* moved; of a receive: that came */
	uint32_t imm, rkey; /* of a receive: if with_imm, with_inv */
	bool with_imm;
	bool with_inv; /* the peer has invalidated rkey (I3) */
	/* Of a failure, where the device knows (soft): the rule that it broke
	 * and why; static. */
	const char *rule, *why;
};

/*
 * Binds and invalidations that one after the other go over one queue pair (or,
 * of type 1, that of one domain), without waiting for each other.  When one has
 * failed, none behind it runs: it ends as -ECANCELED.  So does what the device
 * could not run for another reason, and what it cannot run in a chain; whoever
 * has the chain may then post it again.
 */
struct bk_chain {
	bool failed; /* the device kind's: by the lock of the queue pair */
};

/* For those: -ECANCELED with the reason. */
int chain_broken(struct err *e);

/*
 * A request on the fast data path: a bind, an invalidation, a transfer.  Owned
 * by the caller, who keeps it (and what it points to) until done has been
 * called or the posting function has returned something else than PENDING.
 */
struct bk_req {
	/*
	 * Called once after PENDING, from any thread, no locks held; r is 0
	 * or -errno with the reason in e.  Must not sleep.  May be called
	 * before the posting function returns.
	 */
	void (*done)(struct bk_req *req, int r);
	struct err *e; /* not NULL */
	/* A bind or an invalidation that may be kept back until mw_flush(); NULL:
	 * stands alone.  The owner's, until all in it are over. */
	struct bk_chain *chain;
	/* Of an invalidation, by the owner: a peer has ended the key, so it is
	 * not to be posted any more if that has waited until now (D8). */
	atomic_bool off;
	uint32_t rkey; /* bind: the new key, set before success */
	/*
	 * Of a transfer, a type 2 bind or its invalidation, however it ended,
	 * if it was posted; else status stays WC_SUCCESS.
	 */
	struct bk_wc wc;

	/* The device kind's own while it is under way. */
	TAILQ_ENTRY(bk_req) link;
	uint64_t id;
	bool quiet; /* its completion is that of one behind it */
	/* The wrapper's own, which puts its done in place of the caller's. */
	struct {
		struct backend *b;
		void (*done)(struct bk_req *req, int r); /* the caller's */
		int64_t since; /* timing_now() */
		enum bk_call call;
	} under_way;
};

TAILQ_HEAD(bk_reqs, bk_req);

struct bind_args {
	uint64_t offset; /* from the region's start, bytes (W4) */
	uint64_t length; /* bytes, > 0 */
	uint32_t rights; /* RIGHT_REMOTE_* and RIGHT_ZERO_BASED */
	/* Type 2: TAG_CHOSEN and the low 8 bits of the key (W8); 0: any. */
	uint16_t tag;
};

#define TAG_CHOSEN 0x100u

/* What a queue pair is made with. */
struct qp_args {
	enum qp_type type;
	unsigned port; /* 0: the first active one, else the first */
	int gid; /* index; -1: the first IPv4 RoCE v2 one, else the first */
	/*
	 * Its state has changed by itself: a request has failed, a peer's has.
	 * Called from any thread, no locks held, until qp_destroy() returns.
	 * Must not sleep.
	 */
	void (*changed)(void *arg, enum qp_state state);
	void *arg;
};

/* A transfer: everything that is posted but binds and invalidations. */
struct bk_wr {
	struct bk_req req; /* first */
	enum wr_op op; /* WR_WRITE to WR_RECV */
	/*
	 * What is sent, or where what comes is put; 8 bytes for the old value
	 * of an atomic.  Memory of the daemon's own (buf), or of a region.
	 */
	void *buf;
	bool lent; /* buf is there only until qp_post() returns */
	uint32_t lkey; /* buf NULL: these two */
	uint64_t local;
	uint64_t length; /* bytes, at most 2^31 (A3) */

	uint64_t addr; /* RDMA and atomics: of the peer's memory */
	uint32_t rkey;
	uint64_t operand; /* fetch_add: addend; cmp_swap: compared with */
	uint64_t swap; /* cmp_swap: the new value */

	uint32_t imm, inv; /* send: if with_imm, with_inv; not both */
	bool with_imm, with_inv;

	void *own; /* the device kind's, while it is under way */
};

/* Why a remote access is refused, or not; A1 to A3 of the rules. */
enum access_op { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };

struct access {
	enum access_op op;
	uint32_t rkey;
	uint64_t addr; /* as a peer gives it */
	uint64_t length; /* bytes */
};

struct verdict {
	bool allowed;
	const char *rule; /* "A1" ...: static; of a refusal */
	const char *why; /* static; of a refusal */
	struct bk_mr *mr; /* allowed: the region and the offset in it that */
	uint64_t offset; /* the access means; mr NULL for a zero length */
};

/* What a device says by itself; ibv_get_async_event(3). */
struct bk_event {
	const char *word; /* static: ibv_event_type in lower case */
	unsigned port; /* that it is about; 0: none */
	void *qp; /* qp_args.arg of the queue pair that it is about; NULL */
	bool gone; /* the device is no more */
};

struct backend_ops {
	const char *kind; /* "soft", "verbs" */

	/* Fills b->info and b->priv.  -ENODEV: no device of that name. */
	int (*open)(struct backend *b, const char *name, struct err *e);
	/* Everything made through it has been freed. */
	void (*close)(struct backend *b);

	/* port from 1 to port_count; index from 0 to gid_count - 1. */
	int (*port_query)(struct backend *b, unsigned port,
	    struct port_info *out, struct err *e);
	int (*gid_query)(struct backend *b, unsigned port, unsigned index,
	    struct gid *out, struct err *e);

	/*
	 * From now on told is called with what the device says by itself; NULL:
	 * no more, and no call goes on when this returns.  Calls come from any
	 * thread, no locks held, must not sleep, and come for no queue pair
	 * after its qp_destroy() has returned.
	 */
	void (*watch)(struct backend *b,
	    void (*told)(void *arg, const struct bk_event *ev), void *arg);

	/* ibv_alloc_pd(3), ibv_dealloc_pd */
	int (*pd_alloc)(struct backend *b, struct bk_pd **out, struct err *e);
	int (*pd_free)(struct backend *b, struct bk_pd *pd, struct err *e);

	/*
	 * ibv_reg_mr_iova(3): pins mem and builds its translation.  iova is
	 * the remote address of the first byte.  mem stays where it is until
	 * dereg.
	 */
	int (*mr_reg)(struct backend *b, struct bk_pd *pd, struct mem *mem,
	    uint64_t iova, uint32_t rights, struct bk_mr **out,
	    struct mr_keys *keys, struct err *e);
	/*
	 * ibv_rereg_mr(3): new rights, and a new domain unless pd is NULL.
	 * keys are those from then on.  On failure the old region works on,
	 * or *gone is true and only mr_dereg may follow (M11).
	 * -EOPNOTSUPP: core emulates it.
	 */
	int (*mr_rereg)(struct backend *b, struct bk_mr *mr, struct bk_pd *pd,
	    uint32_t rights, struct mr_keys *keys, bool *gone, struct err *e);
	/* ibv_dereg_mr: the keys are dead when it returns. */
	int (*mr_dereg)(struct backend *b, struct bk_mr *mr, struct err *e);

	/* ibv_alloc_mw(3), ibv_dealloc_mw; freeing a bound one unbinds.  With
	 * info.windows_at_once they do not sleep. */
	int (*mw_alloc)(struct backend *b, struct bk_pd *pd, enum mw_type type,
	    struct bk_mw **out, struct err *e);
	int (*mw_free)(struct backend *b, struct bk_mw *mw, struct err *e);
	/*
	 * Posts a bind: ibv_bind_mw(3) for type 1, a work request on qp for
	 * type 2 (qp is NULL for type 1).  Does not sleep.  Returns PENDING,
	 * or 0 or -errno when it is already over.  On failure the old binding
	 * and its key are at work (W6).  -EINVAL, e->arg "tag": it was used.
	 */
	int (*mw_bind)(struct backend *b, struct bk_mw *mw, struct bk_mr *mr,
	    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req);
	/*
	 * Posts the end of a key: type 1 a bind of length zero, type 2 a local
	 * invalidate on the queue pair that it was bound over (I2).  Does not
	 * sleep, but soft devices wait, here and in mw_bind, for what moves by
	 * the old key at that moment, 1 MiB at most for each mover (I1).
	 */
	int (*mw_invalidate)(
	    struct backend *b, struct bk_mw *mw, struct bk_req *req);
	/*
	 * What is kept back of chains over qp, or if that is NULL over the
	 * queue pair of pd for type 1, goes on; what is over by then is told
	 * before this returns, others' too.  With info.chains only.
	 */
	void (*mw_flush)(struct backend *b, struct bk_pd *pd, struct bk_qp *qp);

	/*
	 * ibv_create_qp(3), in state reset.  *local is its address, complete
	 * but for a gid that the port does not have.
	 */
	int (*qp_create)(struct backend *b, struct bk_pd *pd,
	    const struct qp_args *a, struct bk_qp **out, struct qp_addr *local,
	    struct err *e);
	/*
	 * ibv_destroy_qp.  No window is bound over it (W10).  What is still
	 * under way is told first, as WC_WR_FLUSH_ERR.
	 */
	int (*qp_destroy)(struct backend *b, struct bk_qp *qp, struct err *e);
	/*
	 * ibv_modify_qp(3) from reset through INIT and RTR to RTS, with the
	 * smaller mtu.  On failure it is in reset.
	 */
	int (*qp_connect)(struct backend *b, struct bk_qp *qp,
	    const struct qp_addr *remote, uint32_t rights, struct err *e);
	/* Access flags (A2) of a connected one. */
	int (*qp_rights)(struct backend *b, struct bk_qp *qp, uint32_t rights,
	    struct err *e);
	/* Its state now. */
	int (*qp_state)(struct backend *b, struct bk_qp *qp,
	    enum qp_state *state, struct err *e);
	/*
	 * ibv_post_send(3): what does not fit waits for room.  Does not sleep.
	 * Returns PENDING, or 0 or -errno when it is already over.  -EAGAIN,
	 * and nothing is done: it would need a lent buf for longer.
	 */
	int (*qp_post)(struct backend *b, struct bk_qp *qp, struct bk_wr *wr);
	/* ibv_post_recv(3).  PENDING, or -ENOSPC: the queue is full. */
	int (*qp_recv)(struct backend *b, struct bk_qp *qp, struct bk_wr *wr);

	/*
	 * What a remote access over a queue pair of domain pd would meet;
	 * qp: over this one, which has rights of its own (A2) and may use the
	 * type 2 keys that are its.  A model only: NULL where memory is behind
	 * a real device.
	 */
	void (*access)(struct backend *b, struct bk_pd *pd, struct bk_qp *qp,
	    const struct access *a, struct verdict *v);
};

/* One open device.  Constant after backend_open(), but for trace and times. */
struct backend {
	const struct backend_ops *ops;
	void *priv; /* the device kind's own */
	struct dev_info info;
	struct fabric *fabric; /* of soft devices; NULL: each its own */
	/*
	 * Called with one line for each call, its result included, no keys;
	 * NULL: nobody listens.
	 */
	void (*trace)(void *arg, const char *line);
	void *trace_arg;
	/* How long each operation took; a request: until it was done. */
	struct timing times[BK_CALLS];
};

/*
 * Opens the device name of kind ops.  b is owned by the caller, zeroed or
 * not; trace and trace_arg are taken as given (NULL allowed).  Soft devices of
 * one fabric reach each other; it lives longer than they do.  NULL: this one
 * reaches only itself.
 * Returns 0, or -errno and b is not to be closed.
 */
int backend_open(struct backend *b, const struct backend_ops *ops,
    const char *name, struct fabric *fabric,
    void (*trace)(void *, const char *), void *trace_arg, struct err *e);
void backend_close(struct backend *b);

/*
 * As the operations above.  Each returns a negative errno together with a
 * reason in e (a request's own e), always.
 */
int backend_port_query(
    struct backend *b, unsigned port, struct port_info *out, struct err *e);
int backend_gid_query(struct backend *b, unsigned port, unsigned index,
    struct gid *out, struct err *e);
/* A device that says nothing by itself has none: false. */
bool backend_watch(struct backend *b,
    void (*told)(void *arg, const struct bk_event *ev), void *arg);
int backend_pd_alloc(struct backend *b, struct bk_pd **out, struct err *e);
int backend_pd_free(struct backend *b, struct bk_pd *pd, struct err *e);
int backend_mr_reg(struct backend *b, struct bk_pd *pd, struct mem *mem,
    uint64_t iova, uint32_t rights, struct bk_mr **out, struct mr_keys *keys,
    struct err *e);
int backend_mr_rereg(struct backend *b, struct bk_mr *mr, struct bk_pd *pd,
    uint32_t rights, struct mr_keys *keys, bool *gone, struct err *e);
int backend_mr_dereg(struct backend *b, struct bk_mr *mr, struct err *e);
int backend_mw_alloc(struct backend *b, struct bk_pd *pd, enum mw_type type,
    struct bk_mw **out, struct err *e);
int backend_mw_free(struct backend *b, struct bk_mw *mw, struct err *e);
int backend_mw_bind(struct backend *b, struct bk_mw *mw, struct bk_mr *mr,
    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req);
int
backend_mw_invalidate(struct backend *b, struct bk_mw *mw, struct bk_req *req);
/* Without a chain on the device it does nothing. */
void backend_mw_flush(struct backend *b, struct bk_pd *pd, struct bk_qp *qp);
int
backend_qp_create(struct backend *b, struct bk_pd *pd, const struct qp_args *a,
    struct bk_qp **out, struct qp_addr *local, struct err *e);
int backend_qp_destroy(struct backend *b, struct bk_qp *qp, struct err *e);
int backend_qp_connect(struct backend *b, struct bk_qp *qp,
    const struct qp_addr *remote, uint32_t rights, struct err *e);
int backend_qp_rights(
    struct backend *b, struct bk_qp *qp, uint32_t rights, struct err *e);
int backend_qp_state(
    struct backend *b, struct bk_qp *qp, enum qp_state *state, struct err *e);
int backend_qp_post(struct backend *b, struct bk_qp *qp, struct bk_wr *wr);
int backend_qp_recv(struct backend *b, struct bk_qp *qp, struct bk_wr *wr);
/* 0 and a verdict, or -EOPNOTSUPP, here without a reason: there is no model. */
int backend_access(struct backend *b, struct bk_pd *pd, struct bk_qp *qp,
    const struct access *a, struct verdict *v);

/* Device kinds. */
extern const struct backend_ops soft_ops; /* soft.h */
extern const struct backend_ops verbs_ops; /* verbs.h */

#endif
