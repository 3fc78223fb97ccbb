/* SPDX-License-Identifier: MIT */
/* Binds and invalidations of several windows behind each other; see mw.h. */
#include <errno.h>

#include "dev.h"
#include "mw_impl.h"
#include "pd.h"
#include "qp.h"

/* The queue pair is in use as long as there is the chain, for mw_flush(). */
bool
mw_chain_join(struct op *op, struct qp *qp)
{
	struct mw_chain *chain = op->chain;
	struct obj *over = qp != NULL ? &qp->o : op->obj->parent;

	if (chain == NULL)
		return true;
	if (chain->over != NULL)
		return chain->over == over;
	if (qp == NULL) {
		(void)obj_ref(over);
	} else if (qp->o.dying) {
		return false;
	} else {
		qp_use_begins(qp);
	}
	chain->over = over;
	return true;
}

int
mw_chain_refuse(struct op *op)
{
	return fail(&op->err, ECANCELED, "does not fit into its chain");
}

void
mw_chain_flush(struct mw_chain *chain)
{
	struct obj *over = chain->over;

	if (over == NULL)
		return;
	if (over->kind == KIND_QP)
		backend_mw_flush(
		    &dev_of(over)->b, pd_above(over)->b, qp_of(over)->b);
	else
		backend_mw_flush(&dev_of(over)->b, pd_of(over)->b, NULL);
}

void
mw_chain_end(struct mw_chain *chain)
{
	struct obj *over = chain->over, *left;

	chain->over = NULL;
	chain->bk.failed = false;
	if (over == NULL)
		return;
	world_lock(over->world);
	if (over->kind == KIND_QP)
		qp_use_ends(qp_of(over));
	left = obj_drop(over);
	world_unlock(over->world);
	obj_unref(left);
}
