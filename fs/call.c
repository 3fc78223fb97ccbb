/* SPDX-License-Identifier: MIT */
/*
 * What a command names beside its own object: regions, queue pairs, domains,
 * rights, and whether its opener may; see script.h.
 */
#include <errno.h>
#include <unistd.h>

#include "script.h"

int
rights_want(uint32_t rights)
{
	int want = 0;

	if (rights & (RIGHT_REMOTE_WRITE | RIGHT_REMOTE_ATOMIC))
		want |= W_OK;
	if ((rights & RIGHT_REMOTE_READ) || want == 0)
		want |= R_OK;
	return want;
}

/* Whether the opener might open that file of o for want. */
static bool
call_may_open(const struct call *c, struct obj *o, const char *file, int want)
{
	bool may;

	world_lock(o->world);
	may = cred_opens(c->cred, o, file, want);
	world_unlock(o->world);
	return may;
}

static int
fail_use(struct call *c, int want)
{
	return fail_at(&c->op.err, "mr", EACCES,
	    "you may not %s the data of this region, which this command asks "
	    "for",
	    want == R_OK   ? "read"
	    : want == W_OK ? "write"
			   : "read and write");
}

int
call_may_use(struct call *c, struct mr *mr, int want)
{
	return call_may_open(c, &mr->o, "data", want) ? 0 : fail_use(c, want);
}

/*
 * The object of that name in set, referenced; NULL.  *may, unless file is NULL:
 * the opener might open that file of it for want.
 */
static struct obj *
call_find(const struct call *c, struct set *set, const char *name,
    const char *file, int want, bool *may)
{
	struct world *w = c->op.obj->world;
	struct obj *o;

	world_lock(w);
	if ((o = obj_by_name(set, name)) != NULL) {
		obj_ref(o);
		if (file != NULL)
			*may = cred_opens(c->cred, o, file, want);
	}
	world_unlock(w);
	return o;
}

struct mr *
call_region(struct call *c, const char *name, int want)
{
	struct obj *pd = c->op.obj->parent, *o;
	bool may = false;

	o = call_find(c, obj_set(pd, KIND_MR), name, "data", want, &may);
	if (o == NULL) {
		(void)fail_at(&c->op.err, "mr", ENOENT,
		    "there is no region of this name in the domain");
		return NULL;
	}
	if (!may) {
		obj_unref(o);
		(void)fail_use(c, want);
		return NULL;
	}
	return mr_of(o);
}

struct qp *
call_qp(struct call *c, const char *name)
{
	struct obj *pd = c->op.obj->parent, *o;
	bool may = false;

	o = call_find(c, obj_set(pd, KIND_QP), name, "ctl", W_OK, &may);
	if (o == NULL) {
		(void)fail_at(&c->op.err, "qp", ENOENT,
		    "there is no queue pair of this name in the domain");
		return NULL;
	}
	if (!may) {
		obj_unref(o);
		(void)fail_at(&c->op.err, "qp", EACCES,
		    "you may not write the ctl of this queue pair");
		return NULL;
	}
	return qp_of(o);
}

struct pd *
call_domain(struct call *c, const char *name)
{
	struct obj *dev = c->op.obj->dev, *o;
	struct owner own;
	bool may;

	o = call_find(c, obj_set(dev, KIND_PD), name, NULL, 0, NULL);
	if (o == NULL) {
		(void)fail_at(&c->op.err, "pd", ENOENT,
		    "there is no domain of this name on the device");
		return NULL;
	}
	world_lock(dev->world);
	own = obj_set(o, KIND_MR)->owner;
	may = cred_reaches(c->cred, o) && cred_may(c->cred, &own, W_OK | X_OK);
	world_unlock(dev->world);
	if (!may) {
		obj_unref(o);
		(void)fail_at(&c->op.err, "pd", EACCES,
		    "you may not make regions in this domain");
		return NULL;
	}
	return pd_of(o);
}

int
call_rights(struct call *c, uint32_t old, uint32_t *rights)
{
	if (c->cmd->rights.relative)
		return fail_at(&c->op.err, "rights", EINVAL,
		    "+ and - change rights that are in force: write them to "
		    "rights");
	*rights = rights_apply(&c->cmd->rights, old);
	return 0;
}

int
run_keep(struct call *c)
{
	struct obj *o = c->op.obj;

	if (!o->clone)
		return fail(&c->op.err, EINVAL,
		    "made by mkdir: it stays anyway; keep is for what was "
		    "made through clone");
	world_lock(o->world);
	o->keep = true;
	world_unlock(o->world);
	return 0;
}
