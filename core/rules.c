/* SPDX-License-Identifier: MIT */
/* The rules of RDMA memory; see rules.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dev.h"
#include "pd.h"
#include "rules.h"

#define PAGE_LOW 0xfffu /* M5: an iova's low 12 bits */

/* The first right of mask, in the order in which rights are printed. */
static const char *
right_name(uint32_t mask)
{
	const struct name *n;

	for (n = right_names; n->name != NULL; n++)
		if (mask & n->value)
			return n->name;
	return "right";
}

static int
refuse_right(uint32_t mask, int code, const char *why, struct err *e)
{
	const char *name = right_name(mask);

	return fail_at(e, name, code, "%s %s", name, why);
}

int
rule_region_rights(const struct dev_info *info, uint32_t rights, struct err *e)
{
	static const struct {
		uint32_t right, cap;
	} needs[] = {
		{ RIGHT_ON_DEMAND, CAP_ON_DEMAND },
		{ RIGHT_ZERO_BASED, CAP_ZERO_BASED_MR },
		{ RIGHT_FLUSH_GLOBAL, CAP_FLUSH },
		{ RIGHT_FLUSH_PERSISTENT, CAP_FLUSH },
	};
	uint32_t remote = rights & (RIGHT_REMOTE_WRITE | RIGHT_REMOTE_ATOMIC);
	size_t i;

	if (rights & ~RIGHT_KNOWN)
		return fail_at(e, "rights", EINVAL, "unknown right (M3)");
	if (remote != 0 && !(rights & RIGHT_LOCAL_WRITE))
		return refuse_right(
		    remote, EINVAL, "needs local_write (M2)", e);
	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if ((rights & needs[i].right) && !(info->caps & needs[i].cap))
			return refuse_right(needs[i].right, EOPNOTSUPP,
			    "is not offered by this device for regions (M4)",
			    e);
	return 0;
}

int
rule_region_range(uint64_t addr, uint64_t length, uint64_t iova, struct err *e)
{
	uint64_t end;

	if (length == 0)
		return fail_at(e, "length", EINVAL, "length is zero (M5)");
	if (__builtin_add_overflow(addr, length, &end))
		return fail_at(
		    e, "length", EINVAL, "address + length passes 2^64 (M5)");
	if (__builtin_add_overflow(iova, length, &end))
		return fail_at(
		    e, "iova", EINVAL, "iova + length passes 2^64 (M5)");
	if ((addr & PAGE_LOW) != (iova & PAGE_LOW))
		return fail_at(e, "iova", EINVAL,
		    "the low 12 bits of iova must be the address's, 0x%03x "
		    "(M5)",
		    (unsigned)(addr & PAGE_LOW));
	return 0;
}

int
rule_memory(uint32_t rights, bool writable, struct err *e)
{
	uint32_t asks = rights & (RIGHT_LOCAL_WRITE | RIGHT_REMOTE_WRITE |
				     RIGHT_REMOTE_ATOMIC | RIGHT_MW_BIND);

	if (writable || asks == 0)
		return 0;
	return refuse_right(asks, EFAULT,
	    "asks for writable memory, and this was opened read-only (M6)", e);
}

int
rule_no_windows(struct mr *mr, uid_t reader, struct err *e)
{
	struct mw *mw;
	size_t len;
	unsigned shown = 0;

	if (mr->nwindows == 0 && mr->uses > 0)
		return fail(e, EBUSY,
		    "a bind or a transfer that names this region is under way "
		    "(M10)");
	if (mr->nwindows == 0)
		return 0;
	(void)fail(e, EBUSY, "%zu window%s bound to this region:", mr->nwindows,
	    mr->nwindows == 1 ? " is" : "s are");
	if (e == NULL)
		return -EBUSY;
	RB_FOREACH (mw, mr_windows, &mr->windows) {
		len = strlen(e->text);
		if (shown == 16)
			break;
		if (!obj_is_seen(&mw->o, reader))
			continue;
		shown++;
		(void)snprintf(
		    e->text + len, sizeof(e->text) - len, " mw/%s", mw->o.name);
	}
	return -EBUSY;
}

int
rule_domain_empty(struct pd *pd, uid_t reader, struct err *e)
{
	static const char *const dirs[] = { "mr", "mw", "qp" };
	const size_t nsets = sizeof(pd->sets) / sizeof(pd->sets[0]);
	size_t i, n = 0;

	for (i = 0; i < nsets; i++)
		n += pd->sets[i].count;
	if (n == 0 && pd->uses > 0)
		return fail(
		    e, EBUSY, "an object is on its way into this domain (P2)");
	if (n == 0)
		return 0;
	(void)fail(e, EBUSY, "%zu object%s in this domain:", n,
	    n == 1 ? " is" : "s are");
	for (i = 0; e != NULL && i < nsets; i++)
		obj_list_names(&pd->sets[i], dirs[i], reader, e);
	return -EBUSY;
}

