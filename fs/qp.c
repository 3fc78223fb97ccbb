/* SPDX-License-Identifier: MIT */
/* qp/<qp>/: queue pairs. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "events.h"
#include "script.h"
#include "tree.h"

#define BITS_24 ((1u << 24) - 1)

static const struct qp *
pair(const struct view *v)
{
	return qp_of(v->o);
}

static void
qp_status(struct obj *o, struct text *t)
{
	const struct qp *qp = qp_of(o);

	text_printf(t,
	    "%s type=%s num=%u rights=", name_of(qp_state_names, qp->state),
	    name_of(qp_type_names, qp->type), qp->local.qpn);
	text_rights(t, qp->rights | RIGHT_LOCAL_READ, ',');
	text_printf(t, " windows=%zu mem=%zu", qp->nwindows, qp->sets[0].count);
}

/* The device is asked first, without the lock: it may be in error by now. */
static int
get_qp_status(const struct view *v, struct text *t)
{
	struct world *w = v->o->world;
	int r;

	qp_refresh(qp_of(v->o));
	world_lock(w);
	r = v->o->gone ? -ENODEV : get_status(v, t);
	world_unlock(w);
	return r;
}

static int
get_state(const struct view *v, struct text *t)
{
	struct world *w = v->o->world;

	qp_refresh(qp_of(v->o));
	world_lock(w);
	text_printf(t, "%s\n", name_of(qp_state_names, pair(v)->state));
	world_unlock(w);
	return v->o->gone ? -ENODEV : 0;
}

static int
get_rights(const struct view *v, struct text *t)
{
	text_rights(t, pair(v)->rights | RIGHT_LOCAL_READ, ' ');
	text_puts(t, "\n");
	return 0;
}

static int
get_type(const struct view *v, struct text *t)
{
	text_printf(t, "%s\n", name_of(qp_type_names, pair(v)->type));
	return 0;
}

static int
get_num(const struct view *v, struct text *t)
{
	return get_number(t, pair(v)->local.qpn);
}

/* A port without a GID or a LID cannot be found by any peer. */
static int
get_local(const struct view *v, struct text *t)
{
	static const struct gid none;
	const struct qp_addr *a = &pair(v)->local;

	if (memcmp(&a->gid, &none, sizeof(none)) == 0 && a->lid == 0)
		return -ENODATA;
	text_qp_addr(t, a);
	text_puts(t, "\n");
	return 0;
}

static int
get_remote(const struct view *v, struct text *t)
{
	if (!pair(v)->connected)
		return -ENODATA;
	text_qp_addr(t, &pair(v)->remote);
	text_puts(t, "\n");
	return 0;
}

static int
get_ctl(const struct view *v, struct text *t)
{
	const struct qp *qp = pair(v);

	if (qp->type != QP_RC || qp->port != 0 || qp->gid >= 0) {
		text_printf(t, "type %s", name_of(qp_type_names, qp->type));
		if (qp->port != 0)
			text_printf(t, " port=%u", qp->port);
		if (qp->gid >= 0)
			text_printf(t, " gid=%d", qp->gid);
		text_puts(t, "\n");
	}
	if (qp->rights != QP_RIGHTS) {
		text_puts(t, "rights ");
		text_rights(t, qp->rights, ' ');
		text_puts(t, "\n");
	}
	if (qp->connected) {
		text_puts(t, "# connected to a peer's queue pair, which "
			     "cannot be repeated: connect ");
		text_qp_addr(t, &qp->remote);
		text_puts(t, "\n");
	}
	verbs_help(v->file->verbs, t);
	return 0;
}

/*
 * Verbs.
 */
static int
run_type(struct call *c)
{
	const char *word = cmd_str(c->cmd, "type");
	const struct name *n = qp_type_names;
	uint64_t port = cmd_num(c->cmd, "port", 0);
	uint64_t gid = cmd_num(c->cmd, "gid", 0);

	while (n->name != NULL && strcmp(n->name, word) != 0)
		n++;
	if (n->name == NULL)
		return fail_at(
		    &c->op.err, "type", EINVAL, "the type is rc or uc");
	if (cmd_has(c->cmd, "port") && port == 0)
		return fail_at(
		    &c->op.err, "port", EINVAL, "ports count from 1");
	if (gid > UINT8_MAX)
		return fail_at(&c->op.err, "gid", EINVAL,
		    "a queue pair takes GIDs 0 to 255");
	return qp_settype(&c->op, (enum qp_type)n->value,
	    port < UINT_MAX ? (unsigned)port : UINT_MAX,
	    cmd_has(c->cmd, "gid") ? (int)gid : -1);
}

