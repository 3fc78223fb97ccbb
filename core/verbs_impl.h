/* SPDX-License-Identifier: MIT */
/*
 * What verbs*.c share among themselves: the handles behind the backend's
 * opaque types, and the one place for the mixed error conventions of the
 * verbs.  Nobody else includes this.
 *
 * Lock order: verbs_dev.serving; bk_pd.lock; verbs_dev.lock or bk_qp.lock; a
 * bounce's.  No verb that may sleep is called under the last three, for posting
 * and the listener need them.
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

/* In the wr_id of a receive. */
#define RECV_ID (UINT64_C(1) << 63)
/* What the daemon's own memory goes through: so much at once. */
#define BOUNCE_PIECE 262144u

LIST_HEAD(bindq_list, bindq);
TAILQ_HEAD(bk_qp_list, bk_qp);
TAILQ_HEAD(mw_list, bk_mw);

struct verbs_dev {
	struct ibv_context *ctx;
	struct ibv_comp_channel *channel; /* of every completion queue */
	int wake; /* eventfd: readable when the listener is to look up */
	pthread_t listener;
	bool listening; /* there is a listener to join */
	/*
	 * Held by the listener while it works, callbacks included: who has
	 * taken a queue pair out of qps knows that it is not looked at.
	 */
	pthread_mutex_t serving;
	struct bk_qp_list qps; /* serving */
	void (*told)(void *arg, const struct bk_event *ev); /* serving */
	void *told_arg; /* serving */
	/* Guards the rest, the queues with all that is in them. */
	pthread_mutex_t lock;
	struct bindq_list queues;
	bool stop; /* the listener is to end */
};

/* First in what owns a completion queue, whose cq_context it is. */
struct cq_owner {
	/*
	 * For the listener: asks for the next event and handles what has
	 * completed.  Calls done; may sleep.  Returns 0, or -errno: there will
	 * be no event.
	 */
	int (*drain)(struct cq_owner *o);
};

/* Registered memory of a domain's, a bit of free for each piece. */
struct bounce {
	pthread_mutex_t lock;
	struct ibv_mr *mr; /* NULL until it is first needed */
	char *map;
	uint32_t free;
	bool wanted; /* somebody found none */
};

struct bk_pd {
	struct ibv_pd *pd;
	pthread_mutex_t lock;
	struct bindq *binds; /* lock; NULL until a type 1 window is made */
	struct bounce bounce;
};

struct bk_mr {
	struct ibv_mr *mr;
	uint64_t iova; /* remote address of the first byte */
};

struct bk_mw {
	struct ibv_mw *mw;
	struct bindq *binds; /* its domain's; NULL for type 2 */
	struct bk_mr *mr; /* bound to; NULL: unbound */

	/*
	 * The bind that is under way, if any; guarded by verbs_dev.lock.  A
	 * type 2 window (struct mw2) has these three as well.
	 */
	struct bk_req *req;
	struct ibv_mw_bind bind;
	struct bk_mr *target; /* mr after success */
	uint32_t old_rkey; /* the key that works until then (D3) */
	bool quiet; /* its completion is that of one behind it */
	int result; /* for req->done */
	TAILQ_ENTRY(bk_mw) link;
};

/* A type 2 window. */
struct mw2 {
	struct bk_mw mw; /* first */
	struct bk_qp *qp; /* bound over */
	uint32_t key; /* of the bind that is under way, or to be ended */
	struct bk_wr wr; /* what is under way, as its queue pair sees it */
};

/* Where a queue pair sits. */
struct conn {
	unsigned port;
	struct ibv_port_attr attr;
	int gid_index; /* -1: has none */
	union ibv_gid gid;
	uint8_t asks, answers; /* reads and atomics at once */
};

enum bk_qp_state {
	BK_QP_RESET,
	BK_QP_READY,
	BK_QP_BROKEN, /* a request has failed: the device flushes the rest */
	BK_QP_CLOSING, /* is being destroyed */
	BK_QP_DEAD, /* the device is gone */
};

struct bk_qp {
	struct cq_owner owner; /* first */
	struct verbs_dev *dev;
	struct bk_pd *pd;
	struct ibv_cq *cq; /* of both queues */
	struct ibv_qp *qp;
	struct conn conn;
	uint32_t psn; /* of the first packet that it sends */
	uint32_t send_depth, recv_depth; /* together what the cq holds */
	unsigned with_inv; /* in wc_flags: any of these */
	bool quiet; /* of a chain but the last request has a completion */
	void (*changed)(void *arg, enum qp_state state);
	void *arg;
	TAILQ_ENTRY(bk_qp) link; /* verbs_dev.serving */