int
rule_window_rights(unsigned type, uint32_t rights, struct err *e)
{
	uint32_t wrong = rights & ~(RIGHT_REMOTE | RIGHT_ZERO_BASED);

	if (wrong != 0)
		return refuse_right(wrong, EINVAL,
		    "cannot stand on a window: only remote rights and "
		    "zero_based can (W3)",
		    e);
	if ((rights & RIGHT_ZERO_BASED) && type != MW_TYPE_2)
		return refuse_right(RIGHT_ZERO_BASED, EINVAL,
		    "is for type 2 windows only (W5)", e);
	return 0;
}

int
rule_window_type(const struct dev_info *info, unsigned type, struct err *e)
{
	uint32_t cap = type == MW_TYPE_2 ? CAP_MW_TYPE_2 : CAP_MW_TYPE_1;

	if (info->caps & cap)
		return 0;
	return fail(
	    e, EOPNOTSUPP, "%s has no type %u windows (W1)", info->name, type);
}

/* A command may name it now. */
static int
rule_region_usable(const struct mr *mr, struct err *e)
{
	if (mr->o.gone)
		return fail_at(e, "mr", ENOENT, "the region is gone");
	if (mr->changing || mr->o.dying)
		return fail_at(e, "mr", EBUSY, "mr/%s is busy: %s", mr->o.name,
		    obj_busy(&mr->o) ? obj_busy(&mr->o) : "");
	if (!mr->active)
		return fail_at(
		    e, "mr", ENODATA, "mr/%s is not registered", mr->o.name);
	return 0;
}

static int
rule_bind_region(const struct mw *mw, const struct mr *mr, struct err *e)
{
	if (!mr->o.gone && mr->o.parent != mw->o.parent)
		return fail_at(
		    e, "mr", EINVAL, "the region is in another domain (W2)");
	return rule_region_usable(mr, e);
}

static int
rule_bind_rights(uint32_t region, uint32_t rights, struct err *e)
{
	uint32_t write = rights & (RIGHT_REMOTE_WRITE | RIGHT_REMOTE_ATOMIC);

	if (!(region & RIGHT_MW_BIND))
		return fail_at(
		    e, "mr", EINVAL, "the region lacks mw_bind (W3)");
	if (region & RIGHT_ZERO_BASED)
		return fail_at(e, "mr", EINVAL,
		    "a zero_based region takes no windows (W5)");
	if (write != 0 && !(region & RIGHT_LOCAL_WRITE))
		return refuse_right(
		    write, EINVAL, "needs local_write on the region (W3)", e);
	return 0;
}

int
rule_connected(const struct qp *qp, struct err *e)
{
	if (qp->o.gone)
		return fail(e, ENODEV, "the queue pair is gone");
	if (qp->o.dying)
		return fail(e, EBUSY, "qp/%s is busy: %s", qp->o.name,
		    obj_busy(&qp->o) ? obj_busy(&qp->o) : "");
	if (!qp->connected)
		return fail(e, ENODATA, "qp/%s is not connected", qp->o.name);
	return 0;
}

/* W7, W8, W11: what a bind goes over. */
static int
rule_bind_over(const struct mw *mw, const struct qp *qp,
    const struct bind_args *a, struct err *e)
{
	int r;

	if (mw->type == MW_TYPE_1 && qp != NULL)
		return fail_at(e, "qp", EINVAL,
		    "a type 1 window is bound over a queue pair of the "
		    "daemon's own: qp= is for type 2 (W7)");
	if (mw->type == MW_TYPE_1 && a->tag != 0)
		return fail_at(e, "tag", EINVAL,
		    "the key of a type 1 window cannot be chosen: tag= is "
		    "for type 2 (W7)");
	if (mw->type == MW_TYPE_1)
		return 0;
	if (qp == NULL)
		return fail(e, EINVAL,
		    "a type 2 window is bound over a queue pair: qp=NAME is "
		    "missing (W8)");
	if ((r = rule_connected(qp, e)) < 0)
		return r;
	if (qp->state != QP_RTS)
		return fail_at(e, "qp", EIO,
		    "qp/%s is in state %s: reset and connect it anew (W11)",
		    qp->o.name, name_of(qp_state_names, qp->state));
	if (!(qp->rights & RIGHT_MW_BIND))
		return fail_at(e, "qp", EINVAL,
		    "qp/%s lacks mw_bind among its rights (W11)", qp->o.name);
	return 0;
}

