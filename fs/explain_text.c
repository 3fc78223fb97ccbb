/* SPDX-License-Identifier: MIT */
/* What is said of a key and of an access; see explain.h. */
#include <inttypes.h>

#include "explain.h"
#include "tree.h"

#define NS 1000000000

static const char *const kind_names[] = {
	[KEY_MW] = "mw",
	[KEY_MR] = "mr",
	[KEY_LKEY] = "lkey",
};

/* Its path below the mount point; of an object that is gone, what it was. */
static void
print_path(const struct meaning *m, struct text *t)
{
	struct node n = { .o = m->o };
	struct text path = { 0 };

	if (m->o == NULL) {
		text_printf(t, "%s/pd/%s/%s/%s", m->dev->o.name, m->dead->pd,
		    m->kind == KEY_MW ? "mw" : "mr", m->dead->name);
		return;
	}
	n.dir = kind_info(m->o->kind)->dirtypes[0];
	node_path(&n, &path);
	text_add(t, path.buf != NULL ? path.buf : "", path.len);
	t->nomem = t->nomem || path.nomem;
	text_fini(&path);
}

static struct dead
region_facts(const struct mr *mr, const struct key *k)
{
	return (struct dead){ .value = k->value,
		.since = k->since,
		.addr = mr->iova,
		.length = mr->mem.length,
		.rights = mr->rights };
}

static struct dead
window_facts(const struct mw *mw)
{
	return (struct dead){ .value = mw->rkey.value,
		.since = mw->rkey.since,
		.type = mw->type,
		.addr = mw_addr(mw),
		.length = mw->bound.length,
		.offset = mw->bound.offset,
		.rights = mw->bound.rights,
		.mr = mw->mr->o.name,
		.qp = mw->qp != NULL ? mw->qp->o.name : NULL };
}

/* What a key opens or opened, of a live and of a dead one alike. */
static struct dead
facts(const struct meaning *m)
{
	const struct mr *mr;

	if (m->state == KEY_DEAD)
		return *m->dead;
	if (m->kind == KEY_MW)
		return window_facts(mw_of(m->o));
	mr = mr_of(m->o);
	return region_facts(mr, m->kind == KEY_MR ? &mr->rkey : &mr->lkey);
}

static void
print_end(const struct meaning *m, struct text *t)
{
	const struct dead *d = m->dead;

	text_printf(t, " died=%" PRId64 " how=%s", d->died / NS,
	    name_of(key_end_names, d->how));
	if (d->how == KEY_END_PEER)
		text_puts(t, " by=peer");
	else if (d->by != (uid_t)-1)
		text_printf(t, " by=%u", d->by);
	if (m->newer)
		text_puts(t, " newer=yes");
	if (m->o == NULL)
		text_puts(t, " gone=yes");
}

static void
print_object(const struct meaning *m, struct text *t)
{
	const struct dead d = facts(m);
	const bool window = m->kind == KEY_MW;

	text_puts(t, m->state == KEY_DEAD ? "dead " : "live ");
	print_path(m, t);
	text_printf(t, " kind=%s", kind_names[m->kind]);
	if (window)
		text_printf(t, " type=%u", d.type);
	text_printf(t, " index=0x%06x tag=0x%02x", d.value >> KEY_TAG_BITS,
	    d.value & ((1u << KEY_TAG_BITS) - 1));
	if (window)
		text_printf(t, " mr=%s offset=%" PRIu64, d.mr, d.offset);
	text_printf(t, " length=%" PRIu64, d.length);
	if (m->where) {
		text_puts(t, " addr=");
		text_addr(t, d.addr);
	}
	text_puts(t, " rights=");
	text_rights(t, window ? d.rights : d.rights | RIGHT_LOCAL_READ, ',');
	if (d.qp != NULL)
		text_printf(t, " qp=%s", d.qp);
	text_printf(t, " since=%" PRId64, d.since / NS);
	if (m->state == KEY_DEAD)
		print_end(m, t);
	text_puts(t, "\n");
}

/* A line "hint: LIVE", or "hint: DEAD", and the path. */
static void
print_hint(
    const struct meaning *m, const char *live, const char *dead, struct text *t)
{
	if (m->state == KEY_UNKNOWN)
		return;
	text_printf(t, "hint: %s%s of ", m->state == KEY_LIVE ? live : dead,
	    m->kind == KEY_LKEY ? "lkey" : "rkey");
	print_path(m, t);
	text_puts(t, "\n");
}

void
explain_print_key(const struct explained *x, struct text *t)
{
	if (x->is.state == KEY_UNKNOWN)
		text_printf(t,
		    "unknown key: neither in use, nor among the last %u that "
		    "died, or it is not yours to know\n",
		    KEYLOG_MAX);
	else
		print_object(&x->is, t);
	if (x->is.state != KEY_UNKNOWN && x->is.kind == KEY_LKEY)
		text_puts(t,
		    "hint: this is an lkey, for the own side: a peer needs "
		    "the rkey\n");
	print_hint(&x->tag, "another tag; with this index there is the ",
	    "another tag; with this index there was the ", t);
	print_hint(&x->elsewhere, "another device; there it is the ",
	    "another device; there it was the ", t);
	print_hint(&x->swapped,
	    "byte order; with its bytes reversed it is the ",
	    "byte order; with its bytes reversed it was the ", t);
}

static const char *
noun(const struct explained *x)
{
	return x->is.kind == KEY_MW ? "window" : "region";
}

