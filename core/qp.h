/* SPDX-License-Identifier: MIT */
/* Queue pairs (rules W8, W10, W11, A1 to A6, I2, I3). */
#ifndef CORE_QP_H
#define CORE_QP_H

#include "key.h"
#include "mr.h"
#include "obj.h"
#include "op.h"

struct bk_qp;
struct mw;

#define QP_WCS      64 /* completions that are kept */
#define QP_RIGHTS   (RIGHT_REMOTE | RIGHT_MW_BIND) /* what it starts with */
#define WC_NAME_MAX 64

/* A completion as `wc` shows it. */
struct wc_entry {
	uint64_t number; /* from 1 */
	int64_t time; /* ns since the epoch */
	enum wr_op op;
	enum wc_status status;
	uint32_t bytes, imm;
	bool with_imm;
	char invalidated[WC_NAME_MAX + 1]; /* the window's name, or "" */
};

/*
 * Guarded by world.lock.  type, port, gid, local, remote, connected and rights
 * change only in a command that has its turn.
 */
struct qp {
	struct obj o;
	struct set sets[1]; /* KIND_MEM */
	struct bk_qp *b;
	uint8_t type; /* enum qp_type */
	uint8_t state; /* enum qp_state, as last heard */
	bool connected; /* remote is set */
	unsigned port; /* asked for; 0: any */
	int gid; /* asked for; -1: any */
	uint32_t rights;
	struct qp_addr local, remote;
	struct key num; /* in dev.keys */
	LIST_HEAD(, mw) windows; /* bound over it */
	size_t nwindows;
	unsigned uses; /* binds and transfers under way on it */
	struct op *drain; /* waits until uses is 0 */
	struct {
		char mr[WC_NAME_MAX + 1];
		uint64_t offset, length;
	} bad_recv; /* the last receive that was refused; mr "": none */
	struct wc_entry *wcs; /* QP_WCS of them; NULL before the first */
	uint64_t nwcs; /* completions so far */
};

struct qp *qp_of(struct obj *o); /* o is of KIND_QP */
/* The set's fini: its completions can be read until nobody has it open. */
void qp_fini(struct obj *o);

/*
 * Makes one in state reset, of type rc.  As pd_new(), and op->obj is the
 * domain.
 */
int qp_new(struct op *op, const char *name, const struct owner *owner,
    struct obj **out);

/* What a data command asks for; the memory is a region's. */
struct qp_transfer {
	enum wr_op op;
	struct mr *mr; /* of the caller's; of the queue pair's domain (P1) */
	uint64_t offset, length; /* in the region; atomics: 8 bytes */
	uint64_t addr;
	uint32_t rkey;
	uint64_t operand, swap;
	uint32_t imm, inv;
	bool with_imm, with_inv;
};

/*
 * Command functions; the caller holds the turn on op->obj, a queue pair.
 * qp_settype(): a new one of that type in its place; -EBUSY when connected.
 * qp_connect(): -EBUSY when connected; on failure it is in reset.
 * qp_reset(): windows bound over it are unbound, what is posted is flushed, a
 * new one with another number takes its place.
 * qp_rights(): at once when connected, else kept for connect.
 * qp_transfer(): -ENODATA when not connected; the completion is in `wc` and
 * its meaning in the result.  recv is over when it is posted.
 * qp_destroy(): its windows are unbound first (W10); all: with its mappings,
 * else -EBUSY while there are any.
 */
int qp_settype(struct op *op, enum qp_type type, unsigned port, int gid);
int qp_connect(struct op *op, const struct qp_addr *remote);
int qp_reset(struct op *op);
int qp_rights(struct op *op, uint32_t rights);
int qp_transfer(struct op *op, const struct qp_transfer *t);
int qp_destroy(struct op *op, bool all);

/* Asks the device for its state; may sleep, lock not held. */
void qp_refresh(struct qp *qp);

/* A bind or a transfer on it begins or ends: it is referenced meanwhile, and
 * the caller drops that reference without the lock.  Lock held. */
void qp_use_begins(struct qp *qp);
void qp_use_ends(struct qp *qp);
/*
 * Keeps the completion of a request that was over with r, if it was posted at
 * all.  What it says of an invalidation by the peer is done: the window of that
 * key is unbound.  Lock held.
 */
void
qp_request_over(struct qp *qp, enum wr_op op, const struct bk_wc *wc, int r);
/* The first kept completion from number on; NULL: there is none yet.  Lock
 * held. */
const struct wc_entry *qp_wc(const struct qp *qp, uint64_t number);

#endif
