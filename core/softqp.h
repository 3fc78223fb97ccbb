/* SPDX-License-Identifier: MIT */
/*
 * Queue pairs of soft devices: what softqp.c, which makes and joins them,
 * softwork.c, which queues what is posted, and softwr.c, which does it, share.
 * All is guarded by the fabric's lock.
 */
#ifndef CORE_SOFTQP_H
#define CORE_SOFTQP_H

#include "softobj.h"

#define SOFT_MAX_QP_WR 1024u /* receives that wait on one queue pair */
#define SOFT_MTU       4096u /* bytes */
#define PSN_MASK       0xffffffu

struct bk_qp {
	RB_ENTRY(bk_qp)
	entry; /* of dev->qps, by local.qpn; until it is dying */
	struct soft *dev;
	struct bk_pd *pd;
	enum qp_type type;
	enum qp_state state; /* never INIT or RTR: it connects in one step */
	bool dying; /* is being destroyed */
	/*
	 * Its requests are done one after the other, by one thread at a time:
	 * whoever made it busy.  Nothing waits in sends while it is not busy.
	 */
	bool busy;
	struct work work; /* does the first of sends */
	struct bk_reqs sends, recvs; /* of struct bk_wr, oldest first */
	unsigned nrecvs;
	uint32_t rights;
	struct qp_addr local, remote;
	uint32_t send_psn, recv_psn; /* of the next packet; 24 bits */
	unsigned mtu; /* of the path, bytes */
	uint32_t windows; /* bound over it */
	/* Threads that still look at it, busy among them; it stays until
	 * there is none. */
	uint32_t uses;
	void (*changed)(void *arg, enum qp_state state);
	void *arg;
};

int softqp_cmp(const struct bk_qp *a, const struct bk_qp *b);
RB_PROTOTYPE(softqp_tree, bk_qp, entry, softqp_cmp)

/* What is to be called when the lock has been let go. */
struct after {
	struct bk_qp *failed[2]; /* whose state has changed; in use */
	unsigned nfailed;
	struct bk_reqs over; /* requests with their completion */
};

void after_init(struct after *a);
void after_run(struct after *a);

/* Lets it go into error, if it is not there: its receives are flushed (A5). */
void softqp_fail(struct bk_qp *qp, struct after *a);
/* A receive is over as its wc says. */
void softqp_recv_over(struct bk_wr *recv, struct after *a);
/* The completion of what is posted to a queue pair in error (A5). */
struct bk_wc softqp_flushed(void);

void softqp_use(struct bk_qp *qp);
void softqp_unuse(struct bk_qp *qp);

/*
 * The queue pair that qp is connected to and that is connected to it.  NULL:
 * nobody answers, and *why says why.
 */
struct bk_qp *softqp_peer(struct bk_qp *qp, const char **why);

/* Does the first of what waits; softwork.c. */
void softqp_work(struct work *w);

/*
 * Does one request of a queue pair that the caller has made busy, and all
 * that it means for the peer.  Returns 0 or -errno with the reason; wc is
 * set.  Lock not held.
 */
int soft_execute(struct bk_qp *qp, struct bk_wr *wr);

/*
 * softaccess.c.  The local side of a request or a receive (A4): NULL and
 * *out, where length of its bytes are; or why that is refused.  write: its
 * memory is changed.
 */
const char *soft_local(struct bk_qp *qp, const struct bk_wr *wr,
    uint64_t length, bool write, struct end *out);
/* As the operation access, and the lock is held. */
void soft_judge(struct softkeys *ks, const struct bk_pd *pd,
    const struct bk_qp *qp, const struct access *a, struct verdict *v);

/* softwin.c.  A peer's send invalidates key over qp (I3): NULL, and *mw is
 * bound over it; or why that is refused. */
const char *
soft_find_bound(const struct bk_qp *qp, uint32_t key, struct bk_mw **mw);

#endif