	pthread_mutex_t lock; /* guards the rest */
	enum bk_qp_state state;
	uint64_t next_id; /* of the next work request */
	uint32_t sent, received; /* in flight, receives */
	struct bk_reqs flight; /* in the order in which they complete */
	struct bk_reqs held; /* of chains, until post_flush_held() */
	uint32_t nheld;
	struct bk_reqs waiting; /* for room, or for a piece of memory */
	struct bk_reqs receives;
	bool unregistered; /* the first that waits needs the domain's bounce */
};

static inline struct bk_wr *
wr_of(struct bk_req *req)
{
	return (struct bk_wr *)req; /* its first member */
}

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
/* Makes it call qps_serve() soon.  Does not sleep. */
void listener_wake(struct verbs_dev *d);

/* verbs_event.c: what the device says by itself. */

/* For the listener, which has serving: tells what there is.  0, or -errno: there
 * will be no more. */
int events_serve(struct verbs_dev *d);
void verbs_watch(struct backend *b,
    void (*told)(void *arg, const struct bk_event *ev), void *arg);

/* verbs_conn.c: where queue pairs sit, and how they are connected. */

/*
 * Port 0: the first active one, else the first.  gid -1: the first IPv4 RoCE
 * v2 one, else the first, else none.  Sleeps, like the two below.
 */
int conn_find(struct ibv_context *ctx, unsigned ports, unsigned port, int gid,
    struct conn *c, struct err *e);
/* Looks at the port again. */
int conn_renew(struct ibv_context *ctx, struct conn *c, struct err *e);
/* Bytes: what the port can take. */
unsigned conn_mtu(const struct conn *c);
/* From RESET to RTS; on failure anywhere between. */
int conn_up(struct ibv_qp *qp, const struct conn *c, uint32_t psn,
    const struct qp_addr *remote, uint32_t rights, struct err *e);

/* verbs_loop.c: queue pairs that are connected to themselves. */

/* Brings a new qp, on a device with so many ports, to RTS.  Sleeps. */
int loop_connect(struct ibv_qp *qp, unsigned ports, struct err *e);

/* verbs_bindq.c: the queue pair over which a domain binds type 1 windows. */

enum bindq_state {
	BINDQ_READY,
	BINDQ_BROKEN, /* a bind was refused: until all are back, and mended */
	BINDQ_DEAD, /* mending has failed, or the device is gone */
};

struct bindq {
	struct cq_owner owner; /* first */
	struct backend *b;
	struct verbs_dev *dev;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp; /* the listener's alone while broken */
	uint32_t depth; /* entries of each; so the cq cannot overflow */
	bool linked; /* ibv_post_send(3) does what ibv_bind_mw(3) does */

	/* verbs_dev.lock guards the rest. */
	LIST_ENTRY(bindq) link;
	enum bindq_state state;
	struct err why; /* dead */
	uint64_t next_id; /* of the next work request */
	uint32_t posted; /* windows in flight */
	bool armed; /* an event will come, or is on its way to the listener */
	struct mw_list flight; /* in the order in which they complete */
	struct mw_list held; /* of chains, until bindq_flush() */
	uint32_t nheld;
	struct mw_list waiting; /* for room */
	struct mw_list refused; /* for the mending */
};

/* verbs_bindqp.c: making and freeing it.  All of these sleep. */

/* Nothing is under way in a queue that is freed. */
int bindq_new(
    struct backend *b, struct ibv_pd *pd, struct bindq **out, struct err *e);
int bindq_free(struct bindq *q, struct err *e);
/* The queue pair alone, which is new after each. */
int bindq_connect(struct bindq *q, struct err *e);
int bindq_disconnect(struct bindq *q, struct err *e);

/* verbs_bindrun.c: binds of a chain, posted together.  Called with the lock. */

/* Keeps mw back, if it is of a chain and there is room.  Nothing waits. */
bool bindq_hold(struct bindq *q, struct bk_mw *mw);
/* Posts what is held; what cannot be posted waits, in front. */
void bindq_post_held(struct bindq *q);
/* Takes the first out of flight if its good completion is that of a later one,
 * which was request id; or NULL. */