static const char *
plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* "64 bytes from 0x7f..., the window ends 16 bytes earlier". */
static void
print_miss(const struct explained *x, const struct access *a, struct text *t)
{
	if (!x->is.where) {
		text_printf(t, "the range is not inside of the %s", noun(x));
		return;
	}
	text_printf(
	    t, "%" PRIu64 " byte%s from ", a->length, plural(a->length));
	text_addr(t, a->addr);
	text_printf(t, ", the %s", noun(x));
	if (x->before > 0)
		text_printf(t, " begins %" PRIu64 " byte%s later", x->before,
		    plural(x->before));
	if (x->past > 0)
		text_printf(t, "%s ends %" PRIu64 " byte%s earlier",
		    x->before > 0 ? " and" : "", x->past, plural(x->past));
}

/* Refused because of the queue pair. */
static void
print_why_qp(const struct explained *x, const struct qp *qp, struct text *t)
{
	switch (x->why) {
	case WHY_STATE:
		text_printf(t, "qp/%s is in state %s and does not answer",
		    qp->o.name, name_of(qp_state_names, qp->state));
		if (!x->silent)
			text_puts(t, ": the requester sees retry_exc_err");
		break;
	case WHY_UC:
		text_puts(t, "a uc queue pair has neither reads nor atomics");
		break;
	case WHY_OTHER_QP:
		text_printf(t,
		    "the window is of type 2 and bound over qp/%s, whose peer "
		    "alone can use the key (W8)",
		    mw_of(x->is.o)->qp->o.name);
		break;
	case WHY_DOMAIN:
		text_printf(t,
		    "the key is of domain %s, the queue pair of domain %s (P1)",
		    x->is.o->parent->name, qp->o.parent->name);
		break;
	default:
		text_printf(t, "qp/%s lacks %s, whatever the key", qp->o.name,
		    name_of(right_names, x->needs));
	}
}

static void
print_why(const struct explained *x, const struct access *a,
    const struct qp *qp, struct text *t)
{
	switch (x->why) {
	case WHY_LONG:
		text_puts(t, "a message has at most 2147483648 bytes");
		break;
	case WHY_ATOMIC_SIZE:
		text_puts(t, "an atomic operation is on 8 bytes");
		break;
	case WHY_ATOMIC_ALIGN:
		text_puts(
		    t, "an atomic operation's address is a multiple of 8");
		break;
	case WHY_UNKNOWN:
		text_puts(t, "nothing has this key");
		break;
	case WHY_DEAD:
		text_printf(t, "the key is dead%s",
		    x->is.newer ? ", and there is a newer one" : "");
		break;
	case WHY_LKEY:
		text_puts(t, "the key is a region's lkey, not its rkey");
		break;
	case WHY_RIGHT:
		text_printf(t, "the %s lacks %s", noun(x),
		    name_of(right_names, x->needs));
		break;
	case WHY_RANGE:
		print_miss(x, a, t);
		break;
	default:
		print_why_qp(x, qp, t);
	}
}

static void
print_taken_for(const struct explained *x, struct text *t)
{
	static const char *const what[] = {
		[TAKEN_FOR_OFFSET] = "offset; counted from the first byte that "
				     "the key opens",
		[TAKEN_FOR_REGION_OFFSET] = "offset; counted from the region's "
					    "first byte",
		[TAKEN_FOR_REMOTE] = "address; the window is zero_based and "
				     "its first byte is 0:",
		[TAKEN_FOR_LOCAL] = "address; it is the memory's in the "
				    "daemon, for a peer",
	};

	if (x->taken_for == TAKEN_FOR_NOTHING || !x->is.where)
		return;
	text_printf(t, "hint: %s it is ", what[x->taken_for]);
	text_addr(t, x->would_be);
	text_puts(t, "\n");
}

/* What else is to be known of the verdict. */
static void
print_notes(const struct explained *x, const struct qp *qp, struct text *t)
{
	const struct mw *mw = x->is.state == KEY_LIVE && x->is.kind == KEY_MW
				  ? mw_of(x->is.o)
				  : NULL;

	if (x->why == WHY_NO_BYTES)
		text_puts(t,
		    "note: of no bytes neither key nor address is looked at "
		    "(A3)\n");
	if (qp == NULL && mw != NULL && mw->qp != NULL)
		text_printf(t,
		    "note: of type 2: only the peer of qp/%s can use the key "
		    "(W8)\n",
		    mw->qp->o.name);
	if (x->mute && x->why != WHY_STATE)
		text_printf(t,
		    "note: qp/%s is in state %s now, and answers nothing "
		    "(A5)\n",
		    qp->o.name, name_of(qp_state_names, qp->state));
	if (x->down)
		text_puts(t, "note: no port of the device is active: nothing "
			     "arrives\n");
	if (x->passes)
		text_puts(t,
		    "note: this device lets it pass all the same: it does not "
		    "keep to a window's range (window_range)\n");
	if (x->silent)
		text_puts(t,
		    "note: over uc it is dropped, and the requester sees "
		    "success (A6)\n");
}

void
explain_print_access(const struct explained *x, const struct access *a,
    const struct qp *qp, struct text *t)
{
	if (x->rule == NULL) {
		text_puts(t, "allowed\n");
	} else {
		text_printf(t, "refused %s: ", x->rule);
		print_why(x, a, qp, t);
		text_puts(t, "\n");
	}
	explain_print_key(x, t);
	print_taken_for(x, t);
	print_notes(x, qp, t);
}
