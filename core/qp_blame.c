/* SPDX-License-Identifier: MIT */
/*
 * Why a transfer was refused, where this host knows: which object the key
 * means, what it opens, and what was asked of it.  No key and no address
 * stands in a text; offsets count from the object's start.
 */
#include <inttypes.h>
#include <stdarg.h>
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
		peer = qp_of(obj_of_key(k));
		if (memcmp(&peer->local.gid, &qp->remote.gid,
			sizeof(peer->local.gid)) == 0)
			return peer;
	}
	return NULL;
}

/* What is told, and whom. */
struct blame {
	struct qp *qp;
	struct qp *peer; /* NULL: another host's */
	uid_t reader;
	const struct bk_wr *wr;
	struct err *e;
};

/* Whether the reader may learn what o is: it is his own, or he is root. */
static bool
may_know(const struct blame *b, const struct obj *o)
{
	return b->reader == 0 || b->reader == o->owner.uid;
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
blame_window(const struct blame *b, const struct mw *mw)
{
	char buf[RIGHTS_TEXT];

	if (!may_know(b, &mw->o))
		return;
	add_object(b->e, &mw->o, "mw");
	add(b->e, " opens %" PRIu64 " bytes with %s", mw->bound.length,
	    rights_text(mw->bound.rights, buf));
	if (mw->o.parent != b->peer->o.parent)
		add(b->e, " in another domain than the peer's (P1)");
	else if (mw->qp != NULL && mw->qp != b->peer)
		add(b->e, " over qp/%s, not over the peer's (W8)",
		    mw->qp->o.name);
	else
		add_asked(b->e, b->wr, mw_addr(mw), mw->bound.length);
}

static void
blame_region(const struct blame *b, const struct mr *mr)
{
	char buf[RIGHTS_TEXT];

	if (!may_know(b, &mr->o))
		return;
	add_object(b->e, &mr->o, "mr");
	add(b->e, " has %" PRIu64 " bytes with %s", mr->mem.length,
	    rights_text(mr->rights, buf));
	if (mr->o.parent != b->peer->o.parent)
		add(b->e, " in another domain than the peer's (P1)");
	else
		add_asked(b->e, b->wr, mr->iova, mr->mem.length);
}

static void
blame_lkey(const struct blame *b, const struct mr *mr)
{
	if (!may_know(b, &mr->o))
		return;
	add_object(b->e, &mr->o, "mr");
	add(b->e, " has it as its lkey, a peer needs the rkey");
}

/* The key is looked for on the peer's device. */
static void
blame_key(const struct blame *b)
{
	struct keys *ks = &dev_of(&b->peer->o)->keys;
	struct key *k;

	if ((k = keys_find(ks, KEY_MW, b->wr->rkey)) != NULL)
		blame_window(b, mw_of(obj_of_key(k)));
	else if ((k = keys_find(ks, KEY_MR, b->wr->rkey)) != NULL)
		blame_region(b, mr_of(obj_of_key(k)));
	else if ((k = keys_find(ks, KEY_LKEY, b->wr->rkey)) != NULL)
		blame_lkey(b, mr_of(obj_of_key(k)));
	else if (may_know(b, &b->peer->o))
		add(b->e, ": no object of %s has this key",
		    b->peer->o.dev->name);
}

/* A2 asks for a right; who does not answer is in another state. */
static void
blame_peer(const struct blame *b)
{
	const struct qp *peer = b->peer;
	char buf[RIGHTS_TEXT];

	if (!may_know(b, &peer->o))
		return;
	add_object(b->e, &peer->o, "qp");
	if (b->wr->req.wc.status == WC_RETRY_EXC_ERR)
		add(b->e, " is in state %s",
		    name_of(qp_state_names, peer->state));
	else
		add(b->e, " has %s", rights_text(peer->rights, buf));
}

/* Of a send, the receive that it met. */
static void
blame_receive(const struct blame *b)
{
	const struct qp *peer = b->peer;

	if (!may_know(b, &peer->o) || peer->bad_recv.mr[0] == '\0')
		return;
	add_object(b->e, &peer->o, "qp");
	add(b->e,
	    " received into mr/%s, %" PRIu64 " bytes at %" PRIu64
	    "; sent: %" PRIu64 " bytes",
	    peer->bad_recv.mr, peer->bad_recv.length, peer->bad_recv.offset,
	    b->wr->length);
}

static void
blame_local(const struct blame *b, const struct mr *mr, uint64_t offset)
{
	char buf[RIGHTS_TEXT];

	add(b->e,
	    ": mr/%s has %" PRIu64 " bytes with %s; asked: %" PRIu64
	    " bytes at %" PRIu64,
	    mr->o.name, mr->mem.length,
	    rights_text(mr->rights | RIGHT_LOCAL_READ, buf), b->wr->length,
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
qp_blame(struct qp *qp, uid_t reader, const struct bk_wr *wr,
    const struct mr *mr, uint64_t offset, struct err *e)
{
	const struct blame b = { qp, qp_peer(qp), reader, wr, e };
	const bool send = wr->op == WR_SEND;

	if (mr != NULL && is_local(wr, mr, offset)) {
		blame_local(&b, mr, offset);
		return;
	}
	if (b.peer == NULL)
		return;
	switch (wr->req.wc.status) {
	case WC_REM_ACCESS_ERR:
		blame_key(&b);
		break;
	case WC_REM_INV_REQ_ERR:
	case WC_REM_OP_ERR:
		if (send)
			blame_receive(&b);
		else
			blame_peer(&b);
		break;
	case WC_RETRY_EXC_ERR:
		blame_peer(&b);
		break;
	default:
		break;
	}
}