struct bk_mw *bindq_quiet(struct bindq *q, uint64_t id);

/* verbs_bindq.c again. */

/* The owner's drain. */
int bindq_drain(struct cq_owner *o);
/* Posts mw->bind, or keeps it until there is room.  PENDING, or 0 or -errno
 * when it is already over. */
int bindq_post(struct bindq *q, struct bk_mw *mw);
/* Tells what is over by now, and sees to it that the listener tells the rest.
 * Sleeps; something is under way, or a window there has its turn. */
void bindq_flush(struct bindq *q);
/* For the listener, woken: mends those of which a bind was refused. */
void bindqs_serve(struct verbs_dev *d);
/* For the listener: the device is gone, so is all that is under way. */
void bindq_abort(struct verbs_dev *d);

/*
 * verbs_bounce.c: registered memory of a domain's, through which requests move
 * the daemon's own.
 */

void bounce_init(struct bounce *bn);
/* No piece is taken. */
int bounce_fini(struct bounce *bn, struct err *e);
/* Registers it, unless that is done.  Sleeps; one thread at a time. */
int bounce_make(struct bounce *bn, struct ibv_pd *pd, struct err *e);
/*
 * BOUNCE_PIECE bytes and their lkey.  Returns 0, -EAGAIN: bounce_give() will
 * tell who gives one back, or -ENXIO: it is not registered.
 */
int bounce_take(struct bounce *bn, char **piece, uint32_t *lkey);
/* Returns whether somebody has found none since. */
bool bounce_give(struct bounce *bn, char *piece);

/* verbs_post.c: posting on a queue pair. */

/*
 * Gives wr, a transfer or a window's (mw2.wr), to the send queue or keeps it
 * until there is room.  PENDING or -errno.
 */
int post_send(struct bk_qp *qp, struct bk_wr *wr);
/* Posts what is held.  Called with the lock. */
void post_held(struct bk_qp *qp);
/*
 * Posts what waits and now fits; what fails goes to over.  unregistered: why
 * the domain's bounce cannot be made, or NULL.  Called with the lock.
 */
void post_waiting(
    struct bk_qp *qp, const struct err *unregistered, struct bk_reqs *over);
/*
 * Gives back the piece that wr has, if any.  Returns whether the listener has
 * been woken, because somebody waits for one.
 */
bool post_piece_back(struct bk_qp *qp, struct bk_wr *wr);

/* verbs_wc.c: completions of a queue pair.  No locks held; calls done. */

/* post_waiting(), or their end if nothing can be posted any more. */
void post_go(struct bk_qp *qp, const struct err *unregistered);
/* Handles what has completed; calls changed, too. */
void post_drain(struct bk_qp *qp);
/* What is held goes on, and what is over by then is told.  Waits for the
 * listener, so that all is told in order; the queue pair is in use. */
void post_flush_held(struct bk_qp *qp);
/*
 * Ends all that is under way as flushed; why: the reason, NULL: what wc_fail()
 * says.  Nothing can be posted in its state.
 */
void post_flush(struct bk_qp *qp, const struct err *why);

/* verbs_qp.c. */

/* For the listener, woken: lets wait no longer what need not. */
void qps_serve(struct verbs_dev *d);
/* For the listener: the device is gone, so is all that is under way. */
void qps_abort(struct verbs_dev *d);

/* verbs_mr.c, verbs_mw.c, verbs_qp.c, verbs_post.c: backend.h's operations. */

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
void verbs_mw_flush(struct backend *b, struct bk_pd *pd, struct bk_qp *qp);

int
verbs_qp_create(struct backend *b, struct bk_pd *pd, const struct qp_args *a,
    struct bk_qp **out, struct qp_addr *local, struct err *e);
int verbs_qp_destroy(struct backend *b, struct bk_qp *qp, struct err *e);
int verbs_qp_connect(struct backend *b, struct bk_qp *qp,
    const struct qp_addr *remote, uint32_t rights, struct err *e);
int verbs_qp_rights(
    struct backend *b, struct bk_qp *qp, uint32_t rights, struct err *e);
int verbs_qp_state(
    struct backend *b, struct bk_qp *qp, enum qp_state *state, struct err *e);
int verbs_qp_post(struct backend *b, struct bk_qp *qp, struct bk_wr *wr);
int verbs_qp_recv(struct backend *b, struct bk_qp *qp, struct bk_wr *wr);

#endif
