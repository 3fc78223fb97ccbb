/* SPDX-License-Identifier: MIT */
/* Memory regions (rules M1 to M12). */
#ifndef CORE_MR_H
#define CORE_MR_H

#include "key.h"
#include "obj.h"
#include "op.h"

struct bk_mr;
struct mw;
struct pd;

RB_HEAD(mr_windows, mw);

/* All fields are guarded by world.lock; those of an active region change only
 * in a command that has its turn. */
struct mr {
	struct obj o;
	bool active; /* registered */
	bool changing; /* a command that ends its keys is under way */
	bool emulated; /* a rereg was done by a new registration */
	uint32_t rights; /* in force, or kept for the next reg */
	struct mr_keys keys;
	struct key rkey; /* in dev.keys while active, unless it is 0 (D9) */
	struct key lkey; /* so is this, unless it is the rkey too (D9) */
	struct mem mem; /* while active */
	uint64_t memory; /* which one that is: a number never used again */
	uint64_t charged; /* bytes that count for the owner: mem's, or what is
			   * being registered */
	uint64_t iova; /* remote address of the first byte */
	bool with_iova; /* it was asked for */
	struct bk_mr *b;
	struct mr_windows windows; /* bound to it, by id */
	size_t nwindows;
	unsigned uses; /* commands under way that name it */
	struct op *drain; /* waits until uses is 0 */
};

struct mr *mr_of(struct obj *o); /* o is of KIND_MR */

/* Makes an unregistered region in pd.  Returns 0 and *out, referenced. */
int mr_new(struct pd *pd, const char *name, const struct owner *owner,
    struct obj **out, struct err *e);

/* What reg asks for. */
struct mr_reg_args {
	int fd; /* -1: memory of the daemon's own; else always taken */
	uint64_t offset, length; /* fd: 0, 0: all of the file */
	uint64_t page; /* own memory: 0, or a huge page's bytes */
	uint64_t iova;
	bool with_iova;
	uint32_t rights;
};

/*
 * Command functions; the caller holds the turn on op->obj, a region.
 * mr_reg(): ibv_reg_mr(3).  -EBUSY: registered already.
 * mr_rereg(): ibv_rereg_mr(3), new rights, and unless pd (the caller's) is NULL
 * or its own a new domain, where it goes under its name: -EEXIST.  Where the
 * device has none a new registration on the same memory (emulated).  -ENODATA:
 * not registered.
 * mr_rights(): keeps the rights of a region that is not registered, else rereg.
 * mr_dereg(): back to unregistered; -EBUSY with windows (M10), -ENODATA.
 * mr_destroy(): unbind: windows are unbound first; else -EBUSY with windows.
 * Memory is given back after the answer; a registration that finds too little
 * of it waits for that.
 */
int mr_reg(struct op *op, const struct mr_reg_args *args);
int mr_rereg(struct op *op, uint32_t rights, struct pd *pd);
int mr_rights(struct op *op, uint32_t rights);
int mr_dereg(struct op *op);
int mr_destroy(struct op *op, bool unbind);

/* A command that names the region begins or ends: it is referenced meanwhile,
 * and the caller drops that reference without the lock.  Lock held. */
void mr_use_begins(struct mr *mr);
void mr_use_ends(struct mr *mr);

RB_PROTOTYPE(mr_windows, mw, by_mr, mw_cmp)

#endif
