/* SPDX-License-Identifier: MIT */
/* <dev>/explain: what a key means, and why an access is refused. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "explain.h"
#include "script.h"

/* Whoever may read a file with that of o; of what is gone, its last owner. */
static bool
may(const void *arg, enum secret what, struct obj *o, uid_t owner)
{
	static const char *const files[] = {
		[SECRET_RKEY] = "rkey",
		[SECRET_LKEY] = "lkey",
		[SECRET_ADDR] = "addr",
	};
	const struct cred *cred = arg;

	if (o == NULL)
		return cred->uid == 0 || cred->uid == owner;
	return cred_opens(cred, o, files[what], R_OK);
}

/* So much of it may stand unread behind a descriptor, and one more. */
#define ANSWERS_MAX (256u << 10)

static int
may_ask(struct call *c)
{
	if (c->answer->len < ANSWERS_MAX)
		return 0;
	return fail(&c->op.err, EMSGSIZE,
	    "the answers to one write are %u bytes already: read them before "
	    "you ask on",
	    ANSWERS_MAX);
}

/* Its lines are told, or there was no memory for them. */
static int
told(struct call *c)
{
	if (c->answer->nomem)
		return fail(&c->op.err, ENOMEM, "out of memory for the answer");
	return 0;
}

static int
run_key(struct call *c)
{
	const struct asker by = { may, c->cred };
	struct world *w = c->op.obj->world;
	struct explained x;

	if (may_ask(c) < 0)
		return -c->op.err.code;
	world_lock(w);
	explain_key(
	    dev_of(c->op.obj), &by, (uint32_t)cmd_num(c->cmd, "rkey", 0), &x);
	explain_print_key(&x, c->answer);
	world_unlock(w);
	return told(c);
}

/* The queue pair of that name, "PD/NAME", that cred may read the number of;
 * lock held. */
static struct obj *
find_qp(const struct call *c, const char *path)
{
	const char *slash = strchr(path, '/');
	struct obj *pd, *qp;
	char name[64 + 1];

	if (slash == NULL || (size_t)(slash - path) >= sizeof(name))
		return NULL;
	memcpy(name, path, (size_t)(slash - path));
	name[slash - path] = '\0';
	pd = obj_by_name(obj_set(c->op.obj, KIND_PD), name);
	if (pd == NULL)
		return NULL;
	qp = obj_by_name(obj_set(pd, KIND_QP), slash + 1);
	return qp != NULL && cred_opens(c->cred, qp, "num", R_OK) ? qp : NULL;
}

/* The queue pair of qp=, referenced; NULL and no error: none was named. */
static struct qp *
named_qp(struct call *c)
{
	const char *path = cmd_str(c->cmd, "qp");
	struct world *w = c->op.obj->world;
	struct obj *o;

	if (path == NULL)
		return NULL;
	world_lock(w);
	if ((o = find_qp(c, path)) != NULL)
		obj_ref(o);
	world_unlock(w);
	if (o == NULL)
		(void)fail_at(&c->op.err, "qp", ENOENT,
		    "no queue pair PD/NAME of this device that you can reach");
	return o != NULL ? qp_of(o) : NULL;
}

static int
run_access(struct call *c, enum access_op op)
{
	const struct asker by = { may, c->cred };
	struct world *w = c->op.obj->world;
	struct access a = { .op = op,
		.rkey = (uint32_t)cmd_num(c->cmd, "rkey", 0),
		.addr = cmd_num(c->cmd, "addr", 0),
		.length = cmd_num(c->cmd, "length", 0) };
	struct explained x;
	struct qp *qp;

	if (may_ask(c) < 0)
		return -c->op.err.code;
	qp = named_qp(c);
	if (qp == NULL && cmd_has(c->cmd, "qp"))
		return -c->op.err.code;
	if (qp != NULL)
		qp_refresh(qp);
	world_lock(w);
	explain_access(dev_of(c->op.obj), &by, &a, qp, &x);
	explain_print_access(&x, &a, qp, c->answer);
	world_unlock(w);
	if (qp != NULL)
		obj_unref(&qp->o);
	explicit_bzero(&a, sizeof(a));
	return told(c);
}

static int
run_write(struct call *c)
{
	return run_access(c, ACCESS_WRITE);
}

static int
run_read(struct call *c)
{
	return run_access(c, ACCESS_READ);
}

static int
run_atomic(struct call *c)
{
	return run_access(c, ACCESS_ATOMIC);
}

int
get_explain(const struct view *v, struct text *t)
{
	verbs_help(v->file->verbs, t);
	return 0;
}

const struct verb explain_verbs[] = {
	{ "key", "rkey:key", run_key, "what it opens, or how it died" },
	{ "write", "addr:addr length:size rkey:key [qp=word]", run_write,
	    "whether a peer may, and why not; nothing is sent" },
	{ "read", "addr:addr length:size rkey:key [qp=word]", run_read,
	    "the same of an RDMA read" },
	{ "atomic", "addr:addr length:size rkey:key [qp=word]", run_atomic,
	    "the same of fetch_add and cmp_swap" },
	{ NULL, NULL, NULL, NULL },
};