int
rule_bound_once(const struct mw *mw, struct err *e)
{
	if (mw->type != MW_TYPE_2 || mw->mr == NULL)
		return 0;
	return fail(e, EBUSY,
	    "a type 2 window is bound once until its key is invalidated (W8)");
}

static int
rule_message(const struct qp *qp, const struct qp_transfer *t, struct err *e)
{
	uint64_t max = dev_of(qp->o.parent)->b.info.max_msg, end;

	if (t->length > MESSAGE_MAX)
		return fail_at(e, "length", EINVAL,
		    "a message is at most 2^31 bytes (A3)");
	if (t->length > max)
		return fail_at(e, "length", EINVAL,
		    "a message of this device is at most %llu bytes: "
		    "max_msg_sz",
		    (unsigned long long)max);
	if (t->length > 0 &&
	    __builtin_add_overflow(t->offset, t->length - 1, &end))
		return fail_at(
		    e, "length", EINVAL, "offset + length passes 2^64 (A4)");
	return 0;
}

static bool
is_atomic(enum wr_op op)
{
	return op == WR_FETCH_ADD || op == WR_CMP_SWAP;
}

int
rule_operation(const struct qp *qp, enum wr_op op, struct err *e)
{
	if (qp->type != QP_UC || (op != WR_READ && !is_atomic(op)))
		return 0;
	return fail(e, EINVAL, "a uc queue pair has neither reads nor atomics");
}

int
rule_unconnected(const struct qp *qp, struct err *e)
{
	if (!qp->connected)
		return 0;
	return fail(e, EBUSY,
	    "connected already to queue pair %u: reset comes first",
	    qp->remote.qpn);
}

int
rule_transfer(const struct qp *qp, const struct qp_transfer *t, struct err *e)
{
	bool atomic = is_atomic(t->op);
	int r;

	if ((r = rule_connected(qp, e)) < 0 ||
	    (r = rule_message(qp, t, e)) < 0 ||
	    (r = rule_region_usable(t->mr, e)) < 0)
		return r;
	if (t->mr->o.parent != qp->o.parent)
		return fail_at(
		    e, "mr", EINVAL, "the region is in another domain (P1)");
	if ((r = rule_operation(qp, t->op, e)) < 0)
		return r;
	if (atomic && !(dev_of(qp->o.parent)->b.info.caps & CAP_ATOMIC))
		return fail(e, EOPNOTSUPP, "%s has no atomics",
		    dev_of(qp->o.parent)->b.info.name);
	if (atomic && t->addr % ATOMIC_SIZE != 0)
		return fail_at(e, "addr", EINVAL,
		    "an atomic operation's address is a multiple of 8 (A3)");
	return 0;
}

int
rule_peer(const struct qp_addr *remote, struct err *e)
{
	static const struct gid none;

	if (remote->lid != 0 || memcmp(&remote->gid, &none, sizeof(none)) != 0)
		return 0;
	return fail_at(e, "gid", EINVAL, "a GID of zeros is nobody's");
}

int
rule_qp_rights(uint32_t rights, struct err *e)
{
	uint32_t wrong = rights & ~QP_RIGHTS;

	if (wrong == 0)
		return 0;
	return refuse_right(wrong, EINVAL,
	    "cannot stand on a queue pair: only remote rights and mw_bind can",
	    e);
}

int
rule_bind(const struct mw *mw, const struct mr *mr, const struct qp *qp,
    const struct bind_args *a, struct err *e)
{
	const struct dev_info *info = &dev_of(mw->o.parent)->b.info;
	uint64_t end;
	int r;

	if ((r = rule_window_type(info, mw->type, e)) < 0)
		return r;
	if ((r = rule_window_rights(mw->type, a->rights, e)) < 0 ||
	    (r = rule_bind_over(mw, qp, a, e)) < 0 ||
	    (r = rule_bind_region(mw, mr, e)) < 0)
		return r;
	if ((r = rule_bind_rights(mr->rights, a->rights, e)) < 0)
		return r;
	if (a->length == 0)
		return fail_at(e, "length", EINVAL,
		    "length is zero: a type 2 window ends by invalidate (W8)");
	if (__builtin_add_overflow(a->offset, a->length, &end) ||
	    end > mr->mem.length)
		return fail_at(e,
		    a->offset >= mr->mem.length ? "offset" : "length", EINVAL,
		    "offset %llu and length %llu do not lie inside the "
		    "region's %llu bytes (W4)",
		    (unsigned long long)a->offset,
		    (unsigned long long)a->length,
		    (unsigned long long)mr->mem.length);
	return 0;
}
