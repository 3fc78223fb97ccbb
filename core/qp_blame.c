/* SPDX-License-Identifier: MIT */
/*
 * Why a transfer was refused, where this host knows: which object the key
 * means, what it opens, and what was asked of it.  No key and no address
 * stands in a text; offsets count from the object's start.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "dev.h"
#include "mw.h"
#include "pd.h"
#include "qp_impl.h"

#define RIGHTS_TEXT 160

/* The queue pair of this host that qp is connected to; NULL: another's. */
static struct qp *
qp_peer(struct qp *qp)
{
	struct world *w = qp->o.world;
	struct obj *o;
	struct key *k;
	struct qp *peer;

	RB_FOREACH (o, obj_children, &w->devs.children) {
		k = keys_find(&dev_of(o)->keys, KEY_QPN, qp->remote.qpn);
		if (k == NULL)
			continue;
		peer =
		    (struct qp *)(void *)((char *)k - offsetof(struct qp, num));
		if (memcmp(&peer->local.gid, &qp->remote.gid,
			sizeof(peer->local.gid)) == 0)
			return peer;
	}
	return NULL;
}

/* Whether qp's owner may learn what o is: his own, or he is root. */
static bool
may_know(const struct qp *qp, const struct obj *o)
{
	return qp->o.owner.uid == 0 || qp->o.owner.uid == o->owner.uid;
}

static const char *
rights_text(uint32_t rights, char buf[RIGHTS_TEXT])
{
	const struct name *n;

	buf[0] = '\0';
	for (n = right_names; n->name != NULL; n++) {
		if (!(rights & n->value))
			continue;
		if (buf[0] != '\0')
			(void)strlcat(buf, ",", RIGHTS_TEXT);
		(void)strlcat(buf, n->name, RIGHTS_TEXT);
	}
	return buf[0] != '\0' ? buf : "none";
}

__attribute__((format(printf, 2, 3))) static void
add(struct err *e, const char *fmt, ...)
{
	size_t len = strlen(e->text);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(e->text + len, sizeof(e->text) - len, fmt, ap);
	va_end(ap);
}

/* Farther off than this is not told: from 0 it would be the address itself. */
#define NEAR (UINT64_C(1) << 31)

/* What was asked for, from the object's start. */
static void
add_asked(
    struct err *e, const struct bk_wr *wr, uint64_t start, uint64_t length)
{
	uint64_t into = wr->addr - start, before = start - wr->addr;

	add(e, "; asked: %" PRIu64 " bytes", wr->length);
	if (into < length || into - length < NEAR)
		add(e, " at %" PRIu64, into);
	else if (before < NEAR)
		add(e, ", %" PRIu64 " before it", before);
	else
		add(e, " far from it");
}

static void
add_object(struct err *e, const struct obj *o, const char *kind)
{
	add(e, ": %s/pd/%s/%s/%s", o->parent->dev->name, o->parent->name, kind,
	    o->name);
}

static void
blame_window(const struct qp *qp, const struct qp *peer, const struct mw *mw,
    const struct bk_wr *wr, struct err *e)
{
	char buf[RIGHTS_TEXT];

	if (!may_know(qp, &mw->o))
		return;
	add_object(e, &mw->o, "mw");
	add(e, " opens %" PRIu64 " bytes with %s", mw->bound.length,
	    rights_text(mw->bound.rights, buf));
	if (mw->o.parent != peer->o.parent)
		add(e, " in another domain than the peer's (P1)");
	else if (mw->qp != NULL && mw->qp != peer)
		add(e, " over qp/%s, not over the peer's (W8)", mw->qp->o.name);
	else
		add_asked(e, wr, mw_addr(mw), mw->bound.length);
}

static void
blame_region(const struct qp *qp, const struct qp *peer, const struct mr *mr,
    const struct bk_wr *wr, struct err *e)
{
	char buf[RIGHTS_TEXT];

	if (!may_know(qp, &mr->o))
		return;
	add_object(e, &mr->o, "mr");
	add(e, " has %" PRIu64 " bytes with %s", mr->mem.length,
	    rights_text(mr->rights, buf));
	if (mr->o.parent != peer->o.parent)
		add(e, " in another domain than the peer's (P1)");
	else
		add_asked(e, wr, mr->iova, mr->mem.length);
}

/* The key is looked for on the peer's device. */
static void
blame_key(struct qp *qp, const struct bk_wr *wr, struct err *e)
{
	struct qp *peer = qp_peer(qp);
	struct keys *ks;
	struct key *k;

	if (peer == NULL)
		return;
	ks = &dev_of(&peer->o)->keys;
	if ((k = keys_find(ks, KEY_MW, wr->rkey)) != NULL)
		blame_window(qp, peer, mw_of_key(k), wr, e);
	else if ((k = keys_find(ks, KEY_MR, wr->rkey)) != NULL)
		blame_region(qp, peer,
		    (struct mr *)(void *)((char *)k -
					  offsetof(struct mr, rkey)),
		    wr, e);
	else if (may_know(qp, &peer->o))
		add(e, ": no object of %s has this key now", peer->o.dev->name);
}

/* A2 asks for a right; who does not answer is in another state. */
static void
blame_peer(struct qp *qp, const struct bk_wr *wr, struct err *e)
{
	struct qp *peer = qp_peer(qp);
	char buf[RIGHTS_TEXT];

	if (peer == NULL || !may_know(qp, &peer->o))
		return;
	add_object(e, &peer->o, "qp");
	if (wr->req.wc.status == WC_RETRY_EXC_ERR)
		add(e, " is in state %s", name_of(qp_state_names, peer->state));
	else
		add(e, " has %s", rights_text(peer->rights, buf));
}

static void
blame_local(
    const struct bk_wr *wr, const struct mr *mr, uint64_t offset, struct err *e)
{
	char buf[RIGHTS_TEXT];

	add(e,
	    ": mr/%s has %" PRIu64 " bytes with %s; asked: %" PRIu64
	    " bytes at %" PRIu64,
	    mr->o.name, mr->mem.length,
	    rights_text(mr->rights | RIGHT_LOCAL_READ, buf), wr->length,
	    offset);
}

/* Since Linux 6.12 soft-RoCE says WR_FLUSH_ERR for what its own side has
 * refused (D5), and then the local side tells why. */
static bool
is_local(const struct bk_wr *wr, const struct mr *mr, uint64_t offset)
{
	const bool stores = wr->op == WR_READ || wr->op == WR_FETCH_ADD ||
			    wr->op == WR_CMP_SWAP;

	if (wr->req.wc.status == WC_LOC_PROT_ERR)
		return true;
	return wr->req.wc.status == WC_WR_FLUSH_ERR && mr->active &&
	       (offset > mr->mem.length ||
		   wr->length > mr->mem.length - offset ||
		   (stores && !(mr->rights & RIGHT_LOCAL_WRITE)));
}

void
qp_blame(struct qp *qp, const struct bk_wr *wr, const struct mr *mr,
    uint64_t offset, struct err *e)
{
	if (mr != NULL && is_local(wr, mr, offset))
		blame_local(wr, mr, offset, e);
	else if (wr->req.wc.status == WC_REM_ACCESS_ERR)
		blame_key(qp, wr, e);
	else if (wr->req.wc.status == WC_RETRY_EXC_ERR ||
		 (wr->req.wc.status == WC_REM_INV_REQ_ERR && wr->op != WR_SEND))
		blame_peer(qp, wr, e);
}
