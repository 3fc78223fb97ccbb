/* SPDX-License-Identifier: MIT */
/* An object of the kernel's as a line of <dev>/kernel/. */
#include <string.h>
#include <unistd.h>

#include "kernel_line.h"

/* A word of a line; its value is a number, or one of names. */
struct word {
	const char *name;
	enum kernel_field field;
	const struct name *names;
};

static const struct word pd_words[] = { { "pdn", KERNEL_PDN },
	{ "users", KERNEL_USERS }, { "ctxn", KERNEL_CTXN }, { NULL } };
static const struct word mr_words[] = { { "mrn", KERNEL_MRN },
	{ "length", KERNEL_LENGTH }, { "pdn", KERNEL_PDN }, { NULL } };
static const struct word qp_words[] = { { "lqpn", KERNEL_LQPN },
	{ "type", KERNEL_TYPE, kernel_qp_types },
	{ "state", KERNEL_STATE, qp_state_names }, { "rqpn", KERNEL_RQPN },
	{ "port", KERNEL_PORT }, { "pdn", KERNEL_PDN }, { NULL } };
static const struct word cq_words[] = { { "cqn", KERNEL_CQN },
	{ "cqe", KERNEL_CQE }, { "users", KERNEL_USERS },
	{ "ctxn", KERNEL_CTXN }, { NULL } };
static const struct word ctx_words[] = { { "ctxn", KERNEL_CTXN }, { NULL } };
static const struct word srq_words[] = { { "srqn", KERNEL_SRQN },
	{ "type", KERNEL_TYPE, kernel_srq_types }, { "pdn", KERNEL_PDN },
	{ "cqn", KERNEL_CQN }, { "ctxn", KERNEL_CTXN }, { NULL } };

static const struct word *const words[] = {
	[KERNEL_PD] = pd_words,
	[KERNEL_MR] = mr_words,
	[KERNEL_QP] = qp_words,
	[KERNEL_CQ] = cq_words,
	[KERNEL_CTX] = ctx_words,
	[KERNEL_SRQ] = srq_words,
};

static void
put_words(const struct word *w, const struct kernel_obj *k, struct text *t)
{
	const char *sep = "", *name;

	for (; w->name != NULL; w++) {
		if (!kernel_has(k, w->field))
			continue;
		text_printf(t, "%s%s=", sep, w->name);
		sep = " ";
		name = w->names == NULL
			   ? NULL
			   : name_of(w->names, (uint32_t)k->value[w->field]);
		if (name != NULL)
			text_puts(t, name);
		else
			text_printf(
			    t, "%llu", (unsigned long long)k->value[w->field]);
	}
}

/* Any bytes as one word that cannot be taken for two. */
static void
put_word(struct text *t, const char *s)
{
	size_t n;

	for (;;) {
		n = strcspn(s, " ");
		text_vis(t, s, n);
		s += n;
		if (*s++ == '\0')
			return;
		text_puts(t, "\\s");
	}
}

/* Who made it; task is that of the line before, or not. */
static void
put_maker(const struct kernel_obj *k, struct kernel_task *task, struct text *t)
{
	if (k->owner[0] != '\0') {
		text_puts(t, " comm=[");
		put_word(t, k->owner);
		text_puts(t, "]");
		return;
	}
	if (!kernel_has(k, KERNEL_TASK)) {
		task->task = task->process = 0;
		return;
	}
	if (task->task != k->value[KERNEL_TASK]) {
		task->task = (uint32_t)k->value[KERNEL_TASK];
		kernel_task(task);
	}
	text_printf(
	    t, " pid=%u", task->process != 0 ? task->process : task->task);
	if (task->process != 0 && task->process != task->task)
		text_printf(t, " thread=%u", task->task);
	if (task->comm[0] != '\0') {
		text_puts(t, " comm=");
		put_word(t, task->comm);
	}
}

/* path= for those who could go there. */
static void
put_path(const struct view *v, uint64_t id, struct text *t)
{
	struct node n = { .dir = NULL };
	struct text path = { 0 };

	world_lock(v->o->world);
	n.o = obj_by_id(v->o->world, id);
	if (n.o != NULL && !n.o->gone && cred_reaches(v->cred, n.o)) {
		n.dir = kind_info(n.o->kind)->dirtypes[0];
		node_path(&n, &path);
	}
	world_unlock(v->o->world);
	t->nomem |= path.nomem;
	if (path.buf != NULL) /* what follows the device and the slash */
		text_printf(
		    t, " path=%s", path.buf + strcspn(path.buf, "/") + 1);
	text_fini(&path);
}

static void
put_own(const struct view *v, uint64_t own, const struct kernel_obj *k,
    const struct kernel_task *task, struct text *t)
{
	bool made = k->owner[0] == '\0' && task->process == (uint32_t)getpid();

	if (!made && own == 0)
		return;
	text_puts(t, " own=yes");
	if (own != 0)
		put_path(v, own, t);
}

static void
put_keys(const struct kernel_obj *k, struct text *t)
{
	if (kernel_has(k, KERNEL_LKEY)) {
		text_puts(t, " lkey=");
		text_key(t, (uint32_t)k->value[KERNEL_LKEY]);
	}
	if (k->value[KERNEL_RKEY] != 0) {
		text_puts(t, " rkey=");
		text_key(t, (uint32_t)k->value[KERNEL_RKEY]);
	}
	if (kernel_has(k, KERNEL_IOVA)) {
		text_puts(t, " iova=");
		text_addr(t, k->value[KERNEL_IOVA]);
	}
}

void
kernel_line(const struct view *v, enum kernel_kind kind,
    const struct kernel_obj *k, uint64_t own, struct kernel_task *task,
    struct text *t)
{
	put_words(words[kind], k, t);
	put_maker(k, task, t);
	put_own(v, own, k, task, t);
	if (v->cred->uid == 0 && kind == KERNEL_MR)
		put_keys(k, t);
	text_puts(t, "\n");
}