static int
num_up_to(struct call *c, const char *arg, uint64_t max, uint32_t *out)
{
	uint64_t n = cmd_num(c->cmd, arg, 0);

	if (n > max)
		return fail_at(&c->op.err, arg, EINVAL, "%s is at most %llu",
		    arg, (unsigned long long)max);
	*out = (uint32_t)n;
	return 0;
}

static int
mtu_check(struct call *c, unsigned mtu)
{
	unsigned m;

	if (!cmd_has(c->cmd, "mtu"))
		return 0;
	for (m = 256; m <= 4096; m *= 2)
		if (mtu == m)
			return 0;
	return fail_at(&c->op.err, "mtu", EINVAL,
	    "the mtu is 256, 512, 1024, 2048 or 4096");
}

static int
run_connect(struct call *c)
{
	struct qp_addr a = { .mtu = 0 };
	uint32_t mtu = 0;

	if (num_up_to(c, "qpn", BITS_24, &a.qpn) < 0 ||
	    num_up_to(c, "psn", BITS_24, &a.psn) < 0 ||
	    num_up_to(c, "lid", UINT16_MAX, &a.lid) < 0 ||
	    num_up_to(c, "mtu", 4096, &mtu) < 0 || mtu_check(c, mtu) < 0)
		return -c->op.err.code;
	(void)value_gid(cmd_str(c->cmd, "gid"), a.gid.raw, NULL);
	a.mtu = mtu;
	return qp_connect(&c->op, &a);
}

static int
run_reset(struct call *c)
{
	return qp_reset(&c->op);
}

/* Names the region and takes its part: what comes from it is read, what comes
 * into it is written. */
static int
transfer(struct call *c, struct qp_transfer *t)
{
	bool out = t->op == WR_WRITE || t->op == WR_SEND;
	int r;

	t->offset = cmd_num(c->cmd, "offset", 0);
	t->length = cmd_num(c->cmd, "length", 8); /* of an atomic */
	t->addr = cmd_num(c->cmd, "addr", 0);
	t->rkey = (uint32_t)cmd_num(c->cmd, "rkey", 0);
	t->mr = call_region(c, cmd_str(c->cmd, "mr"), out ? R_OK : W_OK);
	if (t->mr == NULL)
		return -c->op.err.code;
	r = qp_transfer(&c->op, t);
	obj_unref(&t->mr->o);
	explicit_bzero(&t->rkey, sizeof(t->rkey));
	return r;
}

static int
run_write(struct call *c)
{
	struct qp_transfer t = { .op = WR_WRITE };

	return transfer(c, &t);
}

static int
run_read(struct call *c)
{
	struct qp_transfer t = { .op = WR_READ };

	return transfer(c, &t);
}

static int
run_fetch_add(struct call *c)
{
	struct qp_transfer t = { .op = WR_FETCH_ADD,
		.operand = cmd_num(c->cmd, "value", 0) };

	return transfer(c, &t);
}

static int
run_cmp_swap(struct call *c)
{
	struct qp_transfer t = { .op = WR_CMP_SWAP,
		.operand = cmd_num(c->cmd, "old", 0),
		.swap = cmd_num(c->cmd, "new", 0) };

	return transfer(c, &t);
}

static int
run_send(struct call *c)
{
	struct qp_transfer t = { .op = WR_SEND,
		.with_imm = cmd_has(c->cmd, "imm"),
		.with_inv = cmd_has(c->cmd, "invalidate"),
		.inv = (uint32_t)cmd_num(c->cmd, "invalidate", 0) };

	if (num_up_to(c, "imm", UINT32_MAX, &t.imm) < 0)
		return -c->op.err.code;
	if (t.with_imm && t.with_inv)
		return fail_at(&c->op.err, "invalidate", EINVAL,
		    "a send carries imm= or invalidate=, not both");
	return transfer(c, &t);
}

