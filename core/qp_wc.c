/* SPDX-License-Identifier: MIT */
/* Completions of a queue pair: kept, told, and what they say; see qp.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "mw.h"
#include "pd.h"
#include "qp_impl.h"

void
qp_use_begins(struct qp *qp)
{
	qp->uses++;
	obj_ref(&qp->o);
}

void
qp_use_ends(struct qp *qp)
{
	struct op *op = qp->drain;

	if (--qp->uses == 0 && op != NULL) {
		qp->drain = NULL;
		pool_submit(qp->o.world->slow, &op->work);
	}
}

/* I3: the window's key has ended, and its name is noted, if it is one of the
 * queue pair's domain (D11). */
static void
qp_invalidated(struct qp *qp, const struct bk_wc *wc, struct wc_entry *entry)
{
	struct key *k;
	struct mw *mw;

	(void)strlcpy(entry->invalidated, "?", sizeof(entry->invalidated));
	k = keys_find(&dev_of(&qp->o)->keys, KEY_MW, wc->rkey);
	if (k == NULL)
		return;
	mw = mw_of(obj_of_key(k));
	if (mw->o.parent == qp->o.parent)
		(void)strlcpy(
		    entry->invalidated, mw->o.name, sizeof(entry->invalidated));
	mw_ended_by_peer(mw);
}

static void
qp_completed(struct qp *qp, enum wr_op op, const struct bk_wc *wc)
{
	struct wc_entry entry = { .number = ++qp->nwcs,
		.time = obj_now(),
		.op = op,
		.status = wc->status,
		.bytes = wc->bytes,
		.imm = wc->imm,
		.with_imm = wc->with_imm };

	if (wc->with_inv)
		qp_invalidated(qp, wc, &entry);
	/* Without memory it is counted, and lost. */
	if (qp->wcs == NULL)
		qp->wcs = calloc(QP_WCS, sizeof(*qp->wcs));
	if (qp->wcs != NULL)
		qp->wcs[entry.number % QP_WCS] = entry;
	obj_touch(&qp->o);
	obj_wake(&qp->o, WAIT_WC);
}

void
qp_request_over(struct qp *qp, enum wr_op op, const struct bk_wc *wc, int r)
{
	if (r < 0 && wc->status == WC_SUCCESS)
		return;
	tally_completion(
	    &dev_of(&qp->o)->tally, (enum qp_type)qp->type, op, wc);
	qp_completed(qp, op, wc);
}

const struct wc_entry *
qp_wc(const struct qp *qp, uint64_t number)
{
	const struct wc_entry *entry;

	if (qp->wcs == NULL)
		return NULL;
	if (qp->nwcs >= QP_WCS && number <= qp->nwcs - QP_WCS)
		number = qp->nwcs - QP_WCS + 1;
	if (number == 0)
		number = 1;
	if (number > qp->nwcs)
		return NULL;
	entry = &qp->wcs[number % QP_WCS];
	return entry->number == number ? entry : NULL;
}

void
qp_fini(struct obj *o)
{
	free(qp_of(o)->wcs);
}
