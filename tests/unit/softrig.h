/* SPDX-License-Identifier: MIT */
/*
 * Two soft devices on one fabric, a queue pair on each, connected to each
 * other, and the memory that they move; for the tests of soft queue pairs.
 */
#ifndef SOFTRIG_H
#define SOFTRIG_H

#include <semaphore.h>
#include <stdatomic.h>

#include "backend.h"
#include "softfabric.h"

#define R   RIGHT_REMOTE_READ
#define W   RIGHT_REMOTE_WRITE
#define A   RIGHT_REMOTE_ATOMIC
#define Z   RIGHT_ZERO_BASED
#define LW  RIGHT_LOCAL_WRITE
#define MB  RIGHT_MW_BIND
#define ALL (R | W | A)

#define IOVA 0x7000000000u /* of each region's first byte */

/* One device with all that is on it. */
struct side {
	struct backend b;
	struct bk_pd *pd, *other;
	struct mem mem;
	struct bk_mr *mr; /* all of mem, with all rights, at IOVA */
	struct mr_keys keys;
	struct bk_qp *qp;
	struct qp_addr addr; /* of qp */
	atomic_int changes; /* times that qp's state changed by itself */
	atomic_int state; /* what it changed to */
};

/* A request, and that it is over. */
struct posted {
	struct bk_wr wr; /* first */
	struct err e;
	sem_t over;
	int r;
	atomic_int dones; /* times that done was called */
};

struct rig {
	struct side a, b; /* the requester and its peer */
};

extern struct err rig_err; /* why the last call here failed */

/*
 * Each side has size bytes of memory; the queue pairs have these rights.
 * Bails out if anything fails.
 */
void rig_open(struct rig *rig, enum qp_type type, uint64_t size,
    uint32_t a_rights, uint32_t b_rights);
/* All that the test has made has been freed.  Also tests that it goes. */
void rig_close(struct rig *rig);
/* The last of all: closes the devices. */
void rig_end(void);

struct bk_mr *rig_reg(struct side *s, struct bk_pd *pd, struct mem *mem,
    uint32_t rights, struct mr_keys *keys);
void rig_dereg(struct side *s, struct bk_mr *mr);
/* One that is not connected; changes are counted in s. */
struct bk_qp *rig_qp(
    struct side *s, struct bk_pd *pd, enum qp_type type, struct qp_addr *addr);
enum qp_state rig_state(struct side *s, struct bk_qp *qp);

/* A window bound over qp (NULL: of type 1) to len bytes at off; its key. */
struct bk_mw *rig_bind(struct side *s, struct bk_qp *qp, struct bk_mr *mr,
    uint64_t off, uint64_t len, uint32_t rights, uint32_t *rkey);
int rig_invalidate(struct side *s, struct bk_mw *mw);
void rig_free(struct side *s, struct bk_mw *mw);

/*
 * Makes a request over all of either side's memory: of length bytes from
 * IOVA of a's region to or from IOVA of b's.
 */
void
rig_wr(struct posted *p, const struct rig *rig, enum wr_op op, uint64_t length);
/* Posts it as wr.op says. */
void rig_post(struct side *s, struct posted *p);
/* Waits until it is over; how. */
enum wc_status rig_wait(struct posted *p);
/* Both. */
enum wc_status rig_do(struct side *s, struct posted *p);

void rig_fill(struct side *s, int c);
/* Whether length bytes of memory at off are all c. */
bool rig_is(const struct side *s, uint64_t off, uint64_t length, int c);

#endif
