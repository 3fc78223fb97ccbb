/* SPDX-License-Identifier: MIT */
/*
 * core/explain against the model of a soft device: objects live and die at
 * random, and of each access both say the same, by the same rule.
 */
#include <stdlib.h>
#include <string.h>

#include "corerig.h"
#include "explain.h"
#include "tap.h"

#define ROUNDS   3000
#define ACCESSES 20 /* of a round */

#define NPD     2
#define NMR     6
#define NMW     8
#define NQP     5
#define NSEEN   256
#define LOCALMW (RIGHT_LOCAL_WRITE | RIGHT_MW_BIND)
#define ALL     RIGHT_REMOTE

static struct dev *devs[2];
static struct pd *pds[NPD];
static struct mr *mrs[NMR];
static struct mw *mws[NMW];
static struct qp *qps[NQP];

/* Keys that were somebody's. */
static uint32_t seen[NSEEN];
static unsigned nseen;

static unsigned whys[WHY_RANGE + 1]; /* how often it was so */
static unsigned disagreed;

/* The same numbers at each run; only the keys and addresses are others. */
static uint64_t seed = 20261130;

static uint32_t
dice(uint32_t sides)
{
	seed = seed * UINT64_C(6364136223846793005) +
	       UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % sides;
}

static void
see(uint32_t key)
{
	unsigned i;

	for (i = 0; i < NSEEN && seen[i] != key; i++)
		continue;
	if (i == NSEEN && key != 0)
		seen[nseen++ % NSEEN] = key;
}

static void
populate(void)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g",
		"h" };
	unsigned i;

	core_open(devs);
	for (i = 0; i < NPD; i++)
		pds[i] = core_pd(devs[0], names[i]);
	for (i = 0; i < NMR; i++)
		mrs[i] = core_mr(pds[i % NPD], names[i]);
	for (i = 0; i < NMW; i++)
		mws[i] = core_mw(pds[i % NPD], names[i],
		    i < NMW / 2 ? MW_TYPE_1 : MW_TYPE_2);
	for (i = 0; i < NQP; i++)
		qps[i] = core_qp(
		    pds[i % NPD], names[i], i == NQP - 1 ? QP_UC : QP_RC);
}

/*
 * What changes.
 */
static int
run_rereg(struct op *op)
{
	return mr_rereg(op, LOCALMW | (dice(16) << 1 & ALL), NULL);
}

static void
change_region(struct mr *mr)
{
	static const uint64_t iovas[] = { 0, 0, 0x7000000000, 0x100000 };

	if (!mr->active)
		core_reg(mr, 4096 * (1 + dice(4)) - dice(2),
		    LOCALMW | (dice(16) << 1 & ALL) |
			(dice(8) == 0 ? RIGHT_ZERO_BASED : 0),
		    0);
	else if (mr->nwindows > 0)
		return;
	else if (dice(2))
		core_do(&mr->o, mr_dereg);
	else if (!(mr->rights & RIGHT_ZERO_BASED))
		core_do(&mr->o, run_rereg);
	if (mr->active && mr->nwindows == 0 && dice(4) == 0) {
		core_do(&mr->o, mr_dereg);
		core_reg(mr, 8192, LOCALMW | ALL, iovas[dice(4)]);
	}
}

/* What it can be bound to and over. */
static bool
change_window(struct mw *mw)
{
	struct mr *mr = mrs[dice(NMR)];
	struct qp *qp = qps[dice(NQP)];
	uint32_t rights = dice(16) << 1 & ALL;
	uint64_t offset;

	if (mw->mr != NULL && (mw->type == MW_TYPE_2 || dice(3) == 0)) {
		core_do(&mw->o, mw_invalidate);
		return true;
	}
	if (!mr->active || (mr->rights & RIGHT_ZERO_BASED) ||
	    mr->o.parent != mw->o.parent || qp->o.parent != mw->o.parent ||
	    !(qp->rights & RIGHT_MW_BIND))
		return false;
	offset = dice((uint32_t)mr->mem.length);
	if (mw->type == MW_TYPE_2 && dice(3) == 0)
		rights |= RIGHT_ZERO_BASED;
	core_bind(mw, mr, mw->type == MW_TYPE_2 ? qp : NULL, offset,
	    1 + dice((uint32_t)(mr->mem.length - offset)), rights);
	return true;
}

