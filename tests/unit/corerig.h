/* SPDX-License-Identifier: MIT */
/*
 * A world with soft devices whose commands are waited for, for tests of what
 * core does with objects.  Each function bails out if what it does fails.
 */
#ifndef CORERIG_H
#define CORERIG_H

#include "dev.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"
#include "qp.h"

extern struct world core_world;

/* soft0 and soft1. */
void core_open(struct dev *devs[2]);
/* All objects go with it. */
void core_close(void);

/* What is made belongs to the tree alone. */
struct pd *core_pd(struct dev *d, const char *name);
struct mr *core_mr(struct pd *pd, const char *name);
struct mw *core_mw(struct pd *pd, const char *name, enum mw_type type);
/* Connected to itself, with all rights. */
struct qp *core_qp(struct pd *pd, const char *name, enum qp_type type);

void core_reg(struct mr *mr, uint64_t length, uint32_t rights, uint64_t iova);
void core_bind(struct mw *mw, struct mr *mr, struct qp *qp, uint64_t offset,
    uint64_t length, uint32_t rights);
void core_rights(struct qp *qp, uint32_t rights);
/* A command without arguments, in its turn, as uid 7 gives it. */
void core_do(struct obj *o, int (*run)(struct op *op));
/* The same; returns how it ended. */
int core_try(struct obj *o, int (*run)(struct op *op));

#endif
