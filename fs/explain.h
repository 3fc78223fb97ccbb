/* SPDX-License-Identifier: MIT */
/* What core/explain.h has found, as lines; rdmafs(5), EXPLAIN. */
#ifndef FS_EXPLAIN_H
#define FS_EXPLAIN_H

#include "../core/explain.h"
#include "../proto/text.h"

/* Adds what the key means, and hints.  Lock held. */
void explain_print_key(const struct explained *x, struct text *t);
/* The same behind the verdict on a, over qp or NULL.  Lock held. */
void explain_print_access(const struct explained *x, const struct access *a,
    const struct qp *qp, struct text *t);

#endif