static void
change(void)
{
	unsigned i;

	switch (dice(4)) {
	case 0:
		change_region(mrs[dice(NMR)]);
		break;
	case 1:
		core_rights(qps[dice(NQP)], (dice(16) << 1 & ALL) |
						(dice(4) ? RIGHT_MW_BIND : 0) |
						(dice(2) ? ALL : 0));
		break;
	default:
		for (i = 0; i < 8 && !change_window(mws[dice(NMW)]); i++)
			continue;
	}
	for (i = 0; i < NMR; i++) {
		see(mrs[i]->keys.rkey);
		see(mrs[i]->keys.lkey);
	}
	for (i = 0; i < NMW; i++)
		see(mws[i]->rkey.value);
}

/*
 * What is asked.
 */
static uint32_t
some_key(void)
{
	uint32_t key = seen[dice(nseen < NSEEN ? nseen + 1 : NSEEN)], live;

	switch (dice(16)) {
	case 0:
		return key ^ dice(256);
	case 1:
		return __builtin_bswap32(key);
	case 2:
		return dice(UINT32_MAX);
	case 3:
	case 4:
		return key;
	case 5:
		return mrs[dice(NMR)]->keys.lkey;
	case 6:
	case 7:
		return mrs[dice(NMR)]->keys.rkey;
	default:
		live = mws[dice(NMW)]->rkey.value;
		return live != 0 ? live : key;
	}
}

/* Where things begin and end, and a little beside that. */
static uint64_t
some_addr(const struct explained *x)
{
	uint64_t start = 0, length = 8192;

	if (x->is.state == KEY_LIVE && x->is.kind == KEY_MW) {
		start = mw_addr(mw_of(x->is.o));
		length = mw_of(x->is.o)->bound.length;
	} else if (x->is.state == KEY_LIVE) {
		start = mr_of(x->is.o)->iova;
		length = mr_of(x->is.o)->mem.length;
	}
	switch (dice(8)) {
	case 0:
		return dice(16384);
	case 1:
		return start + length - 8 + dice(16);
	case 2:
		return start - 8 + dice(16);
	case 3:
		return UINT64_MAX - dice(16);
	case 4:
		return start + (dice((uint32_t)length) & ~7u);
	default:
		return start + dice((uint32_t)length);
	}
}

static uint64_t
some_length(enum access_op op)
{
	if (op == ACCESS_ATOMIC && dice(8) != 0)
		return 8;
	switch (dice(16)) {
	case 0:
		return 0;
	case 1:
		return (UINT64_C(1) << 31) + dice(2);
	case 2:
		return UINT64_MAX - dice(2);
	default:
		return dice(dice(2) ? 16 : 8192);
	}
}

static bool
any(const void *arg, enum secret what, struct obj *o, uid_t owner)
{
	return true;
}

static void
compare(void)
{
	static const struct asker root = { any, NULL };
	struct qp *qp = dice(3) ? qps[dice(NQP)] : NULL;
	struct access a = { .rkey = some_key() };
	struct pd *pd = pds[0];
	struct explained x;
	struct verdict v;

	explain_key(devs[0], &root, a.rkey, &x);
	a.op = (enum access_op)dice(3);
	/* Over uc nothing else is sent. */
	if (qp != NULL && qp->type == QP_UC)
		a.op = ACCESS_WRITE;
	a.addr = some_addr(&x);
	a.length = some_length(a.op);
	if (qp != NULL)
		pd = pd_of(qp->o.parent);
	else if (x.is.state == KEY_LIVE)
		pd = pd_of(x.is.o->parent);
	explain_access(devs[0], &root, &a, qp, &x);
	if (backend_access(
		&devs[0]->b, pd->b, qp != NULL ? qp->b : NULL, &a, &v) < 0)
		bail_out("no model");
	whys[x.why]++;
	if (v.allowed == (x.rule == NULL) &&
	    (v.allowed || strcmp(v.rule, x.rule) == 0))
		return;
	if (disagreed++ < 10)
		ok(false, "the model: %s %s; explain: %s, %d",
		    v.rule != NULL ? v.rule : "allowed",
		    v.why != NULL ? v.why : "",
		    x.rule != NULL ? x.rule : "allowed", x.why);
}

int
main(void)
{
	unsigned round, i;

	populate();
	for (round = 0; round < ROUNDS; round++) {
		change();
		world_lock(&core_world);
		for (i = 0; i < ACCESSES; i++)
			compare();
		world_unlock(&core_world);
	}
	is_int(
	    disagreed, 0, "the same verdict of %d accesses", ROUNDS * ACCESSES);
	for (i = 0; i <= WHY_RANGE; i++) {
		/* Of these the model of an access knows nothing. */
		if (i == WHY_STATE || i == WHY_UC)
			continue;
		ok(whys[i] >= 100, "reason %u was among them: %u times", i,
		    whys[i]);
	}
	core_close();
	return done_testing();
}