static int
run_recv(struct call *c)
{
	struct qp_transfer t = { .op = WR_RECV };

	return transfer(c, &t);
}

static int
run_rights(struct call *c)
{
	return qp_rights(
	    &c->op, rights_apply(&c->cmd->rights, qp_of(c->op.obj)->rights));
}

static int
run_destroy(struct call *c)
{
	return qp_destroy(&c->op, true);
}

static const struct verb qp_verbs[] = {
	{ "type", "type:word [port=num] [gid=num]", run_type,
	    "rc or uc, before connect" },
	{ "connect", "qpn=num psn=num gid=gid [lid=num] [mtu=num]", run_connect,
	    "ibv_modify_qp to RTS: what the peer's local says" },
	{ "reset", "", run_reset,
	    "a new number, unconnected; windows bound over it are unbound" },
	{ "write", "mr:name offset:size length:size addr:addr rkey:key",
	    run_write, "ibv_post_send: RDMA write, done at its completion" },
	{ "read", "mr:name offset:size length:size addr:addr rkey:key",
	    run_read, "ibv_post_send: RDMA read" },
	{ "fetch_add", "mr:name offset:size addr:addr rkey:key value:num",
	    run_fetch_add, "ibv_post_send: the old value comes to OFFSET" },
	{ "cmp_swap", "mr:name offset:size addr:addr rkey:key old:num new:num",
	    run_cmp_swap, "ibv_post_send: the old value comes to OFFSET" },
	{ "send", "mr:name offset:size length:size [imm=num] [invalidate=key]",
	    run_send, "ibv_post_send: into the peer's oldest recv" },
	{ "recv", "mr:name offset:size length:size", run_recv,
	    "ibv_post_recv: done when posted, wc tells the rest" },
	{ "rights", "rights+num...", run_rights,
	    "what the peer may do over it, whatever the key" },
	{ "destroy", "", run_destroy,
	    "ibv_destroy_qp; windows bound over it are unbound and stay" },
	{ "keep", "", run_keep, "of a clone: stays when its holder closes" },
	{ NULL, NULL, NULL, NULL },
};

static const struct verb rights_verbs[] = {
	{ "rights", "rights+num...", run_rights, "as the verb rights of ctl" },
	{ NULL, NULL, NULL, NULL },
};

static const struct file qp_files[] = {
	{ "ctl", .get = get_ctl, .verbs = qp_verbs, .mode = 0600,
	    .flags = FILE_SECRET },
	{ "status", .get = get_qp_status, .waits = WAIT_CHANGE,
	    .flags = FILE_UNLOCKED | FILE_DATED },
	{ "error", .get = get_error, .flags = FILE_ERROR | FILE_SECRET },
	EVENTS_FILE,
	{ "rights", .get = get_rights, .verbs = rights_verbs,
	    .implied = "rights" },
	{ "type", .get = get_type },
	{ "state", .get = get_state, .flags = FILE_UNLOCKED },
	{ "num", .get = get_num },
	{ "local", .get = get_local },
	{ "remote", .get = get_remote },
	{ "wc", .get = get_wc, .journal = &wc_journal, .waits = WAIT_WC,
	    .mode = 0600, .flags = FILE_SECRET },
	{ NULL },
};

static const struct dirtype mems_dir = {
	.name = "mem",
	.pattern = "/<dev>/pd/<pd>/qp/<qp>/mem",
	.kind = KIND_QP,
	.number = 1,
	.children = KIND_MEM,
};

static const struct dirtype *const qp_dirs[] = { &mems_dir, NULL };

static const struct dirtype qp_dir = {
	.pattern = "/<dev>/pd/<pd>/qp/<qp>",
	.kind = KIND_QP,
	.files = qp_files,
	.dirs = qp_dirs,
	.children = -1,
};

static const struct dirtype *const qp_dirtypes[] = { &qp_dir, &mems_dir, NULL };

const struct kindinfo qp_kind = { "qp", qp_dirtypes, qp_status };
