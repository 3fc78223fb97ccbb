/* SPDX-License-Identifier: MIT */
/*
 * The windows of soft devices: makes, binds, invalidates and ends them.  Who
 * may access what is softaccess.c's.
 */
#include <errno.h>
#include <stdlib.h>

#include "softqp.h"
#include "wc.h"

#define WINDOW_KEYS 1

/* Lock held. */
static int
window_enter(struct soft *s, struct bk_mw *mw, struct err *e)
{
	int r;

	if ((r = soft_count_up(&s->windows, SOFT_MAX_MW, "windows", e)) < 0)
		return r;
	if (softkey_take(&s->keys, &mw->key, WINDOW_KEYS) < 0) {
		s->windows--;
		return soft_no_index(e);
	}
	mw->pd->children++;
	return 0;
}

int
soft_mw_alloc(struct backend *b, struct bk_pd *pd, enum mw_type type,
    struct bk_mw **out, struct err *e)
{
	struct bk_mw *mw;
	struct soft *s;
	int r;

	if ((mw = calloc(1, sizeof(*mw))) == NULL)
		return soft_no_memory(e);
	mw->pd = pd;
	mw->type = (uint8_t)type;
	mw->key.window = true;
	s = soft_lock(b);
	r = window_enter(s, mw, e);
	soft_unlock(s);
	if (r < 0)
		free(mw);
	else
		*out = mw;
	return r;
}

struct bk_mr *
soft_unbind(struct bk_mw *mw)
{
	struct bk_mr *mr = mw->mr;

	if (mr != NULL)
		mr->windows--;
	if (mw->qp != NULL)
		mw->qp->windows--;
	mw->mr = NULL;
	mw->qp = NULL;
	mw->rkey = 0;
	return mr;
}

int
soft_mw_free(struct backend *b, struct bk_mw *mw, struct err *e)
{
	struct soft *s = soft_lock(b);
	struct bk_mr *mr = soft_unbind(mw);

	softkey_release(&s->keys, &mw->key);
	mw->pd->children--;
	s->windows--;
	movers_wait(s->fabric, mr);
	soft_unlock(s);
	free(mw);
	return 0;
}

/* A work request on qp, which takes it only while it is connected. */
static int
check_ready(const struct bk_qp *qp, enum wr_op op, struct bk_req *req)
{
	if (qp->state == QP_RTS)
		return 0;
	if (qp->state == QP_RESET)
		return fail(
		    req->e, EIO, "the queue pair is not connected (W11)");
	req->wc = softqp_flushed();
	return wc_fail(req->e, &req->wc, op);
}

/* W8, P1, W11; core has checked the most.  Lock held. */
static int
check_bind_2(const struct bk_mw *mw, const struct bk_mr *mr,
    const struct bk_qp *qp, struct bk_req *req)
{
	if (mw->mr != NULL)
		return fail(req->e, EBUSY,
		    "a type 2 window is bound once until its key is"
		    " invalidated (W8)");
	if (qp == NULL)
		return fail_at(req->e, "qp", EINVAL,
		    "a type 2 window is bound over a queue pair (W8)");
	if (qp->pd != mw->pd)
		return fail_at(req->e, "qp", EINVAL,
		    "the queue pair is of another domain (P1)");
	if (mr->pd != mw->pd)
		return fail(
		    req->e, EINVAL, "the region is of another domain (W2)");
	return check_ready(qp, WR_BIND_MW, req);
}

/* W9: the next key, with the tag that was asked for.  Lock held. */
static int
new_key(struct softkeys *ks, struct bk_mw *mw, uint16_t tag, struct bk_req *req)
{
	int r;

	if (softkey_renew(ks, &mw->key, WINDOW_KEYS) < 0)
		return soft_no_index(req->e);
	if ((tag & TAG_CHOSEN) == 0) {
		req->rkey = softkey_next(ks, &mw->key);
		return 0;
	}
	r = softkey_choose(ks, &mw->key, (uint8_t)tag, &req->rkey);
	if (r == -ENOMEM)
		return soft_no_memory(req->e);
	if (r < 0)
		return fail_at(req->e, "tag", EINVAL,
		    "a key of this window has had the tag 0x%02x (W9)",
		    tag & 0xff);
	return 0;
}

/*
 * W6.  A window that is bound keeps its index, or has none of its tags left:
 * that a new key is refused takes nothing from the old one.  Lock held.
 */
static int
window_bind(struct soft *s, struct bk_mw *mw, struct bk_mr *mr,
    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req)
{
	const bool type_2 = mw->type == MW_TYPE_2;
	struct bk_mr *old;
	int r;

	if (type_2 && (r = check_bind_2(mw, mr, qp, req)) < 0)
		return r;
	if ((r = new_key(&s->keys, mw, type_2 ? a->tag : 0, req)) < 0)
		return r;
	old = soft_unbind(mw);
	mw->mr = mr;
	mr->windows++;
	mw->qp = qp;
	if (qp != NULL)
		qp->windows++;
	mw->offset = a->offset;
	mw->length = a->length;
	mw->rights = (uint8_t)a->rights;
	mw->rkey = req->rkey;
	movers_wait(s->fabric, old);
	return 0;
}

int
soft_mw_bind(struct backend *b, struct bk_mw *mw, struct bk_mr *mr,
    struct bk_qp *qp, const struct bind_args *a, struct bk_req *req)
{
	struct soft *s = soft_lock(b);
	int r =
	    window_bind(s, mw, mr, mw->type == MW_TYPE_2 ? qp : NULL, a, req);

	soft_unlock(s);
	return r;
}

/* I2, I4.  Lock held. */
static int
window_invalidate(struct soft *s, struct bk_mw *mw, struct bk_req *req)
{
	int r;

	if (mw->mr == NULL)
		return fail(req->e, ENODATA, "the window is not bound (I4)");
	if (mw->qp != NULL && (r = check_ready(mw->qp, WR_LOCAL_INV, req)) < 0)
		return r;
	movers_wait(s->fabric, soft_unbind(mw));
	return 0;
}

int
soft_mw_invalidate(struct backend *b, struct bk_mw *mw, struct bk_req *req)
{
	struct soft *s = soft_lock(b);
	int r = window_invalidate(s, mw, req);

	soft_unlock(s);
	return r;
}

const char *
soft_find_bound(const struct bk_qp *qp, uint32_t key, struct bk_mw **mw)
{
	struct softkey *k = softkey_find(&qp->dev->keys, key);

	if (k == NULL)
		return "nothing has the key that is to be invalidated";
	if (!k->window)
		return "a region's key cannot be invalidated";
	*mw = softkey_window(k);
	if ((*mw)->type != MW_TYPE_2)
		return "a type 1 window's key cannot be invalidated by a peer";
	if ((*mw)->mr == NULL)
		return "the window of the key to be invalidated is not bound";
	if ((*mw)->rkey != key)
		return "the key to be invalidated has died already";
	if ((*mw)->qp != qp)
		return "the window of the key is bound over another queue pair";
	return NULL;
}
